import type { OrderedQueue, WorkOrder } from '../../controller/run/work-order.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { BeginLine, OutcomeLine, QueuedLine, WakeLine } from '../record-line.ts';
import type { Departures } from './departures.ts';
import type { RecordedRun } from './recorded/recorded-run.ts';
import { ReplayedAttempt } from './replayed-attempt.ts';

/**
 * Milliseconds by which the time when a key is due may differ between record and replay. In a replay, keys
 * are due a little earlier, because processing takes no time, and policies of the process may delay a key for
 * a few more seconds.
 */
const PATIENCE_MS = 5_000;

/** The queue and the workers of one controller. */
interface Line {
  readonly queue: OrderedQueue;
  /** Workers that wait for a key. */
  readonly free: ((key: ObjectKey | undefined) => void)[];
  /** Recorded attempts that should have begun in the replay, but have not begun. */
  due: BeginLine[];
  /** Number of additional workers. They replace workers that are occupied by abandoned attempts. */
  spare: number;
  /** For each ready key, the time when the replay first noticed that it is ready. */
  readonly readyAt: Map<ObjectKey, number>;
}

interface RecordedOrderOptions {
  readonly run: RecordedRun;
  readonly departures: Departures;
  readonly hasSecrets: boolean;
  readonly now: () => number;
  /** True when the controllers were already working when the record began. */
  readonly isContinued: boolean;
}

/** Hands out each key at the time when its recorded attempt began. */
export class RecordedOrder {
  readonly #options: RecordedOrderOptions;
  readonly #lines = new Map<string, Line>();
  readonly #running = new Map<string, ReplayedAttempt>();
  /**
   * Attempts that had begun before the record and that are not compared. Each of their keys is held until the
   * recorded end of the attempt.
   */
  readonly #unseen = new Map<number, BeginLine>();
  /** Recorded attempts of controllers that have not started in the replay. */
  readonly #early = new Map<string, BeginLine[]>();
  /** Times of the recorded attempts for each key, in order. */
  readonly #begins = new Map<string, number[]>();
  #handedOut = 0;
  #closed = false;
  #isContinued: boolean;
  #terms = 0;

  constructor(options: RecordedOrderOptions) {
    this.#options = options;
    this.#isContinued = options.isContinued;
    for (const { begin } of options.run.attempts.values()) {
      const id = idOf(begin.controller, begin.key);
      const times = this.#begins.get(id);
      if (times === undefined) this.#begins.set(id, [begin.at]);
      else times.push(begin.at);
    }
  }

  /** The order in which the workers of one process get keys, until `endTerm` or `close` is called. */
  ofTerm(): WorkOrder {
    const term = this.#terms;
    return {
      begin: (controller, queue) => this.#begin(controller, queue),
      next: (controller) =>
        term === this.#terms ? this.#next(controller) : Promise.resolve(undefined),
    };
  }

