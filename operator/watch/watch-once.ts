import { linkedAbort } from '../core/abort.ts';
import type { Clock } from '../core/clock.ts';
import { AmbassadorError } from '../core/errors.ts';
import type { WatchEvent } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListConsistency, ListWatch, WatchRequest } from './list-watch.ts';
import { type Outcome, SHORT_WATCH_MS } from './policy/classify.ts';
import type { Pace } from './policy/pace.ts';
import type { ResumePoint } from './resume-point.ts';

/**
 * Milliseconds after the server's time limit for a watch. A connection that is then still open is treated as
 * dead.
 */
const GRACE_MS = 10_000;

/**
 * Milliseconds of silence after which a connection is treated as dead, if bookmarks came every minute until
 * then.
 */
const PROVEN_SILENCE_MS = 90_000;

/**
 * If no gap between two lines of a watch is longer than this number of milliseconds, the server sends
 * bookmarks regularly.
 */
const PROOF_GAP_MS = 75_000;

/**
 * Time limits in milliseconds for a pause in the initial events, and for all initial events. They arrive
 * without pauses, but some servers and proxies never send the bookmark that ends them.
 */
const INITIAL_SILENCE_MS = 10_000;
const INITIAL_EVENTS_MS = 120_000;

interface WatchOnceRequest {
  readonly resourceVersion: string;
  /** If set, the watch requests initial events. Returns true until the end of these events has arrived. */
  readonly awaitsInitialEvents?: () => boolean;
  readonly timeoutSeconds: number;
  /** True if the previous watch got a line at least every 75 s, so that silence is more suspicious now. */
  readonly livelyBefore: boolean;
  readonly clock: Clock;
  readonly onSkipped?: () => void;
  readonly signal: AbortSignal;
}

/** What happened in one watch from its opening to its end. */
export interface WatchReport {
  readonly outcome: Outcome;
  /** Milliseconds that the watch lasted after the server accepted it; undefined when it was not accepted. */
  readonly acceptedForMs: number | undefined;
  /** Number of events and bookmarks. */
  readonly lines: number;
  /** True if a line arrived at least every 75 s. */
  readonly lively: boolean;
  /**
   * True if the server ended the watch early without a reason, after a handler had delayed the reading for a
   * second or more: see `BackpressureMeter`.
   */
  readonly slowConsumer: boolean;
}

/**
 * Receives the events of a watch. The promise of `events` is awaited, so the socket is read only as fast as
 * the consumer handles events.
 */
export interface WatchConsumer<T extends KubernetesObject> {
  /** Called when the server has accepted the watch. */
  accepted(): void;
  /**
   * Called when the watch has delivered an event or has lasted for a second. Only then is it certain that the
   * watch works, because a server may accept a watch and end it at once. `lines` is the number of events and
   * bookmarks so far.
   */
  proven(lines: number): void;
  events(batch: readonly WatchEvent<T>[]): void | Promise<void>;
}

/**
 * One watch, with its own timers, because a timeout in the server does not end a half-open connection.
 *
 * Does not throw when the watch fails: the report contains how it ended. An abort of `signal` is reported as
 * a failed stream. Errors that the consumer throws are thrown, so that a bug does not look like an invalid
 * line.
 */
async function watchOnce<T extends KubernetesObject>(
  source: Pick<ListWatch<T>, 'watch'>,
  consumer: WatchConsumer<T>,
  request: WatchOnceRequest,
): Promise<WatchReport> {
  const { clock } = request;
  using line = linkedAbort(request.signal);
  const openedAt = clock.monotonic();
  const cut = (): void => line.abort(new Error('watch stalled'));
  const guard = watchdog({ clock, limitAt: limits(request, openedAt), cut });
  const gaps = new GapMeter(clock);
  const backpressure = new BackpressureMeter(clock);
  let bug: { readonly error: unknown } | undefined;
  let acceptedAt: number | undefined;
  let cancelProof = (): void => {};

  const report = (outcome: Outcome): WatchReport => {
    const acceptedForMs = acceptedAt === undefined ? undefined : clock.monotonic() - acceptedAt;
    const { lines, lively } = gaps;
    const early = acceptedForMs !== undefined && acceptedForMs < request.timeoutSeconds * 1_000;
    const slowConsumer = early && backpressure.behind && isGivenUp(outcome);
    return { outcome, acceptedForMs, lines, lively, slowConsumer };
  };
  const hand = async (batch: readonly WatchEvent<T>[]): Promise<void> => {
    guard.pause();
    try {
      await backpressure.during(() => consumer.events(batch));
    } catch (error) {
      bug = { error };
      throw error;
    }
    guard.resume();
  };
  try {
    const onActivity = (): void => guard.active();
    const batches = await source.watch(watchRequestOf(request, onActivity, line.signal));
    acceptedAt = clock.monotonic();
    guard.active();
    consumer.accepted();
    cancelProof = clock.schedule(SHORT_WATCH_MS, () => consumer.proven(gaps.lines));
    for await (const batch of batches) {
      if (line.signal.aborted) break;
      gaps.saw(batch.length);
      consumer.proven(gaps.lines);
      await hand(batch);
    }
    if (guard.fired) return report({ during: 'stream', stalled: true });
    const livedMs = clock.monotonic() - acceptedAt;
    return report({ during: 'stream', lines: gaps.lines, livedMs });
  } catch (error) {
    if (bug !== undefined) throw bug.error;
    if (guard.fired) return report({ during: 'stream', stalled: true });
    return report({ during: acceptedAt === undefined ? 'open' : 'stream', error });
  } finally {
    guard.stop();
    cancelProof();
  }
}

