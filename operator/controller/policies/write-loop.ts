import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';

/**
 * What a loop is. An attempt that was caused by nothing but changes of objects that the attempt before
 * it had written, and that writes again, is one turn; more than 30 writes of one object in such turns
 * within a minute are a loop. A roll-out is none: there the children change, which others write, and
 * what is written is the parent's status. A loop makes hundreds a minute, so that it is found in
 * seconds; a reconciler that makes progress in such turns has been done by then, or is slowed to one
 * a second, no more.
 */
const LOOP = { writes: 30, withinMs: 60_000 } as const;

/** The first interval at which a looping key is reconciled; doubled with each turn, up to the last. */
const SLOWED_MS = { first: 1_000, last: 5 * 60_000 } as const;

/** Keys that are remembered: what wrote in its last attempt, or lately in turns. */
const MAX_KEYS = 10_000;

/** Causes that are told apart for one attempt; with more, it was not caused by a few own writes. */
const MAX_CAUSES = 100;

interface Watched {
  /** Since the last attempt began: objects that changed, and had the key enqueued. */
  causes: Set<string>;
  /** What the last attempt wrote, and what this one has so far. */
  written: Set<string>;
  writing: Set<string>;
  /** This attempt is caused by own writes alone. */
  isTurn: boolean;
  /** By object, when it was written in turns. */
  readonly turnsAt: Map<string, readonly number[]>;
  intervalMs: number;
}

/** A loop goes on. */
export interface LoopTurn {
  /** Which object is written again and again. */
  readonly object: string;
  readonly writes: number;
  /** From now on the key waits so long between attempts. */
  readonly intervalMs: number;
}

/**
 * Finds keys that are reconciled again and again because of what their reconciles write. Objects are
 * named by texts of the caller's.
 */
export class WriteLoops {
  readonly #clock: Clock;
  /** Only keys that have written; the one that ended an attempt last is the last. */
  readonly #watched = new Map<ObjectKey, Watched>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** A change of `object` has `key` enqueued. Undefined: it was no change that did. */
  caused(key: ObjectKey, object: () => string | undefined): void {
    const watched = this.#watched.get(key);
    if (watched === undefined || watched.causes.size >= MAX_CAUSES) return;
    watched.causes.add(object() ?? '');
  }

  began(key: ObjectKey): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    const { causes, written } = watched;
    watched.isTurn =
      causes.size > 0 && causes.size < MAX_CAUSES && [...causes].every((each) => written.has(each));
    watched.causes = new Set();
    watched.writing = new Set();
  }

  /** The attempt of `key` that is under way has changed `object` on the server. */
  wrote(key: ObjectKey, object: string): void {
    const watched = this.#watched.get(key) ?? this.#watch(key);
    watched.writing.add(object);
  }

  /** @returns undefined, unless the attempt was one more turn of a loop. */
  ended(key: ObjectKey): LoopTurn | undefined {
    const watched = this.#watched.get(key);
    if (watched === undefined) return undefined;
    this.#watched.delete(key);
    watched.written = watched.writing;
    if (watched.written.size === 0) return undefined; // quiet: all is forgotten
    this.#watched.set(key, watched);
    if (!watched.isTurn) {
      watched.intervalMs = 0;
      return undefined;
    }
    const { object, writes } = this.#countTurn(watched);
    if (watched.intervalMs === 0 && writes <= LOOP.writes) return undefined;
    const nextMs = Math.max(SLOWED_MS.first, watched.intervalMs * 2);
    watched.intervalMs = Math.min(nextMs, SLOWED_MS.last);
    return { object, writes, intervalMs: watched.intervalMs };
  }

  #watch(key: ObjectKey): Watched {
    const watched: Watched = {
      causes: new Set(),
      written: new Set(),
      writing: new Set(),
      isTurn: false,
      turnsAt: new Map(),
      intervalMs: 0,
    };
    this.#watched.set(key, watched);
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > MAX_KEYS && oldest !== undefined) this.#watched.delete(oldest);
    return watched;
  }

  /** The object that was written most often. */
  #countTurn({ turnsAt, written }: Watched): { readonly object: string; readonly writes: number } {
    const now = this.#clock.monotonic();
    let most = { object: '', writes: 0 };
    for (const object of written) {
      const recent = (turnsAt.get(object) ?? []).filter((at) => now - at < LOOP.withinMs);
      turnsAt.set(object, [...recent, now]);
      if (recent.length >= most.writes) most = { object, writes: recent.length + 1 };
    }
    for (const [object, at] of turnsAt) {
      if (now - (at.at(-1) ?? 0) >= LOOP.withinMs) turnsAt.delete(object);
    }
    return most;
  }
}