  #begin(controller: string, queue: OrderedQueue): boolean {
    const { run } = this.#options;
    const declared = run.header.controllers.find(({ name }) => name === controller);
    const spare = spareWorkers(run, controller);
    const due = this.#early.get(controller) ?? [];
    this.#lines.set(controller, { queue, spare, free: [], due, readyAt: new Map() });
    return this.#isContinued && declared !== undefined;
  }

  /**
   * Call this when the process has lost its leadership. All attempts end, and all controllers start again
   * when the process is the leader again.
   */
  endTerm(): void {
    this.#freeAll();
    this.#lines.clear();
    this.#running.clear();
    this.#unseen.clear();
    this.#early.clear();
    this.#isContinued = false;
    this.#terms++;
  }

  /** Restores the queues: adds the keys that were waiting when the record began. */
  putBack(): void {
    for (const line of this.#options.run.queued) {
      const queue = this.#lines.get(line.controller)?.queue;
      if (queue !== undefined) putBack(queue, line);
    }
  }

  #next(controller: string): Promise<ObjectKey | undefined> {
    const line = this.#lines.get(controller);
    if (line === undefined || this.#closed) return Promise.resolve(undefined);
    return new Promise((resolve) => line.free.push(resolve));
  }

  /** The running attempt for a key. */
  running(controller: string, key: string): ReplayedAttempt | undefined {
    return this.#running.get(idOf(controller, key));
  }

  /** Call this when an attempt has ended, just before its worker asks for the next key. */
  ended(attempt: ReplayedAttempt): void {
    attempt.hasEnded = true;
    const id = idOf(attempt.controller, attempt.key);
    if (this.#running.get(id) === attempt) this.#running.delete(id);
  }

  /** The running attempts that have not made a write which was recorded before `at`. */
  behind(at: number): readonly ReplayedAttempt[] {
    return [...this.#running.values()].filter(({ missing }) =>
      missing.some(({ request }) => request.at < at),
    );
  }

  /**
   * Abandons an attempt from before the record that differs from the record. It differs because the recorded
   * caches are newer than the data that the attempt had read. The attempt is ignored from now on, and its key
   * is held until the recorded end of the attempt.
   */
  abandon(attempt: ReplayedAttempt): void {
    const { controller, key, recorded } = attempt;
    if (recorded === undefined || attempt.isAbandoned) return;
    attempt.isAbandoned = true;
    this.#running.delete(idOf(controller, key));
    this.#unseen.set(recorded.begin.id, recorded.begin);
    const line = this.#lines.get(controller);
    if (line !== undefined) line.spare--;
  }

  /** Handles a recorded wake. @returns true if nothing in the replay would cause the wake itself. */
  woken({ controller, key, cause, via, priority = 0 }: WakeLine): boolean {
    if (via !== 'resync' && cause !== 'trigger') return false;
    this.#lines.get(controller)?.queue.add(key as ObjectKey, { priority });
    return true;
  }

  /** Handles the recorded begin of an attempt. */
  began(begin: BeginLine): void {
    const line = this.#lines.get(begin.controller);
    if (line === undefined) {
      const early = this.#early.get(begin.controller) ?? [];
      this.#early.set(begin.controller, [...early, begin]);
    } else if (begin.carried === true) this.#carriedOn(line, begin);
    else if (!this.#options.departures.hasKeyLeft(begin.controller, begin.key)) {
      line.due.push(begin);
    }
  }

  /** Runs an attempt that had begun before the record. It runs again from its beginning. */
  #carriedOn(line: Line, begin: BeginLine): void {
    const key = begin.key as ObjectKey;
    line.queue.add(key);
    const isWhole = begin.incomplete !== true && line.free.length > 0;
    if (isWhole && this.#take(line, begin.controller, key, begin)) return;
    if (line.queue.takeKey(key)) this.#unseen.set(begin.id, begin);
  }

  /** Ends an attempt that is not compared, with the recorded outcome. */
  recordedEnd(outcome: OutcomeLine): void {
    if (!this.#unseen.delete(outcome.id)) return;
    const queue = this.#lines.get(outcome.controller)?.queue;
    const key = outcome.key as ObjectKey;
    const { requeueAfterMs, result } = outcome;
    if (requeueAfterMs !== undefined) queue?.addAfter(key, requeueAfterMs);
    if (result === 'success' || result === 'requeue_after') queue?.forget(key);
    queue?.done(key);
  }

  /**
   * Hands out the keys that are due. Call this whenever a key may have become ready. @returns true when a
   * worker got a key.
   */
  handOut(): boolean {
    const before = this.#handedOut;
    for (const [controller, line] of this.#lines) {
      if (line.due.length > 0) line.due = line.due.filter((begin) => !this.#start(line, begin));
      if (line.queue.depth > 0) this.#checkReady(controller, line);
    }
    return this.#handedOut > before;
  }

  /** Ends all workers. */
  close(): void {
    this.#closed = true;
    this.#freeAll();
  }

  #freeAll(): void {
    for (const { free } of this.#lines.values())
      for (const resolve of free.splice(0)) resolve(undefined);
  }

  /**
   * Starts a recorded attempt if its key is due. Returns true when it has begun, or when it is clear that it
   * does not begin in the replay.
   */
  #start(line: Line, begin: BeginLine): boolean {
    const { queue, free } = line;
    const { now, departures, run } = this.#options;
    const key = begin.key as ObjectKey;
    const [worker] = free;
    if (worker !== undefined && this.running(begin.controller, key) === undefined) {
      // The delay of a retry is random, and a policy may delay the key for longer than in the record. In both
      // cases the attempt begins at the recorded time.
      if (queue.isWaiting(key)) queue.add(key);
      if (this.#take(line, begin.controller, key, begin)) return true;
    }
    if (now() - begin.at < PATIENCE_MS) return false;
    const attempt = run.attempts.get(begin.id);
    departures.add({
      ...{ at: begin.at, controller: begin.controller, key: begin.key, kind: 'no-begin' },
      attempt: attempt?.number,
      recorded: 'this attempt began',
      now:
        this.running(begin.controller, key) === undefined
          ? 'nothing has enqueued the key'
          : 'the attempt before still runs',
      details: [],
    });
    return true;
  }

  #take(line: Line, controller: string, key: ObjectKey, begin: BeginLine | undefined): boolean {
    if (!line.queue.takeKey(key)) return false;
    const recorded = begin && this.#options.run.attempts.get(begin.id);
    const { hasSecrets } = this.#options;
    const attempt = new ReplayedAttempt({ controller, key }, recorded, hasSecrets);
    attempt.hasLeft = recorded === undefined;
    this.#running.set(idOf(controller, key), attempt);
    line.readyAt.delete(key);
    line.free.shift()?.(key);
    this.#handedOut++;
    return true;
  }

  /**
   * Adds a difference for each ready key for which the record has no attempt at this time. Unless the replay
   * is over, an attempt for the key is started anyway.
   */
  #checkReady(controller: string, line: Line): void {
    const { departures } = this.#options;
    const now = this.#options.now();
    for (const key of [...line.queue.readyKeys]) {
      const since = line.readyAt.get(key) ?? now;
      line.readyAt.set(key, since);
      if (line.free.length <= line.spare || this.#isExpected(controller, key, since)) continue;
      const hasLeft = departures.hasKeyLeft(controller, key);
      if (!hasLeft && departures.total === 0 && now - since < PATIENCE_MS) continue;
      departures.add({
        ...{ at: since, controller, key, attempt: undefined, kind: 'begin' },
        recorded: `no attempt at this key in the ${PATIENCE_MS / 1_000} s that follow`,
        now: 'the key is due',
        details: [],
      });
      if (departures.isOver) return;
      this.#take(line, controller, key, undefined);
    }
  }

  /** True when the record has an attempt for the key that begins soon after `since`. */
  #isExpected(controller: string, key: string, since: number): boolean {
    if (this.#options.departures.hasKeyLeft(controller, key)) return false;
    const times = this.#begins.get(idOf(controller, key));
    return times?.some((at) => at >= since && at - since <= PATIENCE_MS) === true;
  }
}

/**
 * Puts a key into the queue, in the state that it had when the record began. A key that a worker held then is
 * added later by its `begin` line.
 */
function putBack(queue: OrderedQueue, line: QueuedLine): void {
  const { priority, dueInMs = 0, failures, state } = line;
  const key = line.key as ObjectKey;
  if (state === 'working') return;
  for (let count = 0; count < failures; count++) queue.retry(key, dueInMs, { priority });
  if (state === 'ready') queue.add(key, { priority });
  // The record does not contain the condition for which a parked key waits, so the attempt begins at its
  // recorded time.
  else queue.addAfter(key, state === 'parked' ? PARKED_MS : dueInMs, { priority });
}

const PARKED_MS = 24 * 60 * 60 * 1_000;

/**
 * The number of the controller's attempts that had begun before the record. Each of them may have to be
 * abandoned, and then occupies a worker.
 */
export function spareWorkers({ attempts }: Pick<RecordedRun, 'attempts'>, name: string): number {
  return [...attempts.values()].filter(
    ({ begin: { controller, carried } }) => controller === name && carried === true,
  ).length;
}

function idOf(controller: string, key: string): string {
  return `${controller} ${key}`;
}
