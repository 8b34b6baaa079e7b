import type { Clock } from '../../core/clock.ts';
import { type ElectionTiming, SAFETY_MARGIN_MS } from './election-timing.ts';

/** Both readings of a clock at one moment. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

/** Why a tenure is over: nothing was renewed for too long, or the machine was suspended meanwhile. */
export type TenureEnd =
  | { readonly kind: 'expired'; readonly lateMs: number }
  | { readonly kind: 'suspended'; readonly forMs: number };

/** A suspended machine stops the monotonic clock, not the wall; a corrected wall clock moves less. */
const SUSPENDED_MS = 2_000;

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/**
 * How long a leader may act, by its own clock: from the beginning of its last good renewal, because
 * nobody else can have seen that one earlier.
 */
export class Tenure {
  readonly #timing: ElectionTiming;
  #since: Moment;

  /** @param since - when the request began that made the Lease ours. */
  constructor(timing: ElectionTiming, since: Moment) {
    this.#timing = timing;
    this.#since = since;
  }

  /** @param since - when the renewal began that has succeeded now. */
  renew(since: Moment): void {
    this.#since = since;
  }

  /** From then on nothing may begin. */
  get safeUntil(): number {
    return this.#since.monotonicMs + this.#timing.renewDeadlineMs;
  }

  /** By then everything must be over that has begun: a second later another may lead. */
  get cutOffAt(): number {
    return this.expiresAt - SAFETY_MARGIN_MS;
  }

  /** From then on another may lead. */
  get expiresAt(): number {
    return this.#since.monotonicMs + this.#timing.leaseDurationMs;
  }

  /** Undefined while it lasts. */
  endAt(now: Moment): TenureEnd | undefined {
    const forMs = now.wallMs - this.#since.wallMs - (now.monotonicMs - this.#since.monotonicMs);
    if (forMs > SUSPENDED_MS) return { kind: 'suspended', forMs };
    const lateMs = now.monotonicMs - this.safeUntil;
    return lateMs >= 0 ? { kind: 'expired', lateMs } : undefined;
  }
}
