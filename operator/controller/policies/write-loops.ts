import type { Clock } from '../../core/clock.ts';
import { type ObjectKey, splitKey } from '../../model/object.ts';
import { WriteFightError } from '../errors.ts';
import type {
  AcceptedWrite,
  AttemptOutcome,
  Cause,
  Fight,
  KeyPolicy,
  WrittenObject,
} from './key-gate.ts';
import { nameOfWritten, WriteFights } from './write-fights.ts';

/**
 * A turn of a loop is an attempt that writes something, although only the writes of the previous attempt have
 * caused it. A loop is more than 30 writes of one object in such turns within a minute. A loop makes hundreds
 * of turns a minute, so it is found within seconds. A roll-out is not a loop: the reconciler writes the
 * parent's status because other writers change the children. A reconciler that makes progress in such turns
 * has either finished by then, or is slowed to one turn a second.
 */
const LOOP = { writes: 30, withinMs: 60_000 } as const;

/** Milliseconds between two attempts of a looping key. The delay is doubled with each turn of the loop. */
const SLOWED_MS = { first: 1_000, last: 5 * 60_000 } as const;

/** Maximum number of remembered keys. They are the keys whose last attempt wrote something. */
const MAX_KEYS = 10_000;

/** Maximum number of recorded causes per attempt. An attempt with more causes is no round of a write loop. */
const MAX_CAUSES = 100;

interface Watched {
  startedAt: number;
  /** Objects whose changes have enqueued the key since the last attempt began. */
  causes: Set<string>;
  /**
   * `written`: objects that the last attempt wrote. `writing`: objects that the running attempt has
   * written.
   */
  written: Set<string>;
  writing: Set<string>;
  /** True if nothing but the writes of the previous attempt for this key caused this attempt. */
  isTurn: boolean;
  /** For each object, the times of its writes in rounds of a write loop. */
  readonly turnsAt: Map<string, readonly number[]>;
  /**
   * The fight in which the running attempt has reverted a field. Before the first write of that attempt: the
   * fight of the last attempt.
   */
  fight: Fight | undefined;
  /** True when the last attempt was part of a fight. */
  isFighting: boolean;
  /**
   * Minimum milliseconds between the starts of two attempts. 0 if the key is neither in a loop nor in a
   * fight.
   */
  intervalMs: number;
  toldAt: number;
}

/** Minimum milliseconds between two log lines about one looping key. */
const LINE_MS = 10 * 60_000;

const REMEDY = 'write only what differs, and nothing that changes each time, such as a time';
const FIGHT_REMEDY = 'let one of the writers decide the fields: the other must not state them';

interface Counters {
  /** Counts one round of a write loop, or one write in a fight. `object` is the written object. */
  readonly looped: (key: ObjectKey, object: string) => void;
  /** Counts a write of a fight with another writer. */
  readonly fought: () => void;
}

/**
 * Slows down keys that are reconciled again and again because of what their reconciles write, and keys that
 * are in a fight with another writer: see `WriteFights`. The delay ends with the first attempt that finds
 * nothing to write.
 */
export class WriteLoops implements KeyPolicy {
  readonly name = 'write-loops';
  readonly #clock: Clock;
  readonly #counters: Counters;
  readonly #fights: WriteFights;
  /** The keys with a write in their last or running attempt, ordered by the end of their last attempt. */
  readonly #watched = new Map<ObjectKey, Watched>();

  /** @param controller - the name of the controller, which is also its field manager. */
  constructor(clock: Clock, controller: string, counters: Counters) {
    this.#clock = clock;
    this.#counters = counters;
    this.#fights = new WriteFights(controller);
  }

  changed(key: ObjectKey, { resource, change }: Cause): void {
    const watched = this.#watched.get(key);
    if (watched === undefined || watched.causes.size >= MAX_CAUSES) return;
    watched.causes.add(nameOfWritten({ resource, ...splitKey(change.key) }));
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

  asksForLive(target: WrittenObject): boolean {
    return this.#fights.isSuspected(nameOfWritten(target), this.#clock.monotonic());
  }

  wrote(key: ObjectKey, write: AcceptedWrite): void {
    if (!write.hasChanged) return;
    const watched = this.#watched.get(key) ?? this.#watch(key);
    if (watched.writing.size === 0) watched.fight = undefined;
    watched.writing.add(nameOfWritten(write));
    watched.fight = this.#fights.wrote(write, this.#clock.monotonic()) ?? watched.fight;
  }

  fightOf(key: ObjectKey): Fight | undefined {
    const watched = this.#watched.get(key);
    return watched?.fight && { ...watched.fight, isPast: watched.writing.size === 0 };
  }

  finished(key: ObjectKey, outcome: AttemptOutcome): void {
    const watched = this.#watched.get(key);
    if (watched === undefined) return;
    this.#watched.delete(key);
    watched.written = watched.writing;
    const { fight } = watched;
    if (watched.written.size === 0) {
      if (fight !== undefined) this.#fights.paused(fight.object, this.#clock.monotonic());
      return; // the attempt wrote nothing: forget the key
    }
    this.#watched.set(key, watched);
    const wasFighting = watched.isFighting;
    watched.isFighting = fight !== undefined;
    if (fight !== undefined) {
      watched.intervalMs = fight.intervalMs;
      if (fight.intervalMs === 0) return;
      this.#counters.looped(key, fight.object);
      this.#counters.fought();
      tellFight(fight, outcome);
      return;
    }
    if (!watched.isTurn || wasFighting) watched.intervalMs = 0;
    if (!watched.isTurn) return;
    const { object, writes } = this.#countTurn(watched);
    if (watched.intervalMs === 0 && writes <= LOOP.writes) return;
    const nextMs = Math.max(SLOWED_MS.first, watched.intervalMs * 2);
    watched.intervalMs = Math.min(nextMs, SLOWED_MS.last);
    this.#counters.looped(key, object);
    this.#tell(watched, object, writes, outcome);
  }

  #tell(watched: Watched, object: string, writes: number, { log, warn }: AttemptOutcome): void {
    const { intervalMs } = watched;
    const now = this.#clock.monotonic();
    if (now - watched.toldAt >= LINE_MS) {
      watched.toldAt = now;
      const facts = { object, writes, intervalMs, remedy: REMEDY };
      log.warn(facts, 'reconcile is caused by its own writes; it is slowed down');
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
      fight: undefined,
      isFighting: false,
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

function tellFight(fight: Fight, { log, warn }: AttemptOutcome): void {
  if (fight.isDue) {
    const { object, paths, managers, writes, intervalMs } = fight;
    const facts = { object, paths, managers, writes, intervalMs, remedy: FIGHT_REMEDY };
    log.warn(facts, 'another writer reverts the written fields; reconcile is slowed down');
  }
  warn('WriteFight', new WriteFightError(fight).message);
}
