import type { Controller } from '../controller/controller.ts';
import { sourcesOf } from '../controller/controller.ts';
import type { RunObserver } from '../controller/run/run-observer.ts';
import { originOf } from '../core/abort.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { type SeededRandom, seededRandom } from '../core/seeded-random.ts';
import type {
  LeadershipChange,
  ObservedProcess,
  ProcessObserver,
} from '../manager/observe/process-observer.ts';
import type { ScopeActivity } from '../manager/sources/scope.ts';
import type { Transport, TransportRequest } from '../transport/transport.ts';
import { CacheStates } from './cache-states.ts';
import type { KeptLine } from './kept-line.ts';
import { type OpenAttempt, OpenWork } from './open-work.ts';
import type { LogLine, RecordedController, RecordedSource, RecordReason } from './record-line.ts';
import { type ExchangeTape, recordedError, recordingTransport } from './recording-transport.ts';
import { Ring } from './ring.ts';

export interface RecorderLimits {
  /** The number of minutes that a record covers. */
  readonly minutes: number;
  /** Maximum memory of the kept lines in megabytes, in addition to the caches. */
  readonly megabytes: number;
}

interface FlightRecorderOptions extends RecorderLimits {
  readonly clock: Clock;
  /** Initial state of the random number generator: a whole number below 2³². */
  readonly seed: number;
  /** Called when something happens for which a record should be written. Must not throw. */
  readonly triggered: (reason: RecordReason, why: string) => void;
}

/** The data from which a record is written. The data do not change any more. */
export interface Flight {
  readonly lines: readonly KeptLine[];
  /** Wall time when `at` is 0, in milliseconds since 1970. */
  readonly beganWallMs: number;
  readonly from: number;
  readonly to: number;
  readonly controllers: readonly RecordedController[];
  readonly sources: readonly RecordedSource[];
  readonly limits: RecorderLimits;
  readonly truncated: string | undefined;
}

/**
 * If the wall clock jumps by more milliseconds than this, compared with the monotonic clock, a `clock` line
 * is recorded.
 */
const JUMP_MS = 1_000;

/**
 * When the result of `Ring.fill` reaches this number, the next segment begins even while changes are still
 * being processed.
 */
const OVERFULL = 4;

/**
 * The lines of one attempt or answer that are repeated in a later segment take at most the recorder's memory
 * divided by this number.
 */
const CARRIED_PART = 8;

/**
 * Keeps in memory what a process has done in the last minutes: its exchanges, wakes and attempts, and the
 * states of its caches and queues. It keeps references and copies nothing, so it takes little time and
 * memory. The lines are formatted only when a record is written.
 */
export class FlightRecorder implements ProcessObserver {
  /** The random number generator of the process. Its state is recorded at the beginning of each segment. */
  readonly random: SeededRandom;
  readonly #options: FlightRecorderOptions;
  readonly #ring: Ring;
  readonly #open: OpenWork;
  readonly #caches: CacheStates;
  readonly #controllers = new Map<string, Controller>();
  /** The running attempts, keyed by their abort signals. */
  readonly #attemptOf = new WeakMap<AbortSignal, OpenAttempt>();
  readonly #idOf = new Map<string, { readonly id: number; readonly open: OpenAttempt }>();
  readonly #beganAt: number;
  readonly #beganWallMs: number;
  /** The wall time minus the monotonic time, in milliseconds. */
  #aheadMs: number;
  #process: ObservedProcess | undefined;
  #lastId = 0;
  #cancelBegin: Cancel | undefined;

  constructor(options: FlightRecorderOptions) {
    const { clock, minutes, megabytes, seed } = options;
    const bytes = megabytes * 1024 ** 2;
    this.#options = options;
    this.random = seededRandom(seed);
    this.#ring = new Ring({ ms: minutes * 60_000, bytes });
    this.#open = new OpenWork(bytes / CARRIED_PART);
    this.#caches = new CacheStates();
    this.#beganAt = clock.monotonic();
    this.#beganWallMs = clock.now();
    this.#aheadMs = this.#beganWallMs - this.#beganAt;
  }

