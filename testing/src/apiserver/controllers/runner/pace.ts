/** The speed of a controller. All times are milliseconds on the server's clock. */
export interface Pace {
  /** The delay from an event until the controller reconciles the object. */
  readonly reactionMs: number;
  /** How long each write delays the next reconcile of the same object. */
  readonly writeMs: number;
  /**
   * The additional delay of the first reconcile, when connections and caches are cold. Default 0.
   */
  readonly coldMs?: number;
  /**
   * True for a single worker, so that a write delays every object. Default: one worker per object.
   */
  readonly serial?: boolean;
}

/** A pace without delays: everything happens in the clock's next turn. */
export const NO_PACE: Pace = { reactionMs: 0, writeMs: 0 };

/** The controllers with a separate pace. All other controllers use the pace of `other`. */
export type PacedController =
  | 'deployment'
  | 'replicaSet'
  | 'scheduler'
  | 'kubelet'
  | 'garbageCollector'
  | 'namespace'
  | 'other';

/**
 * The paces that were measured in recordings of kube-controller-manager v1.36 on an idle machine.
 * With these paces, objects pass through the recorded states in the recorded order and at the
 * recorded times.
 */
export const RECORDED_PACES: Readonly<Record<PacedController, Pace>> = {
  deployment: { reactionMs: 3, writeMs: 3, coldMs: 20 },
  replicaSet: { reactionMs: 3, writeMs: 4 },
  scheduler: { reactionMs: 3, writeMs: 5, serial: true },
  kubelet: { reactionMs: 2.5, writeMs: 3.4, serial: true },
  garbageCollector: { reactionMs: 6, writeMs: 2.2, serial: true },
  // The real controller waits 5 s for slow caches before it acts. This controller waits, too, but for a
  // shorter time.
  namespace: { reactionMs: 100, writeMs: 3 },
  other: { reactionMs: 3, writeMs: 3 },
};

/** The paces of controllers without delays, for tests that do not check intermediate states. */
export const INSTANT_PACES: Readonly<Record<PacedController, Pace>> = {
  deployment: NO_PACE,
  replicaSet: NO_PACE,
  scheduler: NO_PACE,
  kubelet: NO_PACE,
  garbageCollector: NO_PACE,
  namespace: NO_PACE,
  other: NO_PACE,
};

/** How much a controller may write. client-go calls these values QPS and burst. */
export interface WriteLimit {
  readonly perSecond: number;
  /** How many writes can be saved up while fewer are used than the limit allows. */
  readonly burst: number;
}

/** A budget of writes that refills with time. A single reconcile may overdraw it. */
export class WriteBudget {
  readonly #limit: WriteLimit;
  #left: number;
  #countedAtMs = 0;

  constructor(limit: WriteLimit) {
    this.#limit = limit;
    this.#left = limit.burst;
  }

  /** Returns the milliseconds until a write is allowed; 0 if a write is allowed now. */
  waitMs(nowMs: number): number {
    this.#fill(nowMs);
    return this.#left >= 1 ? 0 : ((1 - this.#left) * 1_000) / this.#limit.perSecond;
  }

  spend(writes: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#left -= writes;
  }

  #fill(nowMs: number): void {
    const { perSecond, burst } = this.#limit;
    const gained = ((nowMs - this.#countedAtMs) * perSecond) / 1_000;
    this.#left = Math.min(this.#left + Math.max(gained, 0), burst);
    this.#countedAtMs = nowMs;
  }
}
