/** Prometheus' syntax of durations, from the longest unit to the shortest: `1h30m`. */
export const DURATION: string =
  '^([0-9]+y)?([0-9]+w)?([0-9]+d)?([0-9]+h)?([0-9]+m)?([0-9]+s)?([0-9]+ms)?$';

const SECOND_MS = 1_000;
const DAY_MS = 86_400 * SECOND_MS;

const UNIT_MS: Readonly<Record<string, number>> = {
  y: 365 * DAY_MS,
  w: 7 * DAY_MS,
  d: DAY_MS,
  h: 3_600 * SECOND_MS,
  m: 60 * SECOND_MS,
  s: SECOND_MS,
  ms: 1,
};

/** The milliseconds of a text that `DURATION` matches. */
export function durationMs(text: string): number {
  return [...text.matchAll(/([0-9]+)([a-z]+)/g)].reduce(
    (sum, [, count, unit = '']) => sum + Number(count) * (UNIT_MS[unit] ?? 0),
    0,
  );
}

/** What fits into Go's `time.Duration`, in nanoseconds: some 292 years. */
const LONGEST_MS = 2 ** 63 / 1_000_000;

/** Why Prometheus would not take it: for a duration out of range it refuses its whole configuration. */
export function durationProblem(name: string, text: string): string | undefined {
  const ms = durationMs(text);
  if (ms === 0) return `${name} is 0`;
  return ms < LONGEST_MS ? undefined : `${name} is longer than Prometheus can count`;
}