  transport(inner: Transport): Transport {
    return recordingTransport(inner, (request) => this.#tapeFor(request));
  }

  attach(process: ObservedProcess): void {
    this.#process = process;
    this.#beginSegment();
  }

  controller(declared: Controller): Required<RunObserver> {
    const { name: controller } = declared;
    this.#controllers.set(controller, declared);
    return {
      woken: (key, wake) => this.#add({ kind: 'wake', at: this.#at(), controller, key, ...wake }),
      held: (key, policy, forMs) => {
        const held = { kind: 'held', at: this.#at(), controller, key, policy } as const;
        this.#add(forMs === undefined ? held : { ...held, forMs });
      },
      began: (attempt, waitedMs, signal) => {
        const id = ++this.#lastId;
        const { key, attempt: failures, reconcileId } = attempt;
        const begin = { kind: 'begin', at: this.#at(), controller, key, id } as const;
        const open = this.#open.beganAttempt({ ...begin, attempt: failures, waitedMs });
        this.#idOf.set(reconcileId, { id, open });
        this.#attemptOf.set(signal, open);
        this.#add(open.begin);
      },
      ended: ({ key, reconcileId }, { outcome: result, requeueAfterMs, error }) => {
        const { id = 0 } = this.#idOf.get(reconcileId) ?? {};
        this.#idOf.delete(reconcileId);
        this.#open.endedAttempt(id);
        this.#add({
          ...{ kind: 'outcome', at: this.#at(), controller, key, id, result },
          ...(requeueAfterMs !== undefined && { requeueAfterMs }),
          ...(error && { error: recordedError(error) }),
        });
      },
      looped: (key, object) =>
        this.#options.triggered(
          'write-loop',
          `${controller} reconciles ${key} again and again, and writes ${object}`,
        ),
      stuck: ({ key }, runningMs) =>
        this.#options.triggered(
          'stuck',
          `${controller} has been reconciling ${key} for ${Math.round(runningMs / 1_000)} s`,
        ),
    };
  }

  sourceChanged(source: ScopeActivity): void {
    const line = this.#caches.changed(source, this.#at());
    if (line !== undefined) this.#add(line);
  }

  leadership(change: LeadershipChange): void {
    this.#add({ kind: 'leader', at: this.#at(), ...change });
  }

  stuck(): void {
    this.#options.triggered('stuck', 'a reconcile runs longer than maxReconcileAgeMs allows');
  }

  /** Keeps a line of the process's log. */
  log(level: LogLine['level'], message: string, fields: LogLine['fields']): void {
    this.#add({ kind: 'log', at: this.#at(), level, message, fields });
  }

