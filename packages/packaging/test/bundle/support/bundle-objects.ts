import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '../../../../../operator/core/yaml.ts';
import type { KubernetesObject } from '../../../../../operator/model/object.ts';

type Json = Readonly<Record<string, unknown>>;

interface Permissions {
  readonly serviceAccountName: string;
  readonly rules: readonly Json[];
}

interface ServiceVersion extends KubernetesObject {
  readonly spec: {
    readonly install: {
      readonly spec: {
        readonly deployments: readonly { readonly name: string; readonly spec: Json }[];
        readonly permissions?: readonly Permissions[];
        readonly clusterPermissions?: readonly Permissions[];
      };
    };
  };
}

/** The objects that OLM makes of a bundle in a namespace, when it watches all namespaces. */
export function bundleObjects(folder: string, namespace: string): readonly KubernetesObject[] {
  const manifests = join(folder, 'manifests');
  const objects = readdirSync(manifests)
    .sort()
    .map((name) => parseYaml(readFileSync(join(manifests, name), 'utf8')) as KubernetesObject);
  const isVersion = ({ kind }: KubernetesObject): boolean => kind === 'ClusterServiceVersion';
  const [version, ...more] = objects.filter(isVersion);
  if (version === undefined || more.length > 0)
    throw new Error('expected one ClusterServiceVersion');
  const {
    deployments,
    permissions = [],
    clusterPermissions = [],
  } = (version as ServiceVersion).spec.install.spec;
  return [
    ...objects.filter((object) => !isVersion(object)),
    ...deployments.map(({ name, spec }) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec,
    })),
    ...permissions.map((each) => role('Role', each, { namespace })),
    ...clusterPermissions.map((each) => role('ClusterRole', each, {})),
  ];
}

function role(
  kind: 'Role' | 'ClusterRole',
  { serviceAccountName, rules }: Permissions,
  place: { readonly namespace?: string },
): KubernetesObject {
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const object = { apiVersion, kind, metadata: { name: serviceAccountName, ...place }, rules };
  return object;
}
