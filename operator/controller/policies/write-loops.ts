import type { Clock } from '../../core/clock.ts';
import { type ObjectKey, objectKey } from '../../model/object.ts';
import { type Resource, resourceName } from '../../model/resource.ts';
import type { AcceptedWrite, AttemptOutcome, Cause, KeyPolicy } from './key-gate.ts';

/**
 * A turn of a loop is an attempt that writes, and that was caused only by changes of objects that the
 * attempt before it wrote. A loop is more than 30 writes of one object in such turns within a minute. A
 * loop makes hundreds of turns a minute, so it is found within seconds. A roll-out is no loop: the
 * reconciler writes the parent's status because others change the children. A reconciler that makes
 * progress in such turns has finished by then, or is slowed to one turn a second.
 */
const LOOP = { writes: 30, withinMs: 60_000 } as const;

/** Intervals at which a looping key is reconciled, doubled with each turn. */
const SLOWED_MS = { first: 1_000, last: 5 * 60_000 } as const;

/** Number of remembered keys: those that wrote in their last attempt. */
const MAX_KEYS = 10_000;

/** Maximum number of recorded causes of an attempt. An attempt with more is not a turn. */
const MAX_CAUSES = 100;

interface Watched {
  startedAt: number;
  /** Objects whose changes have enqueued the key since the last attempt began. */
  causes: Set<string>;
  /** Objects that the last attempt wrote; `writing` are those of the running attempt. */
  written: Set<string>;
  writing: Set<string>;
  /** True if only the key's own writes caused this attempt. */
  isTurn: boolean;
  /** For each object, the times at which it was written in turns. */
  readonly turnsAt: Map<string, readonly number[]>;
  /** Minimum milliseconds between the starts of two attempts; 0 unless the key loops. */
  intervalMs: number;
  toldAt: number;
}

/** Minimum milliseconds between two log lines about one looping key. */
const LINE_MS = 10 * 60_000;

const REMEDY = 'write only what differs, and nothing that changes each time, such as a time';

/** Slows down keys that are repeatedly reconciled because of their own writes. */
export class WriteLoops implements KeyPolicy {
  readonly #clock: Clock;
  readonly #looped: () => void;
  /** Only keys that wrote in their last or running attempt, in the order in which the attempts ended. */
  readonly #watched = new Map<ObjectKey, Watched>();

  /** @param looped - counts one more turn of a loop. */
  constructor(clock: Clock, looped: () => void) {
    this.#clock = clock;
    this.#looped = looped;
  }

  changed(key: ObjectKey, { resource, change }: Cause): void {
    const watched = this.#watched.get(key);
    if (watched === undefined || watched.causes.size >= MAX_CAUSES) return;
    watched.causes.add(objectName(resource, change.key));
  }

  delayMs(key: ObjectKey): number {
    const { startedAt = 0, intervalMs = 0 } = this.#watched.get(key) ?? {};
    return intervalMs === 0 ? 0 : Math.max(0, startedAt + intervalMs - this.#clock.monotonic());
  }

  started(key: ObjectKey): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    const { causes, written } = watched;
    watched.startedAt = this.#clock.monotonic();
    watched.isTurn =
      causes.size > 0 && causes.size < MAX_CAUSES && [...causes].every((each) => written.has(each));
    watched.causes = new Set();
    watched.writing = new Set();
  }

  wrote(key: ObjectKey, { resource, namespace, name, hasChanged }: AcceptedWrite): void {
    if (!hasChanged) return;
    const watched = this.#watched.get(key) ?? this.#watch(key);
    watched.writing.add(objectName(resource, objectKey(namespace, name)));
  }

  finished(key: ObjectKey, outcome: AttemptOutcome): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#watched.delete(key);
    watched.written = watched.writing;
    if (watched.written.size === 0) return; // the attempt wrote nothing: forget the key
    this.#watched.set(key, watched);
    if (!watched.isTurn) {
      watched.intervalMs = 0;
      return;
    }
    const { object, writes } = this.#countTurn(watched);
    if (watched.intervalMs === 0 && writes <= LOOP.writes) return;
    const nextMs = Math.max(SLOWED_MS.first, watched.intervalMs * 2);
    watched.intervalMs = Math.min(nextMs, SLOWED_MS.last);
    this.#looped();
    this.#tell(watched, object, writes, outcome);
  }

  #tell(watched: Watched, object: string, writes: number, { log, warn }: AttemptOutcome): void {
    const { intervalMs } = watched;
    const now = this.#clock.monotonic();
    if (now - watched.toldAt >= LINE_MS) {
      watched.toldAt = now;
      const facts = { object, writes, intervalMs, remedy: REMEDY };
      log.warn(facts, 'reconcile is caused by its own writes, it is slowed');
    }
    warn('WriteLoop', `every reconcile changes ${object} and is caused by that change`);
  }

  #watch(key: ObjectKey): Watched {
    const watched: Watched = {
      startedAt: this.#clock.monotonic(),
      causes: new Set(),
      written: new Set(),
      writing: new Set(),
      isTurn: false,
      turnsAt: new Map(),
      intervalMs: 0,
      toldAt: Number.NEGATIVE_INFINITY,
    };
    this.#watched.set(key, watched);
    const [oldest] = this.#watched.keys();
    if (this.#watched.size > MAX_KEYS && oldest !== undefined) this.#watched.delete(oldest);
    return watched;
  }

  /** Records the writes of this turn. Returns the object that was written most often. */
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

/** Identifies an object, to compare the objects of writes with those of changes. */
function objectName(resource: Resource, key: ObjectKey): string {
  return `${resourceName(resource)} ${key}`;
}