/** The request to the source. */
function watchRequestOf(
  { resourceVersion, timeoutSeconds, awaitsInitialEvents, onSkipped }: WatchOnceRequest,
  onActivity: () => void,
  signal: AbortSignal,
): WatchRequest {
  return {
    resourceVersion,
    timeoutSeconds,
    ...(awaitsInitialEvents !== undefined && { sendInitialEvents: true }),
    onActivity,
    ...(onSkipped !== undefined && { onSkipped }),
    signal,
  };
}

/** True if the watch ended normally or broke off. A server with another reason sends it in an event. */
function isGivenUp(outcome: Outcome): boolean {
  if ('stalled' in outcome) return false;
  return !('error' in outcome) || outcome.error instanceof AmbassadorError;
}

/**
 * Returns a function that computes the time at which a connection counts as dead. The argument `activeAt` is
 * the time at which the connection was last active.
 */
function limits(
  { timeoutSeconds, livelyBefore, awaitsInitialEvents }: WatchOnceRequest,
  openedAt: number,
): (activeAt: number) => number {
  const hardLimitMs = timeoutSeconds * 1_000 + GRACE_MS;
  const silenceMs = livelyBefore ? Math.min(PROVEN_SILENCE_MS, hardLimitMs) : hardLimitMs;
  return (activeAt) =>
    awaitsInitialEvents?.() === true
      ? Math.min(openedAt + INITIAL_EVENTS_MS, activeAt + INITIAL_SILENCE_MS)
      : Math.min(openedAt + hardLimitMs, activeAt + silenceMs);
}

/** Measures how regularly lines arrive. */
class GapMeter {
  readonly #clock: Clock;
  #lastLineAt: number;
  #longestGapMs = 0;
  #lines = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastLineAt = clock.monotonic();
  }

  get lines(): number {
    return this.#lines;
  }

  get lively(): boolean {
    const gapMs = Math.max(this.#longestGapMs, this.#clock.monotonic() - this.#lastLineAt);
    return this.#lines > 0 && gapMs <= PROOF_GAP_MS;
  }

  saw(lines: number): void {
    const nowMs = this.#clock.monotonic();
    this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastLineAt);
    this.#lastLineAt = nowMs;
    this.#lines += lines;
  }
}

/** If a consumer needs this many milliseconds for a batch, the server may end the watch. */
const LONG_BATCH_MS = 1_000;

/**
 * If the reader has waited this many milliseconds for the server, it has read everything that the server had
 * sent.
 */
const CAUGHT_UP_MS = 1_000;

/** Detects a consumer that delays the reading of a watch. */
class BackpressureMeter {
  readonly #clock: Clock;
  /**
   * How many milliseconds the reader has waited for the server since the last slow batch, without the current
   * wait.
   */
  #waitedMs = Number.POSITIVE_INFINITY;
  #waitsSince: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#waitsSince = clock.monotonic();
  }

  /**
   * True when a consumer spent a second or more on a batch, and the reader has waited for the server for less
   * than a second since. If the server ends the watch now, the slow consumer may be the reason.
   */
  get behind(): boolean {
    return this.#waitedMs + this.#clock.monotonic() - this.#waitsSince < CAUGHT_UP_MS;
  }

  /** Calls `take`, which passes a batch to the consumer, and measures how long the call takes. */
  async during(take: () => void | Promise<void>): Promise<void> {
    const takenAt = this.#clock.monotonic();
    this.#waitedMs += takenAt - this.#waitsSince;
    await take();
    this.#waitsSince = this.#clock.monotonic();
    if (this.#waitsSince - takenAt >= LONG_BATCH_MS) this.#waitedMs = 0;
  }
}

