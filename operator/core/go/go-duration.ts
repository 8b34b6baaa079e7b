/** How many milliseconds each unit has. */
const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3, // U+00B5
  μs: 1e-3, // U+03BC
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const NUMBER_AND_UNIT = /(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;

/** The longest duration in Go in milliseconds, which is 2^63 nanoseconds or about 292 years. */
const MAX_MS = 2 ** 63 * 1e-6;

/**
 * Milliseconds of a duration in Go's notation: `1h30m`, `1.5s`, `300ms`, `0`. Undefined for any other string,
 * a negative duration, or a duration that Go cannot represent.
 */
export function parseGoDuration(text: string): number | undefined {
  const unsigned = text.replace(/^\+/, '');
  if (unsigned === '0') return 0;
  let ms = 0;
  NUMBER_AND_UNIT.lastIndex = 0;
  while (NUMBER_AND_UNIT.lastIndex < unsigned.length) {
    const match = NUMBER_AND_UNIT.exec(unsigned);
    if (match === null) return undefined;
    ms += Number(match[1]) * (UNITS[match[2] ?? ''] ?? Number.NaN);
  }
  return unsigned === '' || ms >= MAX_MS ? undefined : ms;
}
