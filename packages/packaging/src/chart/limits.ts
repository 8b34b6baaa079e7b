import type { ModelContainer, OperatorModel } from 'chancery/internal';

/**
 * Variables that users must not set. Such a variable would override a setting that the chart makes
 * elsewhere, such as a port, or would weaken the protection of the operator.
 */
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

/** A regular expression for names of variables that give a container credentials for the cluster. */
export const TOKEN_VARIABLE: string = '(^|_)(KUBE|K8S|SERVICE_ACCOUNT)_?TOKEN$';

/**
 * The allowed content of `NODE_OPTIONS`: the memory that Node uses. Other options open a debugger's
 * port or load code.
 */
export const NODE_OPTIONS: string = '^--max-old-space-size(-percentage)?=[0-9]{1,6}$';

/**
 * The resources of a node that a container may request. All other resources are refused, because
 * they are devices.
 */
export const RESOURCE_NAMES: readonly string[] = ['cpu', 'memory', 'ephemeral-storage'];

/** A regular expression for a quantity that is written as a string. */
export const QUANTITY: string = '^[0-9]{1,15}([.][0-9]{1,9})?(m|k|M|G|T|P|Ki|Mi|Gi|Ti|Pi)?$';

/**
 * Names that no release may have: the name of the ServiceAccount that every Pod uses by default,
 * and the names of built-in roles. The objects of a chart have the name of the release, so they
 * would replace these built-in objects.
 */
export const TAKEN_NAMES: readonly string[] = [
  'admin',
  'cluster-admin',
  'cluster-reader',
  'default',
  'edit',
  'view',
];

/** Maximum length of one program argument on Linux, including the zero byte at its end. */
export const LONGEST_ARGUMENT = 131_072;

interface PatchWithContainers {
  readonly template?: { readonly spec?: { readonly containers?: readonly ModelContainer[] } };
}

/**
 * The variables of the operator that no value may set, sorted. They include the variables of all
 * components, even of components that are turned off.
 */
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

/** Fields that restrict a Pod or a container further, and that the chart does not set itself. */
export const STRICTER = {
  pod: {
    appArmorProfile: { type: 'RuntimeDefault' },
    supplementalGroupsPolicy: 'Strict',
  },
  container: {
    appArmorProfile: { type: 'RuntimeDefault' },
  },
} as const;

/** Fields that the chart sets anyway. Users may repeat them in values. */
const KNOWN = {
  pod: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
  container: {
    privileged: false,
    procMount: 'Default',
    runAsNonRoot: true,
    seccompProfile: { type: 'RuntimeDefault' },
  },
} as const;

/** The fields of a security context that values may contain, each with its only allowed value. */
export function securityRules(
  of: 'pod' | 'container',
  container?: ModelContainer,
): Readonly<Record<string, unknown>> {
  const own = (container?.securityContext ?? {}) as Readonly<Record<string, unknown>>;
  const { runAsUser: _user, runAsGroup: _group, ...fixed } = own; // the component `unix-socket` changes these
  return { ...fixed, ...KNOWN[of], ...STRICTER[of] };
}
