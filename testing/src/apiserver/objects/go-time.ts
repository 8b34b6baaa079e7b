/** One element of a layout of Go's `time` package, and the pattern that it accepts. */
type Part = readonly [pattern: RegExp, layout: string];

const UP_TO_SECONDS: readonly Part[] = [
  [/^\d{4}/, '2006'],
  [/^-/, '-'],
  [/^\d\d/, '01'],
  [/^-/, '-'],
  [/^\d\d/, '02'],
  [/^T/, 'T'],
  [/^\d\d/, '15'],
  [/^:/, ':'],
  [/^\d\d/, '04'],
  [/^:/, ':'],
  [/^\d\d/, '05'],
];
const ZONE: Part = [/^(?:Z|[+-]\d\d:\d\d)/, 'Z07:00'];

const RFC3339 = '2006-01-02T15:04:05Z07:00';
const RFC3339_PARTS: readonly Part[] = [...UP_TO_SECONDS, [/^(?:[.,]\d+)?/, ''], ZONE];

const MICRO = '2006-01-02T15:04:05.000000Z07:00';
const MICRO_PARTS: readonly Part[] = [...UP_TO_SECONDS, [/^[.,]\d{6}(?!\d)/, '.000000'], ZONE];

const LIMITS: Readonly<Record<string, readonly [low: number, high: number, name: string]>> = {
  '01': [1, 12, 'month'],
  '15': [0, 23, 'hour'],
  '04': [0, 59, 'minute'],
  '05': [0, 59, 'second'],
};

/** The result of parsing a time like Go: the time in Go's format, or Go's error message. */
export type GoTime = { readonly text: string } | { readonly problem: string };

/** Parses a metav1.Time: any RFC 3339 time. The result is in UTC, with whole seconds. */
export function goTime(text: string): GoTime {
  const problem = problemOf(text, RFC3339, RFC3339_PARTS);
  if (problem !== undefined) return { problem };
  return { text: `${inUtc(text).slice(0, 19)}Z` };
}

/** Parses a metav1.MicroTime, which must have exactly six digits after the second. The result is in UTC. */
export function goMicroTime(text: string): GoTime {
  const problem = problemOf(text, MICRO, MICRO_PARTS);
  if (problem !== undefined) return { problem };
  return { text: `${inUtc(text).slice(0, 19)}.${text.slice(20, 26)}Z` };
}

function inUtc(text: string): string {
  const zone = /(?:Z|[+-]\d\d:\d\d)$/.exec(text)?.[0] ?? 'Z';
  return new Date(`${text.slice(0, 19)}${zone}`).toISOString();
}

function problemOf(text: string, layout: string, parts: readonly Part[]): string | undefined {
  const parsing = `parsing time ${JSON.stringify(text)}`;
  let rest = text;
  for (const [pattern, part] of parts) {
    const match = pattern.exec(rest);
    if (match === null) {
      const [found, wanted] = [JSON.stringify(rest), JSON.stringify(part)];
      return `${parsing} as "${layout}": cannot parse ${found} as ${wanted}`;
    }
    const [low, high, name] = LIMITS[part] ?? [];
    const value = Number(match[0]);
    if (low !== undefined && high !== undefined && (value < low || value > high)) {
      return `${parsing}: ${name} out of range`;
    }
    rest = rest.slice(match[0].length);
  }
  if (rest !== '') return `${parsing}: extra text: ${JSON.stringify(rest)}`;
  const [year, month, day] = text.slice(0, 10).split('-').map(Number);
  const days = new Date(Date.UTC(year ?? 0, month ?? 1, 0)).getUTCDate();
  return (day ?? 0) < 1 || (day ?? 0) > days ? `${parsing}: day out of range` : undefined;
}
