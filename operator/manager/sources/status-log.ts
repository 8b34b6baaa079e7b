import type { TransformObserver } from '../../client/source.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Labels, Meter } from '../../core/metrics.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { ReflectorNotice } from '../../watch/reflector-options.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';

interface StatusLogOptions {
  readonly clock: Clock;
  /** The resourceVersion that the source has reached. */
  readonly resourceVersion: () => string | undefined;
}

/**
 * Logs the changes of a source's status, with at most ten lines in any hour: see `StatusLines`. At the end,
 * pass the status `stopped`, which cancels the timer.
 *
 * @param facts - the fields that identify the source in every line.
 */
export function statusLog(
  log: Log,
  facts: object,
  { clock, resourceVersion }: StatusLogOptions,
): (status: ReflectorStatus) => void {
  const lines = new StatusLines(clock, ({ status, changes, unsteady }: StatusLine) => {
    const more = { ...(changes > 1 && { changes }), ...(unsteady && { unsteady }) };
    logStatus(log, { ...facts, resourceVersion: resourceVersion(), ...more }, status);
  });
  return (status) => lines.changed(status);
}

/** Writes one line. */
export function logStatus(log: Log, facts: object, status: ReflectorStatus): void {
  const { health, reason, error, retryInMs } = status;
  const why = { ...facts, reason, err: error, retryInMs: Math.round(retryInMs ?? 0) };
  if (health === 'healthy') log.info(facts, 'source is healthy');
  else if (health === 'failing') log.warn(why, 'source is failing, it retries');
  else if (health === 'forbidden') log.error(why, 'source is forbidden, it retries');
  else if (health === 'unserved') log.info(why, 'source is not served; it is checked again');
  else log.debug(facts, health === 'starting' ? 'source starts again' : 'source stopped');
}

/** Writes a log line for a notice that does not change the state of the source. */
export function logNotice(log: Log, facts: object, notice: ReflectorNotice): void {
  if (notice.kind === 'regression') {
    const { from, to } = notice;
    log.warn(
      { ...facts, from, to },
      'server shows an older or another state, was it restored or replaced?',
    );
  } else if (notice.kind === 'duplicates') {
    log.warn({ ...facts, count: notice.keys.length }, 'list held objects more than once');
  } else if (notice.kind === 'cleared') {
    log.warn(
      facts,
      'the definition of the resource is gone; its objects are dropped from the cache',
    );
  } else {
    log.info({ ...facts, err: notice.error }, 'list cannot be streamed; pages are used');
  }
}

/**
 * The number of lines that may be logged at once, and the milliseconds until a used line becomes available
 * again. Together this allows ten lines in any hour.
 */
const BURST_LINES = 6;
const REFILL_MS = 15 * 60 * 1_000;

/**
 * A change is logged at once only while this many lines of the hourly limit are left. One of these lines is
 * reserved for a state that lasts.
 */
const CHANGE_NEEDS = 2;
/**
 * A new reason of a known failure is logged only while this many lines of the hourly limit are left. The
 * remaining lines suffice for the end of this failure, and for another failure.
 */
const REASON_NEEDS = 4;

/** A state that has lasted this many milliseconds is no longer flapping. */
const LASTING_MS = 60_000;

/** One log line about a source. */
export interface StatusLine {
  readonly status: ReflectorStatus;
  /**
   * The number of changes since the last line, including this one. If it is above 1, some were not logged.
   */
  readonly changes: number;
  /** True if the source changes so often that the next change is not logged at once: see `StatusLines`. */
  readonly unsteady: boolean;
}

/**
 * Turns changes of status into at most ten log lines in any hour, however often it changes.
 *
 * While changes are rare, each one is logged at once. When a source flaps too often, the last immediate line
 * marks it as unsteady. From then on a new state is logged after it has lasted for a minute, or for a quarter
 * of an hour if the lines of the hour are used up. A source that keeps flapping is logged every quarter or
 * half of an hour, with the number of its changes. Only alternating reasons of one failure may stay unlogged.
 *
 * Starts and stops are caused by this process. They are logged at once, and do not use up lines. A stop
 * cancels the timer.
 */
