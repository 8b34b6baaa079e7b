import type { ModelContainer, OperatorModel } from 'chancery/internal';

/** Variables that would undo what the chart sets elsewhere, such as ports, or what protects the operator. */
const NEVER = [
  'CHANCERY_API_URL',
  'CHANCERY_EMPTY_WATCH_NAMESPACE',
  'CHANCERY_HEALTH_HOST',
  'CHANCERY_HEALTH_PORT',
  'CHANCERY_HTTP_HOSTS',
  'CHANCERY_INSECURE_ALLOW_TOKEN',
  'CHANCERY_INSTALL_CRDS',
  'CHANCERY_LEADER_ELECTION',
  'CHANCERY_LEASE_NAME',
  'CHANCERY_LEASE_NAMESPACE',
  'CHANCERY_METRICS_HOST',
  'CHANCERY_METRICS_PORT',
  'CHANCERY_METRICS_PREFIX',
  'CHANCERY_WEBHOOK_GATE',
  'CHANCERY_WEBHOOK_LISTEN',
  'KUBECONFIG',
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'LD_AUDIT',
  'LD_LIBRARY_PATH',
  'LD_PRELOAD',
  'WATCH_NAMESPACE',
  'res_namespace',
];

/** Names of variables that give a container a credential of the cluster, as a regular expression. */
export const TOKEN_VARIABLE: string = '(^|_)(KUBE|K8S|SERVICE_ACCOUNT)_?TOKEN$';

/** What `NODE_OPTIONS` may be: how much memory Node uses. Others open a debugger's port or load code. */
export const NODE_OPTIONS: string = '^--max-old-space-size(-percentage)?=[0-9]{1,6}$';

/** What a container may have of a node. Other names are devices. */
export const RESOURCE_NAMES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** A quantity, as a text. */
export const QUANTITY: string = '^[0-9]{1,15}([.][0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$';

/**
 * Names that no release may have: the account that every Pod has by default, and roles that Kubernetes has and keeps
 * as they are. Objects of the chart have the name of the release, and would stand in their place.
 */
export const TAKEN_NAMES: readonly string[] = [
  'admin',
  'cluster-admin',
  'cluster-reader',
  'default',
  'edit',
  'view',
];

/** How long one argument of a program may be on Linux, with the byte at its end. */
export const LONGEST_ARGUMENT = 131_072;

interface PatchWithContainers {
  readonly template?: { readonly spec?: { readonly containers?: readonly ModelContainer[] } };
}

/** The variables of the operator that no value may set, sorted: those of the chart, whatever its values turn on. */
export function reservedVariables({ deployment, components }: OperatorModel): readonly string[] {
  const patches = Object.values(components).flatMap(({ patches }) => patches);
  const specs: readonly PatchWithContainers[] = [
    deployment.spec,
    ...patches.map(({ spec }) => spec),
  ];
  const names = specs
    .flatMap(({ template }) => template?.spec?.containers ?? [])
    .filter(({ name }) => name === 'operator')
    .flatMap(({ env = [] }) => env.map(({ name }) => name));
  return [...new Set([...names, ...NEVER])].sort();
}

/** Fields that make a Pod or a container stricter, and that the chart does not set itself. */
export const STRICTER = {
  pod: {
    appArmorProfile: { type: 'RuntimeDefault' },
    supplementalGroupsPolicy: 'Strict',
  },
  container: {
    appArmorProfile: { type: 'RuntimeDefault' },
  },
} as const;

/** What the chart says anyway. Users who write it out are not refused. */
const KNOWN = {
  pod: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  container: {
    privileged: false,
    procMount: 'Default',
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
} as const;

/** The fields of a security context that values may have, each with its only value. */
export function securityRules(
  of: 'pod' | 'container',
  container?: ModelContainer,
): Readonly<Record<string, unknown>> {
  const own = (container?.securityContext ?? {}) as Readonly<Record<string, unknown>>;
  const { runAsUser: _user, runAsGroup: _group, ...fixed } = own; // a socket changes those
  return { ...fixed, ...KNOWN[of], ...STRICTER[of] };
}
