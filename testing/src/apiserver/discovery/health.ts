/** The endpoints that report the health of the server. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/**
 * The checks of kube-apiserver that make sense for this server, with the same names and in the same order.
 * Checks of components that do not exist here are not listed.
 */
const CHECKS: readonly string[] = [
  'ping',
  'log',
  'informer-sync',
  'poststarthook/start-apiextensions-controllers',
  'poststarthook/crd-informer-synced',
  'poststarthook/start-system-namespaces-controller',
  'poststarthook/storage-readiness',
  'shutdown',
];

/**
 * Checks that only decide whether requests should be sent to this server, and not whether the process is
 * alive.
 */
const READINESS_ONLY: ReadonlySet<string> = new Set(['informer-sync', 'shutdown']);

/** The check that fails while watch caches are filled. */
export const FILLING = 'poststarthook/storage-readiness';

interface Asked {
  readonly verbose: boolean;
  readonly exclude: readonly string[];
  /** The check that fails; undefined if none fails. No other check can fail while the server answers. */
  readonly failing: string | undefined;
}

/** The answer to `/readyz` and the other endpoints. If a check fails, the answer always lists all checks. */
export function healthReport(
  endpoint: HealthEndpoint,
  { verbose, exclude, failing }: Asked,
): { readonly isWell: boolean; readonly text: string } {
  const isWell = failing === undefined || exclude.includes(failing);
  if (isWell && !verbose) return { isWell, text: 'ok' };
  const lines = checksOf(endpoint).map((name) => {
    if (exclude.includes(name)) return `[+]${name} excluded: ok`;
    return name === failing ? `[-]${name} failed: reason withheld` : `[+]${name} ok`;
  });
  const end = `${endpoint} check ${isWell ? 'passed' : 'failed'}`;
  return { isWell, text: `${lines.join('\n')}\n${end}\n` };
}

export function hasCheck(endpoint: HealthEndpoint, name: string): boolean {
  return checksOf(endpoint).includes(name);
}

function checksOf(endpoint: HealthEndpoint): readonly string[] {
  if (endpoint === 'readyz') return CHECKS;
  return CHECKS.filter((name) => !READINESS_ONLY.has(name));
}

/** The paths of all endpoints and of all checks. */
export function checkPaths(): readonly string[] {
  return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) => [
    `/${endpoint}`,
    ...checksOf(endpoint).map((name) => `/${endpoint}/${name}`),
  ]);
}
