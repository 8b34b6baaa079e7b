/** The objects that OLM makes of a ClusterServiceVersion, as far as they decide who may do what. */

import type { RoleRule } from '../../../../../operator/access/rbac.ts';
import type { ModelDeployment } from '../../../../../operator/generate/manifests/model-deployment.ts';
import type { KubernetesObject } from '../../../../../operator/model/object.ts';
import type { Csv } from './bundles.ts';

/** Where the Subscription is. */
export const OLM_NAMESPACE = 'operators';

/** What OLM adds to every container: a variable of its own, and those of the Subscription's `config.env`. */
const VARIABLES = [
  { name: 'OPERATOR_CONDITION_NAME', value: 'demo.v1.2.3' },
  { name: 'HTTPS_PROXY', value: 'http://proxy.example:3128' },
];

/** In AllNamespaces mode OLM adds it to the rules of `permissions`, which then hold in the whole cluster. */
export const ADDED_RULE: RoleRule = {
  apiGroups: [''],
  resources: ['namespaces'],
  verbs: ['get', 'list', 'watch'],
};

/** In OwnNamespace mode the namespace of the operator is the watched one. */
export function madeByOlm(
  { metadata, spec }: Csv,
  mode: 'AllNamespaces' | 'OwnNamespace',
): readonly KubernetesObject[] {
  const namespace = OLM_NAMESPACE;
  const { deployments, permissions = [], clusterPermissions = [] } = spec.install.spec;
  const isAll = mode === 'AllNamespaces';
  const objects = [
    ...deployments.map(({ name, spec: wanted }) => ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name, namespace },
      spec: injected(wanted),
    })),
    // OLM knows its name, and sets nothing else.
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'demo', namespace } },
    ...permissions.flatMap(({ rules }) =>
      isAll
        ? granted('ClusterRole', `${metadata.name}-all`, [...rules, ADDED_RULE])
        : granted('Role', metadata.name, rules),
    ),
    ...clusterPermissions.flatMap(({ rules }) => granted('ClusterRole', metadata.name, rules)),
  ];
  return objects as unknown as readonly KubernetesObject[];
}

function granted(
  kind: 'Role' | 'ClusterRole',
  name: string,
  rules: readonly RoleRule[],
): readonly object[] {
  const apiGroup = 'rbac.authorization.k8s.io';
  const metadata = { name, ...(kind === 'Role' && { namespace: OLM_NAMESPACE }) };
  const subjects = [{ kind: 'ServiceAccount', name: 'demo', namespace: OLM_NAMESPACE }];
  return [
    { apiVersion: `${apiGroup}/v1`, kind, metadata, rules },
    {
      apiVersion: `${apiGroup}/v1`,
      kind: `${kind}Binding`,
      metadata,
      roleRef: { apiGroup, kind, name },
      subjects,
    },
  ];
}

function injected(wanted: ModelDeployment['spec']): ModelDeployment['spec'] {
  const { template } = structuredClone(wanted);
  const containers = template.spec.containers.map((container) => ({
    ...container,
    env: [...(container.env ?? []), ...VARIABLES],
  }));
  return { ...wanted, template: { ...template, spec: { ...template.spec, containers } } };
}
