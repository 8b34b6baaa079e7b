import type { TransformObserver } from '../../client/source.ts';
import type { Log } from '../../controller/reconciler.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import type { Labels, Meter } from '../../core/metrics.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';

interface StatusLogOptions {
  readonly clock: Clock;
  /** Up to where the source has come. */
  readonly resourceVersion: () => string | undefined;
}

/**
 * Writes what a source's status becomes, in at most ten lines in any hour: see `StatusLines`. It must
 * be told of the stop, which ends its timer.
 *
 * @param facts - name the source in every line.
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

/** One line. */
export function logStatus(log: Log, facts: object, status: ReflectorStatus): void {
  const { health, reason, error, retryInMs } = status;
  const why = { ...facts, reason, err: error, retryInMs: Math.round(retryInMs ?? 0) };
  if (health === 'healthy') log.info(facts, 'source is healthy');
  else if (health === 'failing') log.warn(why, 'source is failing, it retries');
  else if (health === 'forbidden') log.error(why, 'source is forbidden, it retries');
  else if (health === 'unserved') log.info(why, 'source is not served, it is looked for');
  else log.debug(facts, health === 'starting' ? 'source starts again' : 'source stopped');
}

/** Lines that may come at once, and how soon each comes back: together ten in any hour. */
const BURST_LINES = 6;
const REFILL_MS = 15 * 60 * 1_000;

/** Lines that must be left for a change to be said at once: it keeps one for what lasts. */
const CHANGE_NEEDS = 2;
/** A further reason of a failure that was said keeps enough to say its end, and another failure. */
const REASON_NEEDS = 4;

/** A state that has held for so long is more than a flap. */
const LASTING_MS = 60_000;

/** What a log should say of a source. */
export interface StatusLine {
  readonly status: ReflectorStatus;
  /** Changes since the line before, this one included: more than one means that some were not said. */
  readonly changes: number;
  /** It changes so often that the next change is not said at once: see `StatusLines`. */
  readonly unsteady: boolean;
}

/**
 * Changes of status → at most ten lines in any hour, whatever the source does.
 *
 * While changes are few, each is said at once. The last line before a source flaps too often says that
 * it is unsteady. From then on another state is said once it has lasted for a minute or, where the
 * lines of the hour are used up, for a quarter of an hour; and what keeps flapping every quarter or
 * half of an hour, with the number of its changes. Only reasons that take turns may stay unsaid.
 *
 * Starts and stops are our own doing: they are said at once, and are not counted. A stop ends the
 * timer.
 */
export class StatusLines {
  readonly #clock: Clock;
  readonly #say: (line: StatusLine) => void;
  /** When all lines are free again; in the past when they are. */
  #fullAt = Number.NEGATIVE_INFINITY;
  #status: ReflectorStatus | undefined;
  #saidHealth: ReflectorStatus['health'] | undefined;
  /** Since the last line. */
  #changes = 0;
  #cancel: Cancel = () => {};

  /** @param say - must not throw. */
  constructor(clock: Clock, say: (line: StatusLine) => void) {
    this.#clock = clock;
    this.#say = say;
  }

  changed(status: ReflectorStatus): void {
    const { health } = status;
    const isReason = health === this.#status?.health;
    this.#status = status;
    this.#changes++;
    if (health === 'starting' || health === 'stopped') this.#tell(0);
    else if (this.#msUntilFree(isReason ? REASON_NEEDS : CHANGE_NEEDS) === 0) this.#tell(1);
    else if (!isReason) this.#wait(health);
  }

  /** Until the state has lasted; one that was said last can wait, and keeps the line for others. */
  #wait(health: ReflectorStatus['health']): void {
    this.#cancel();
    const waitMs =
      health === this.#saidHealth
        ? this.#msUntilFree(CHANGE_NEEDS)
        : Math.max(LASTING_MS, this.#msUntilFree(1));
    this.#cancel = this.#clock.schedule(waitMs, () => this.#tell(1));
  }

  #tell(lines: 0 | 1): void {
    const status = this.#status;
    if (status === undefined) return;
    this.#cancel();
    this.#fullAt = Math.max(this.#fullAt, this.#clock.monotonic()) + lines * REFILL_MS;
    const changes = this.#changes;
    this.#changes = 0;
    this.#saidHealth = status.health;
    this.#say({ status, changes, unsteady: this.#msUntilFree(CHANGE_NEEDS) > 0 });
  }

  /** How long it takes until `lines` may be said. */
  #msUntilFree(lines: number): number {
    const freeAt = this.#fullAt - (BURST_LINES - lines) * REFILL_MS;
    return Math.max(0, freeAt - this.#clock.monotonic());
  }
}

/** Lines in an hour about objects of one source; a transform may fail for every object of a cluster. */
const MAX_LINES = 20;
const PERIOD_MS = 60 * 60_000;

interface TransformLogOptions {
  readonly log: Log;
  readonly clock: Clock;
  readonly meter: Meter;
  readonly labels: Labels;
  /** What names the source in a log line. */
  readonly facts: object;
}

/**
 * Counts the failures of a source's transform, and logs each object by its key: once until its
 * transform succeeds, at most 20 objects an hour.
 */
export function transformLog({
  log,
  clock,
  meter,
  labels,
  facts,
}: TransformLogOptions): TransformObserver {
  const told = new Set<ObjectKey>();
  let lines = 0;
  let since = clock.monotonic();
  return {
    failed(key, err) {
      meter.count('chancery_transform_errors_total', labels);
      if (clock.monotonic() - since >= PERIOD_MS) {
        told.clear();
        lines = 0;
        since = clock.monotonic();
      }
      if (told.has(key) || lines >= MAX_LINES) return;
      told.add(key);
      lines++;
      const further =
        lines === MAX_LINES ? { further: 'are counted, not logged, for an hour' } : {};
      log.error({ ...facts, key, err, ...further }, 'transform failed, the object cannot be read');
    },
    settled(key) {
      if (told.size > 0) told.delete(key);
    },
  };
}
