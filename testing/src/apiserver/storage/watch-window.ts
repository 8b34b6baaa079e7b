import type { EventLog } from './event-log.ts';

/** How far back watches of one resource can resume. */
export interface WatchWindowOptions {
  /** The number of events that the window always has room for. */
  readonly minEvents: number;
  /** The maximum number of events, however young they are. */
  readonly maxEvents: number;
  /**
   * The age in milliseconds below which no event is dropped. If all events are younger, the window
   * grows.
   */
  readonly freshMs: number;
}

/**
 * The newest events of a log, as many as a watch cache keeps. Like the cache's ring buffer, the window
 * doubles its size instead of dropping young events, and halves it when a quarter of it would be enough.
 */
export class WatchWindow {
  readonly #options: WatchWindowOptions;
  readonly #log: EventLog;
  #capacity: number;
  #size = 0;
  /** True if the window has dropped an event after `#listedAt`. */
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

  /** Starts the window again, like a watch cache after a list at `revision`. Earlier events are dropped. */
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
