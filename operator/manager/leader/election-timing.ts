import { hostname } from 'node:os';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { ConfigurationError } from '../../core/errors.ts';

/** How fast leadership is lost, and how sure it is that only one process leads. */
export interface ElectionTiming {
  /** How long others leave a record alone that does not change. Whole seconds. Default 15,000. */
  readonly leaseDurationMs: number;
  /** How long after its last good renewal a leader goes on. Default 10,000. */
  readonly renewDeadlineMs: number;
  /** Between two renewals, and at least between two attempts to acquire. Default 2,000. */
  readonly retryPeriodMs: number;
}

/** Those of client-go and controller-runtime. */
const DEFAULT_ELECTION_TIMING: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/** An attempt to acquire waits up to so many times the retry period longer, so that standbys spread. */
export const RETRY_JITTER = 1.2;

/** Another process may be so far ahead of us: what ends later may end after its first write. */
export const SAFETY_MARGIN_MS = 1_000;

const MIN_MS = 1_000;
/** `leaseDurationSeconds` is an int32. */
const MAX_LEASE_MS = (2 ** 31 - 1) * 1_000;

/**
 * `timing` with its defaults, when a leader can live by it: every time at least 1 s, the lease in
 * whole seconds, leaseDuration ≥ renewDeadline + 1 s (in which writes under way end), and
 * renewDeadline > 1.2 × retryPeriod (so that one renewal may fail).
 *
 * @throws ConfigurationError `CONFIG` that says what is wrong.
 */
export function electionTiming({
  leaseDurationMs = DEFAULT_ELECTION_TIMING.leaseDurationMs,
  renewDeadlineMs = DEFAULT_ELECTION_TIMING.renewDeadlineMs,
  retryPeriodMs = DEFAULT_ELECTION_TIMING.retryPeriodMs,
}: Partial<ElectionTiming>): ElectionTiming {
  const whole = { leaseDurationMs, renewDeadlineMs, retryPeriodMs };
  const rules: readonly (readonly [holds: boolean, rule: string])[] = [
    ...Object.entries(whole).map(
      ([name, ms]) =>
        [ms >= MIN_MS && ms < Infinity, `${name} must be at least ${MIN_MS}`] as const,
    ),
    [
      leaseDurationMs % 1_000 === 0 && leaseDurationMs <= MAX_LEASE_MS,
      'leaseDurationMs must be whole seconds that fit into 32 bits',
    ],
    [
      leaseDurationMs >= renewDeadlineMs + SAFETY_MARGIN_MS,
      `leaseDurationMs must exceed renewDeadlineMs by at least ${SAFETY_MARGIN_MS}`,
    ],
    [
      renewDeadlineMs > RETRY_JITTER * retryPeriodMs,
      `renewDeadlineMs must exceed ${RETRY_JITTER} × retryPeriodMs`,
    ],
  ];
  const broken = rules.find(([holds]) => !holds);
  if (broken !== undefined) throw new ConfigurationError(broken[1], { context: { ...whole } });
  return whole;
}

/**
 * What a process calls itself in a Lease: `<hostname>_<uuid>`. The uuid is new in every call, so call
 * it once per process: a restarted one must not take what its predecessor held for its own.
 */
export function leaderIdentity(host: string = hostname()): string {
  return `${host}_${nodeCrypto().randomUUID()}`;
}
