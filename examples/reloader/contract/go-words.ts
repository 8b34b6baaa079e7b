/** Words as Go reads them: booleans and durations. */

/** As `strconv.ParseBool` of Go; undefined for any other text. */
export function parseGoBoolean(text: string): boolean | undefined {
  if (/^(?:1|t|T|true|True|TRUE)$/.test(text)) return true;
  if (/^(?:0|f|F|false|False|FALSE)$/.test(text)) return false;
  return undefined;
}

/** The longest duration that any setting accepts: 366 days. A longer one is most likely a mistake. */
export const MAX_DURATION_MS: number = 366 * 86_400_000;

/** What durations look like, for messages. */
const ACCEPTED = 'a duration such as 90s, 5m or 1h30m';

const UNIT_NS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  '\u00b5s': 1e3, // micro sign
  '\u03bcs': 1e3, // Greek mu
  ms: 1e6,
  s: 1e9,
  m: 60e9,
  h: 3600e9,
};

const UNIT = '(?:ns|us|\u00b5s|\u03bcs|ms|s|m|h)';
const DURATION = new RegExp(`^[+-]?(?:(?:\\d+(?:\\.\\d*)?|\\.\\d+)${UNIT})+$`);
const PART = new RegExp(`(\\d+(?:\\.\\d*)?|\\.\\d+)(${UNIT})`, 'g');

/** Longer texts are refused before a pattern looks at them. */
const MAX_CHARACTERS = 100;

/** A duration in whole milliseconds, or why a text is none. */
export type DurationResult = { readonly ms: number } | { readonly problem: string };

/**
 * A duration as `time.ParseDuration` of Go reads it: `300ms`, `1.5h`, `1h30m`, `0`. Parts of a millisecond are
 * dropped. A duration above 0 and below one millisecond counts as one millisecond.
 *
 * @param bounds - in milliseconds, both included. Default: 0 to 366 days.
 */
export function parseGoDuration(
  text: string,
  { minMs = 0, maxMs = MAX_DURATION_MS }: { readonly minMs?: number; readonly maxMs?: number } = {},
): DurationResult {
  const accepted = `${ACCEPTED}, from ${formatGoDuration(minMs)} to ${formatGoDuration(maxMs)}`;
  const ns = text.length > MAX_CHARACTERS ? undefined : nanoseconds(text);
  if (ns === undefined) return { problem: `must be ${accepted}` };
  const ms = ns > 0 && ns < 1e6 ? 1 : Math.floor(ns / 1e6);
  if (ms < minMs || ms > maxMs) return { problem: `must be ${accepted}` };
  return { ms };
}

function nanoseconds(text: string): number | undefined {
  if (/^[+-]?0$/.test(text)) return 0;
  if (!DURATION.test(text)) return undefined;
  let sum = 0;
  for (const [, count = '', unit = ''] of text.matchAll(PART)) {
    sum += Number(count) * (UNIT_NS[unit] ?? 0);
  }
  return text.startsWith('-') && sum > 0 ? -sum : sum;
}

/** Milliseconds as Go writes a duration, without parts that are zero: `1h30m`, `2s`, `0s`. */
export function formatGoDuration(ms: number): string {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1_000;
  const parts = [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`];
  return parts.filter(Boolean).join('') || '0s';
}
