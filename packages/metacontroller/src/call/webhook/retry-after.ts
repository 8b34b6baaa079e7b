import { parseRetryAfter } from 'chancery/internal';

/** Without a usable answer to "when": sooner would be a loop. */
const SHORTEST_MS = 1_000;

/** A hook that asks for more is called again after this time. */
const LONGEST_MS = 60 * 60_000;

/**
 * Milliseconds until the next call that a header `Retry-After` asks for: seconds, or a date. At least 1 s, also
 * without a header, for another text, and for a time that is over; at most an hour.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const wantedMs = parseRetryAfter(header, nowMs) ?? SHORTEST_MS;
  return Math.min(Math.max(wantedMs, SHORTEST_MS), LONGEST_MS);
}
