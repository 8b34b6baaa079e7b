/** What may be asked about the health of the server. */
export type HealthEndpoint = 'healthz' | 'livez' | 'readyz';

/**
 * The parts of kube-apiserver that this server has, by the names that their checks have there, in
 * its order. Its other checks are about parts that do not exist here, and are not listed.
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

/** Checks that say whether requests should be sent here, not whether the process is alive. */
const READINESS_ONLY: ReadonlySet<string> = new Set(['informer-sync', 'shutdown']);

/** The answer to `/readyz` and its like: a server that answers at all is well. */
export function healthReport(
  endpoint: HealthEndpoint,
  { verbose, exclude }: { readonly verbose: boolean; readonly exclude: readonly string[] },
): string {
  if (!verbose) return 'ok';
  const lines = checksOf(endpoint).map((name) =>
    exclude.includes(name) ? `[+]${name} excluded: ok` : `[+]${name} ok`,
  );
  return `${lines.join('\n')}\n${endpoint} check passed\n`;
}

export function hasCheck(endpoint: HealthEndpoint, name: string): boolean {
  return checksOf(endpoint).includes(name);
}

function checksOf(endpoint: HealthEndpoint): readonly string[] {
  if (endpoint === 'readyz') return CHECKS;
  return CHECKS.filter((name) => !READINESS_ONLY.has(name));
}

/** The paths of all endpoints and of each of their checks. */
export function checkPaths(): readonly string[] {
  return (['healthz', 'livez', 'readyz'] as const).flatMap((endpoint) => [
    `/${endpoint}`,
    ...checksOf(endpoint).map((name) => `/${endpoint}/${name}`),
  ]);
}
