/** Without a usable answer to "when": sooner would be a loop. */
const SHORTEST_MS = 1_000;

/** A hook that asks for more is called again after this time. */
const LONGEST_MS = 60 * 60_000;

/** RFC 1123: `Mon, 02 Jan 2006 15:04:05 GMT`. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} (?:GMT|UTC)$/;

/**
 * Milliseconds until the next call that a header `Retry-After` asks for: seconds, or a date. At least 1 s, also
 * without a header, for another text, and for a time that is over; at most an hour.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const wantedMs = wantedDelayMs(header?.trim() ?? '', nowMs);
  return Number.isNaN(wantedMs)
    ? SHORTEST_MS
    : Math.min(Math.max(wantedMs, SHORTEST_MS), LONGEST_MS);
}

function wantedDelayMs(text: string, nowMs: number): number {
  if (/^[+-]?\d+$/.test(text)) return Number(text) * 1_000;
  return DATE.test(text) ? Date.parse(text) - nowMs : Number.NaN;
}