interface WatchdogOptions {
  readonly clock: Clock;
  /**
   * Returns the time at which the connection counts as dead if nothing arrives after `activeAt`. Called at
   * each check.
   */
  readonly limitAt: (activeAt: number) => number;
  /** Called once, when the connection is dead. */
  readonly cut: () => void;
}

/** Detects dead connections, which neither a server nor a socket reports. */
interface Watchdog {
  /** Call this when bytes have arrived. */
  active(): void;
  /**
   * Call this when a consumer begins to handle a batch. The time until `resume` does not count as silence.
   */
  pause(): void;
  resume(): void;
  /** True when the watchdog has ended the connection. */
  readonly fired: boolean;
  stop(): void;
}

/** A watchdog that runs until it is stopped. */
function watchdog({ clock, limitAt, cut }: WatchdogOptions): Watchdog {
  let activeAt = clock.monotonic();
  let paused = false;
  let fired = false;

  const check = (): void => {
    const leftMs = limitAt(activeAt) - clock.monotonic();
    if (leftMs > 0 || paused) cancel = clock.schedule(Math.max(leftMs, 1_000), check);
    else cancel = confirm();
  };
  // If the event loop of this process was blocked, bytes may have arrived that were not read yet. So they are
  // read before the connection is treated as dead.
  const confirm = (): (() => void) => {
    const seenAt = activeAt;
    const turn = setImmediate(() => {
      if (activeAt !== seenAt || paused) return check();
      fired = true;
      cut();
    });
    return () => clearImmediate(turn);
  };
  let cancel = clock.schedule(limitAt(activeAt) - activeAt, check);

  return {
    active: () => {
      activeAt = clock.monotonic();
    },
    pause: () => {
      paused = true;
    },
    resume: () => {
      paused = false;
      activeAt = clock.monotonic();
    },
    get fired() {
      return fired;
    },
    stop: () => cancel(),
  };
}

interface PacedWatchOptions<T extends KubernetesObject> {
  readonly source: Pick<ListWatch<T>, 'watch'>;
  readonly resumePoint: ResumePoint;
  readonly pace: Pace;
  readonly clock: Clock;
  readonly random: () => number;
  /** Each watch asks the server to end it after a random number of seconds in [min, max). */
  readonly timeoutSeconds: readonly [min: number, max: number];
  /** Called for an event that was omitted because its object is of another kind. */
  readonly onSkipped: () => void;
  /**
   * Returns true if this process has ended the watch in order to reopen it for more objects of the
   * collection.
   */
  readonly isReopened: () => boolean;
}

interface NextWatch {
  /** The list with which the watch begins; undefined when the watch resumes. */
  readonly due: ListConsistency | undefined;
  /** True until the list of initial events is complete. */
  readonly awaitsInitialEvents: () => boolean;
  readonly signal: AbortSignal;
}

/**
 * The watches of one source, one after another. Each watch begins at the resume point or with the list that
 * is due. It ends after a random time, and tells the `Pace` how it has ended.
 */
export class PacedWatch<T extends KubernetesObject> {
  readonly #options: PacedWatchOptions<T>;
  /** True if the previous watch got a line at least every 75 s. */
  #wasLively = false;

  constructor(options: PacedWatchOptions<T>) {
    this.#options = options;
  }

  /** See `watchOnce`. */
  async once(
    consumer: WatchConsumer<T>,
    { due, awaitsInitialEvents, signal }: NextWatch,
  ): Promise<WatchReport> {
    const { source, resumePoint, pace, clock, onSkipped, isReopened } = this.#options;
    const timeoutSeconds = this.#timeoutSeconds();
    pace.opened();
    const report = await watchOnce(source, consumer, {
      resourceVersion: due === undefined ? (resumePoint.resourceVersion ?? '') : oldestVersion(due),
      ...(due !== undefined && { awaitsInitialEvents }),
      timeoutSeconds,
      livelyBefore: this.#wasLively,
      clock,
      onSkipped,
      signal,
    });
    this.#wasLively = report.lively;
    if (report.acceptedForMs !== undefined) {
      const isHealthy = !('stalled' in report.outcome);
      const isEarly = report.acceptedForMs < timeoutSeconds * 1_000 && !isReopened();
      pace.closed(report.acceptedForMs, isEarly, isHealthy);
    }
    return report;
  }

  #timeoutSeconds(): number {
    const { random, timeoutSeconds } = this.#options;
    const [min, max] = timeoutSeconds;
    return Math.floor(min + (max - min) * random());
  }
}

/** The resourceVersion that a streamed list must at least have; empty for the newest state. */
function oldestVersion(due: ListConsistency): string {
  if (due.kind === 'latest') return '';
  return due.kind === 'any' ? '0' : due.resourceVersion;
}
