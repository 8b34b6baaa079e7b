import type { Cancel, Clock } from '../../core/clock.ts';
import type { ReflectorStatus } from '../../watch/reflector-status.ts';

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
