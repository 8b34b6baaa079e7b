/** Lengths of time as Go writes them: `1h30m`, `90s`, `1.5h`. */

const UNIT_MS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds; undefined for what is no such text, or is less than nothing. */
export function parseDuration(text: string): number | undefined {
  if (text === '0') return 0;
  if (!/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  let sumMs = 0;
  for (const [, count = '', unit = ''] of text.matchAll(/([\d.]+)(ms|s|m|h)/g)) {
    sumMs += Number(count) * (UNIT_MS[unit] ?? 0);
  }
  return Math.round(sumMs);
}