  /** Everything that has been kept until now. Undefined before `attach` is called. */
  flight(): Flight | undefined {
    if (this.#process === undefined) return undefined;
    const { minutes, megabytes } = this.#options;
    const to = this.#at();
    const isTruncated = this.#ring.isTruncated(to);
    return {
      lines: this.#ring.lines(),
      ...{ beganWallMs: this.#beganWallMs, from: this.#ring.from, to },
      controllers: Array.from(this.#controllers.values(), (each) => this.#recorded(each)),
      sources: this.#caches.sources(),
      limits: { minutes, megabytes },
      truncated: isTruncated ? `what happened before needs more than ${megabytes} MB` : undefined,
    };
  }

  /** Stops keeping lines. */
  stop(): void {
    this.#cancelBegin?.();
    this.#process = undefined;
  }

  #at(): number {
    return this.#options.clock.monotonic() - this.#beganAt;
  }

  #add(line: KeptLine): void {
    this.#tellJump(line.at);
    this.#ring.add(line);
    // The segment begins in a later turn of the event loop, because by then the caches contain the changes of
    // the received chunk.
    if (this.#cancelBegin === undefined && this.#ring.fill(line.at) >= 1) this.#beginSoon(0);
  }

  #tellJump(at: number): void {
    const { clock } = this.#options;
    const wall = clock.now();
    const aheadMs = wall - at - this.#beganAt;
    if (Math.abs(aheadMs - this.#aheadMs) <= JUMP_MS) return;
    this.#aheadMs = aheadMs;
    this.#ring.add({ kind: 'clock', at, wall });
  }

  #beginSoon(delayMs: number): void {
    this.#cancelBegin = this.#options.clock.schedule(delayMs, () => {
      this.#cancelBegin = undefined;
      if (this.#process === undefined) return;
      const isDue = this.#process.delivered || this.#ring.fill(this.#at()) >= OVERFULL;
      if (isDue) this.#beginSegment();
      else this.#beginSoon(1);
    });
  }

  #beginSegment(): void {
    const process = this.#process;
    if (process === undefined) return;
    const at = this.#at();
    const wall = this.#options.clock.now();
    const { replacedBytes, lines: cached } = this.#caches.at(at, process.scopes());
    this.#ring.weigh(replacedBytes);
    const { next: segment } = this.#ring;
    const queued = Array.from(
      process.waiting(),
      ([controller, { key, state, dueInMs, failures, priority }]): KeptLine => ({
        ...{ kind: 'queued', at, controller, key, state, failures, priority },
        ...(dueInMs !== undefined && { dueInMs }),
      }),
    );
    this.#ring.begin(at, [
      { kind: 'state', at, segment, random: this.random.state, leads: process.leads },
      { kind: 'clock', at, wall },
      ...cached,
      ...queued,
      ...this.#open.carried(),
    ]);
  }

  #tapeFor(request: TransportRequest): ExchangeTape {
    const { method, path, purpose, headers, body, signal } = request;
    const id = ++this.#lastId;
    const attempt = originOf(signal, (each) => this.#attemptOf.get(each));
    const contentType = headers?.['content-type'];
    const exchange = this.#open.beganExchange(
      {
        ...{ kind: 'request', at: this.#at(), id, method, path, purpose },
        ...(contentType !== undefined && { contentType }),
        ...(body !== undefined && { body }),
        ...(attempt && { by: byOf(attempt) }),
      },
      attempt,
    );
    this.#add(exchange.request);
    const add = (line: Parameters<OpenWork['add']>[1]): void => {
      this.#open.add(exchange, line);
      this.#add(line);
    };
    const isWatch = purpose === 'watch';
    return {
      answered: ({ status, headers: sent }, unread) => {
        exchange.unread = unread;
        add({ kind: 'answer', at: this.#at(), id, status, headers: sent });
        if (isWatch) this.#compareSourcesSoon();
      },
      arrived: (bytes) => add({ kind: 'chunk', at: this.#at(), id, bytes }),
      ended: (error) => {
        add({ kind: 'ended', at: this.#at(), id, ...(error && { error }) });
        if (isWatch) this.#compareSourcesSoon();
      },
    };
  }

  /**
   * Compares the states of sources later, because a source does not report each change of its state. When a
   * watch opens or ends, the state changes only after the reader of the watch has noticed this.
   */
  #compareSourcesSoon(): void {
    this.#options.clock.schedule(0, () => {
      for (const source of this.#process?.scopes() ?? []) this.sourceChanged(source);
    });
  }

  #recorded(declared: Controller): RecordedController {
    const idOf = (source: Controller['for']): string =>
      this.#caches.idOf(this.#process?.groupOf(source) ?? '', source.resource);
    return {
      name: declared.name,
      for: idOf(declared.for),
      sources: [...new Set(sourcesOf(declared).map(idOf))],
      workers: declared.maxConcurrentReconciles,
    };
  }
}

function byOf({ begin: { controller, key, id } }: OpenAttempt) {
  return { controller, key, id };
}
