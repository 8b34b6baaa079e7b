/** How fast a controller is. All times are milliseconds on the server's clock. */
export interface Pace {
  /** From an event until the controller looks at what the event concerns. */
  readonly reactionMs: number;
  /** For how long each write keeps it from looking at the same object again. */
  readonly writeMs: number;
  /** By how much its very first look is later: connections and caches are cold. Default 0. */
  readonly coldMs?: number;
  /** True for one worker in all: a write holds up every object. Default: one worker an object. */
  readonly serial?: boolean;
}

/** Everything on the clock's next turn. */
export const NO_PACE: Pace = { reactionMs: 0, writeMs: 0 };

/** The controllers that have a pace of their own; the others have that of `other`. */
export type PacedController =
  | 'deployment'
  | 'replicaSet'
  | 'scheduler'
  | 'kubelet'
  | 'garbageCollector'
  | 'namespace'
  | 'other';

/**
 * Taken from recordings of a kube-controller-manager v1.36 on an idle machine: with these, objects
 * go through the recorded states in the recorded order, and are in them at the recorded moments.
 */
export const RECORDED_PACES: Readonly<Record<PacedController, Pace>> = {
  deployment: { reactionMs: 3, writeMs: 3, coldMs: 20 },
  replicaSet: { reactionMs: 3, writeMs: 4 },
  scheduler: { reactionMs: 3, writeMs: 5, serial: true },
  kubelet: { reactionMs: 2.5, writeMs: 3.4, serial: true },
  garbageCollector: { reactionMs: 6, writeMs: 2.2, serial: true },
  // A real one waits 5 s before it looks, for slow caches; only that it waits is kept of it.
  namespace: { reactionMs: 100, writeMs: 3 },
  other: { reactionMs: 3, writeMs: 3 },
};

/** Everything as fast as the clock turns, for tests that do not care what happens in between. */
export const INSTANT_PACES: Readonly<Record<PacedController, Pace>> = {
  deployment: NO_PACE,
  replicaSet: NO_PACE,
  scheduler: NO_PACE,
  kubelet: NO_PACE,
  garbageCollector: NO_PACE,
  namespace: NO_PACE,
  other: NO_PACE,
};

/** What client-go calls QPS and burst: how much a controller may write. */
export interface WriteLimit {
  readonly perSecond: number;
  /** Writes that may be saved up. */
  readonly burst: number;
}

/** A bucket of writes that fills with time. It may be overdrawn by one look at an object. */
export class WriteBudget {
  readonly #limit: WriteLimit;
  #left: number;
  #countedAtMs = 0;

  constructor(limit: WriteLimit) {
    this.#limit = limit;
    this.#left = limit.burst;
  }

  /** Milliseconds until there is a write to spend; 0 when there is one. */
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