export class StatusLines {
  readonly #clock: Clock;
  readonly #say: (line: StatusLine) => void;
  /**
   * Monotonic time at which the whole limit of lines is available again; in the past if it is available now.
   */
  #fullAt = Number.NEGATIVE_INFINITY;
  #status: ReflectorStatus | undefined;
  #saidHealth: ReflectorStatus['health'] | undefined;
  /** Number of changes since the last line. */
  #changes = 0;
  #cancel: Cancel = () => {};

  /** @param say - writes a line. It must not throw. */
  constructor(clock: Clock, say: (line: StatusLine) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  changed(status: ReflectorStatus): void {
    const { health } = status;
    const isReason = health === this.#status?.health;
    this.#status = status;
    this.#changes++;
    if (health === 'starting' || health === 'stopped') this.#report(0);
    else if (this.#msUntilFree(isReason ? REASON_NEEDS : CHANGE_NEEDS) === 0) this.#report(1);
    else if (!isReason) this.#wait(health);
  }

  /**
   * Waits until the state has lasted long enough to be logged. A return to the last logged state waits for
   * longer, so that the last available line remains for other states.
   */
  #wait(health: ReflectorStatus['health']): void {
    this.#cancel();
    const waitMs =
      health === this.#saidHealth
        ? this.#msUntilFree(CHANGE_NEEDS)
        : Math.max(LASTING_MS, this.#msUntilFree(1));
    this.#cancel = this.#clock.schedule(waitMs, () => this.#report(1));
  }

  #report(lines: 0 | 1): void {
    const status = this.#status;
    if (status === undefined) return;
    this.#cancel();
    this.#fullAt = Math.max(this.#fullAt, this.#clock.monotonic()) + lines * REFILL_MS;
    const changes = this.#changes;
    this.#changes = 0;
    this.#saidHealth = status.health;
    this.#say({ status, changes, unsteady: this.#msUntilFree(CHANGE_NEEDS) > 0 });
  }

  /** Milliseconds until `lines` log lines are available again. */
  #msUntilFree(lines: number): number {
    const freeAt = this.#fullAt - (BURST_LINES - lines) * REFILL_MS;
    return Math.max(0, freeAt - this.#clock.monotonic());
  }
}

/**
 * Maximum lines per hour about the objects of one source. A transform may fail for every object in a cluster.
 */
const MAX_LINES = 20;
const PERIOD_MS = 60 * 60_000;

interface TransformLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly labels: Labels;
  /** The fields that identify the source in log lines. */
  readonly facts: object;
}

/**
 * Counts the failures of a source's transform. Logs each failing object by its key, once until its transform
 * succeeds, and at most 20 objects an hour.
 */
export function transformLog({
  log,
  clock,
  meter,
  labels,
  facts,
}: TransformLogOptions): TransformObserver {
  const logged = new Set<ObjectKey>();
  let lines = 0;
  let since = clock.monotonic();
  return {
    failed(key, err) {
      meter.count('chancery_transform_errors_total', labels);
      if (clock.monotonic() - since >= PERIOD_MS) {
        logged.clear();
        lines = 0;
        since = clock.monotonic();
      }
      if (logged.has(key) || lines >= MAX_LINES) return;
      logged.add(key);
      lines++;
      const further =
        lines === MAX_LINES ? { further: 'are counted, not logged, for an hour' } : {};
      log.error({ ...facts, key, err, ...further }, 'transform failed, the object cannot be read');
    },
    settled(key) {
      if (logged.size > 0) logged.delete(key);
    },
  };
}

/**
 * Counts received objects that belong to other replicas. Logs once when the API server refuses the shard
 * selector.
 */
export function shardingLog({
  log,
  meter,
  labels,
  facts,
}: Pick<TransformLogOptions, 'log' | 'meter' | 'labels' | 'facts'>): {
  readonly onForeign: (count: number) => void;
  readonly onRefused: (error: Error) => void;
} {
  let isTold = false;
  return {
    onForeign: (count) => meter.count('chancery_shard_foreign_objects_total', labels, count),
    onRefused: (err) => {
      if (isTold) return;
      isTold = true;
      log.warn(
        { ...facts, err },
        'the API server refuses shardSelector, it sends all objects and those of other replicas are dropped',
      );
    },
  };
}
