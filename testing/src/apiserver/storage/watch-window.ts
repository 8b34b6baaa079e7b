import type { EventLog } from './event-log.ts';

/** How far back watches of one resource can resume. */
export interface WatchWindowOptions {
  /** The smallest number of events that the window keeps. */
  readonly minEvents: number;
  /** The largest number of events, however young they are. */
  readonly maxEvents: number;
  /** The window grows rather than drop an event younger than this, in milliseconds. */
  readonly freshMs: number;
}

/**
 * The newest events of a log, as many as a watch cache keeps. The window is a ring. It doubles
 * instead of dropping young events, and halves when a quarter of it would be enough.
 */
export class WatchWindow {
  readonly #options: WatchWindowOptions;
  readonly #log: EventLog;
  #capacity: number;
  #size = 0;
  /** True if an event after `#listedAt` has left the window. */
  #lost = false;
  #listedAt: number;

  constructor(log: EventLog, listedAt: number, options: WatchWindowOptions) {
    this.#log = log;
    this.#listedAt = listedAt;
    this.#options = options;
    this.#capacity = Math.min(options.minEvents, options.maxEvents);
  }

  get size(): number {
    return this.#size;
  }

  /** The oldest revision from which a watch can resume. */
  get floor(): number {
    const first = this.#lost ? this.#log.at(this.#log.size - this.#size) : undefined;
    return first === undefined ? this.#listedAt : first.revision - 1;
  }

  /** Makes room before an event is added to the log. */
  admit(atMs: number): void {
    if (this.#size === this.#capacity) this.#resize(atMs);
    if (this.#size === this.#capacity) {
      this.#size--;
      this.#lost = true;
    }
    this.#size++;
  }

  /** Begins again, as after a list at `revision`. Earlier events are dropped. */
  restart(revision: number): void {
    this.#size = this.#log.size - this.#log.indexAfter(revision);
    this.#listedAt = revision;
    this.#lost = false;
  }

  #resize(atMs: number): void {
    const { minEvents, maxEvents, freshMs } = this.#options;
    const age = (back: number): number =>
      atMs - (this.#log.at(this.#log.size - back)?.atMs ?? Number.NEGATIVE_INFINITY);
    if (age(this.#size) < freshMs) {
      this.#capacity = Math.min(this.#capacity * 2, maxEvents);
    } else if (age(Math.max(1, Math.floor(this.#capacity / 4))) > freshMs) {
      this.#capacity = Math.max(Math.floor(this.#capacity / 2), Math.min(minEvents, maxEvents));
      if (this.#size <= this.#capacity) return;
      this.#size = this.#capacity;
      this.#lost = true;
    }
  }
}
