import type { ModelContainer } from '../manifests/model-deployment.ts';
import type { OperatorModel } from '../manifests/operator-model.ts';

/** Variables that would undo what the chart sets elsewhere, such as ports, or what protects the operator. */
const NEVER = [
  'CHANCERY_API_URL',
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
  'KUBERNETES_SERVICE_HOST',
  'KUBERNETES_SERVICE_PORT',
  'WATCH_NAMESPACE',
  'res_namespace',
];

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
