/** The number of nanoseconds in each unit. */
const UNITS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n, // U+00B5
  μs: 1_000n, // U+03BC
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

const PART = /(?:(\d+)(?:\.(\d*))?|\.(\d+))(ns|us|µs|μs|ms|s|m|h)/y;

/**
 * A duration as Go writes it after reading `text`: `90s` becomes `1m30s`, `0.5s` becomes `500ms`.
 * Undefined for a text that Go cannot read.
 */
export function goDurationText(text: string): string | undefined {
  const sign = /^[+-]?/.exec(text)?.[0] ?? '';
  const nanoseconds = nanosecondsIn(text.slice(sign.length));
  if (nanoseconds === undefined) return undefined;
  if (nanoseconds === 0n) return '0s';
  return `${sign === '-' ? '-' : ''}${written(nanoseconds)}`;
}

function nanosecondsIn(text: string): bigint | undefined {
  if (text === '0') return 0n;
  let sum = 0n;
  PART.lastIndex = 0;
  while (PART.lastIndex < text.length) {
    const match = PART.exec(text);
    if (match === null) return undefined;
    const [, whole = '0', fraction = match[3] ?? '', , unit = ''] = match;
    const nanosecondsOfUnit = UNITS[unit] ?? 0n;
    sum += BigInt(whole) * nanosecondsOfUnit;
    sum += (BigInt(fraction || '0') * nanosecondsOfUnit) / 10n ** BigInt(fraction.length);
  }
  return text === '' ? undefined : sum;
}

/**
 * A duration as Go prints it. Below a second, the largest unit that fits is used. Longer durations
 * are written in hours, minutes and seconds without leading zeros.
 */
function written(nanoseconds: bigint): string {
  if (nanoseconds < 1_000n) return `${nanoseconds}ns`;
  if (nanoseconds < 1_000_000n) return decimal(nanoseconds, 3, 'µs');
  if (nanoseconds < 1_000_000_000n) return decimal(nanoseconds, 6, 'ms');
  const minutes = nanoseconds / 60_000_000_000n;
  const seconds = decimal(nanoseconds % 60_000_000_000n, 9, 's');
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

function decimal(nanoseconds: bigint, digits: number, unit: string): string {
  const unitOf = 10n ** BigInt(digits);
  const fraction = String(nanoseconds % unitOf)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${nanoseconds / unitOf}${fraction === '' ? '' : `.${fraction}`}${unit}`;
}
