import { parseRetryAfter } from 'chancery/internal';

/**
 * Minimum delay. It also applies without a usable header, so that the calls do not become a busy
 * loop.
 */
const SHORTEST_MS = 1_000;

/** Maximum delay. It also applies when a hook requests a longer delay. */
const LONGEST_MS = 60 * 60_000;

/**
 * Milliseconds until the next call, from a header `Retry-After`, which contains seconds or a date.
 * The result is at least 1 s, even if the header is missing, invalid or in the past, and at most an
 * hour.
 */
export function retryAfterMs(header: string | undefined, nowMs: number): number {
  const wantedMs = parseRetryAfter(header, nowMs) ?? SHORTEST_MS;
  return Math.min(Math.max(wantedMs, SHORTEST_MS), LONGEST_MS);
}
