import { ConfigurationError } from 'chancery';

const UNIT_MS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/**
 * Milliseconds of a duration as Go writes it, such as `20s` or `1m30s`; `fallbackMs` when unset.
 *
 * @throws ConfigurationError `CONFIG` that names the variable.
 */
export function goDurationMs(
  name: string,
  environment: Readonly<Record<string, string | undefined>>,
  fallbackMs: number,
): number {
  const text = environment[name]?.trim();
  if (!text) return fallbackMs;
  if (!/^(?:[0-9]+(?:\.[0-9]+)?(?:ns|us|µs|ms|s|m|h))+$/.test(text)) {
    throw new ConfigurationError(
      `${name} must be a duration such as 20s or 1m30s, not ${JSON.stringify(text)}`,
    );
  }
  const parts = text.matchAll(/([0-9.]+)(ns|us|µs|ms|s|m|h)/g);
  return [...parts].reduce((sum, [, n, unit = '']) => sum + Number(n) * (UNIT_MS[unit] ?? 0), 0);
}
