import { createHash } from 'node:crypto';
import { ConfigurationError } from 'chancery';
import {
  type EnvironmentVariable,
  type ModelContainer,
  type ModelDeployment,
  type OperatorModel,
  type RoleRule,
  renderedDeployment,
  type Scope,
} from 'chancery/internal';
import type { RbacRole, RbacRoleBinding } from 'chancery/low-level';
import { type BundleOptions, installModesOf, watchesTargets } from './bundle-options.ts';

/** Rights of a ServiceAccount in a ClusterServiceVersion. */
export interface Permissions {
  readonly serviceAccountName: string;
  readonly rules: readonly RoleRule[];
}

/** `spec.install` of a ClusterServiceVersion. */
export interface InstallStrategy {
  readonly strategy: 'deployment';
  readonly spec: {
    readonly deployments: readonly {
      readonly name: string;
      readonly label: Readonly<Record<string, string>>;
      readonly spec: ModelDeployment['spec'];
    }[];
    /**
     * From these permissions OLM creates Roles in the namespace of the operator and in the watched
     * namespaces.
     */
    readonly permissions?: readonly Permissions[];
    /** From these permissions OLM creates a ClusterRole. */
    readonly clusterPermissions?: readonly Permissions[];
  };
}

/**
 * The Deployment and the rights that OLM creates. OLM also creates the ServiceAccount.
 *
 * @throws ConfigurationError `CONFIG` for rights that OLM cannot grant in the namespaces where they
 * are needed.
 */
export function installStrategy(model: OperatorModel, options: BundleOptions): InstallStrategy {
  const deployment = bundledDeployment(model, options);
  const { serviceAccountName } = deployment.spec.template.spec;
  const { clusterWide, inNamespaces } = bundledRules(model, options);
  const granted = (rules: readonly RoleRule[]): readonly Permissions[] => [
    { serviceAccountName, rules },
  ];
  return {
    strategy: 'deployment',
    spec: {
      deployments: [
        {
          name: deployment.metadata.name,
          label: deployment.spec.template.metadata.labels,
          spec: deployment.spec,
        },
      ],
      ...(inNamespaces.length > 0 && { permissions: granted(inNamespaces) }),
      ...(clusterWide.length > 0 && { clusterPermissions: granted(clusterWide) }),
    },
  };
}

/**
 * The Deployment of the overlay for all namespaces. With other install modes, OLM sets the watched
 * namespaces.
 */
function bundledDeployment(model: OperatorModel, options: BundleOptions): ModelDeployment {
  const deployment = renderedDeployment(model, { scope: 'cluster-scoped' });
  const { template } = deployment.spec;
  const containers = template.spec.containers.map((container) =>
    container.name === 'operator' ? watching(container, options) : container,
  );
  const metadata = { ...template.metadata, ...withHash(template.metadata.annotations, model) };
  const pod = { ...template, metadata, spec: { ...template.spec, containers } };
  return { ...deployment, spec: { ...deployment.spec, template: pod } };
}

function watching(container: ModelContainer, options: BundleOptions): ModelContainer {
  if (!watchesTargets(options)) return container;
  const { env = [] } = container;
  const targets: EnvironmentVariable = {
    name: 'WATCH_NAMESPACE',
    valueFrom: { fieldRef: { fieldPath: "metadata.annotations['olm.targetNamespaces']" } },
  };
  // For all namespaces OLM writes an empty string. Without AllNamespaces, an empty string means the
  // operator's own namespace.
  const everywhere = { name: 'CHANCERY_EMPTY_WATCH_NAMESPACE', value: 'all' };
  const isAll = installModesOf(options).includes('AllNamespaces');
  return {
    ...container,
    env: [
      ...env.map((variable) => (variable.name === 'WATCH_NAMESPACE' ? targets : variable)),
      ...(isAll ? [everywhere] : []),
    ],
  };
}

/**
 * Adds a hash of the mounted folder, so that a change of the folder starts new Pods. Under OLM the
 * name of the ConfigMap stays the same.
 */
function withHash(
  annotations: Readonly<Record<string, string>> = {},
  { configMap }: OperatorModel,
): { readonly annotations: Readonly<Record<string, string>> } {
  if (configMap === undefined) return { annotations };
  const files = Object.entries(configMap.data).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return { annotations: { ...annotations, 'chancery.dev/folder-hash': hash.slice(0, 32) } };
}

/**
 * The rules of a bundle. A ClusterServiceVersion contains no namespaces: OLM decides in which
 * namespaces `inNamespaces` applies.
 */
interface BundledRules {
  readonly clusterWide: readonly RoleRule[];
  readonly inNamespaces: readonly RoleRule[];
}

function bundledRules(model: OperatorModel, options: BundleOptions): BundledRules {
  const scope: Scope = watchesTargets(options) ? 'namespaced' : 'cluster-scoped';
  const roles = model.scopes[scope].rights.filter(isRole);
  const election = model.electionRights.filter(isRole);
  for (const role of roles) requireGrantable(role, model, scope);
  const inside = [...roles, ...election].filter(({ kind }) => kind === 'Role');
  return {
    clusterWide: distinct(roles.filter(({ kind }) => kind === 'ClusterRole')),
    inNamespaces: distinct(inside),
  };
}

function isRole(object: RbacRole | RbacRoleBinding): object is RbacRole {
  return object.kind === 'Role' || object.kind === 'ClusterRole';
}

function distinct(roles: readonly RbacRole[]): readonly RoleRule[] {
  const rules = roles.flatMap((role) => role.rules);
  return [...new Map(rules.map((rule) => [JSON.stringify(rule), rule])).values()];
}

/**
 * Refuses rights that OLM cannot grant where they are needed. OLM grants rights that are not
 * cluster-wide in the watched namespaces, and a bundle cannot choose other namespaces. With
 * AllNamespaces OLM grants such rights everywhere. Only rights to record Events may be granted that
 * widely.
 */
function requireGrantable(role: RbacRole, { options }: OperatorModel, scope: Scope): void {
  const { namespace } = role.metadata;
  if (role.kind === 'ClusterRole' || namespace === options.namespace) return;
  if (scope === 'cluster-scoped' && role.rules.every(isOnlyEvents)) return;
  const [{ resources, verbs }] = role.rules as readonly [RoleRule];
  throw new ConfigurationError(
    `the operator needs rights in the namespace ${namespace} (${verbs.join(', ')} ${resources.join(', ')}), and OLM ` +
      (scope === 'cluster-scoped'
        ? 'would grant them in all namespaces: install this operator by Helm or kustomize'
        : 'grants them only in the watched namespaces: use the install mode AllNamespaces, or Helm or kustomize'),
  );
}

function isOnlyEvents({ apiGroups, resources, verbs }: RoleRule): boolean {
  const isEvents = apiGroups[0] === 'events.k8s.io' && resources.join() === 'events';
  return isEvents && verbs.every((verb) => verb === 'create' || verb === 'patch');
}
