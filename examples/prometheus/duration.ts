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
