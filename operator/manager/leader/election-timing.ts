import { hostname } from 'node:os';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import { ConfigurationError } from '../../core/errors.ts';

/**
 * The durations of an election. They decide how soon another process leads after a failure, and how reliably
 * no two processes lead at the same time.
 */
export interface ElectionTiming {
  /**
   * Milliseconds that other processes wait before they take over a Lease that does not change. Whole seconds.
   * Default 15,000.
   */
  readonly leaseDurationMs: number;
  /** Milliseconds that a leader continues after its last successful renewal. Default 10,000. */
  readonly renewDeadlineMs: number;
  /** Milliseconds between two renewals, and the minimum between two attempts to acquire. Default 2,000. */
  readonly retryPeriodMs: number;
}

/** The defaults of client-go and controller-runtime. */
const DEFAULT_ELECTION_TIMING: ElectionTiming = {
  leaseDurationMs: 15_000,
  renewDeadlineMs: 10_000,
  retryPeriodMs: 2_000,
};

/**
 * The wait between two attempts to acquire is extended randomly by up to this multiple of the retry period,
 * so that the attempts of standbys are spread out.
 */
export const RETRY_JITTER = 1.2;

/**
 * Another process may begin to act up to this many milliseconds earlier than this process expects. So
 * leadership must end this much before the Lease expires.
 */
export const SAFETY_MARGIN_MS = 1_000;

const MIN_MS = 1_000;
/** `leaseDurationSeconds` is an int32. */
const MAX_LEASE_MS = (2 ** 31 - 1) * 1_000;

/**
 * Returns `timing` with defaults filled in, after checking that a leader can work with it. Each duration is
 * at least 1 s. `leaseDuration` is in whole seconds. `leaseDuration` ≥ `renewDeadline` + 1 s, so that writes
 * that have started can end. `renewDeadline` > 1.2 × `retryPeriod`, so that one renewal may fail.
 *
 * @throws ConfigurationError `CONFIG` with the rule that is broken.
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
 * The identity of a process in a Lease: `<hostname>_<uuid>`. The uuid is new in every call, so call this once
 * per process: a restarted process must not treat the Lease of its predecessor as its own.
 */
export function leaderIdentity(host: string = hostname()): string {
  return `${host}_${nodeCrypto().randomUUID()}`;
}
