import type { StorageEvent } from './storage-event.ts';

/** The number of dropped events after which they are removed from the array. */
const MOVE_UP_AFTER = 256;

/** Events of one resource in the order of their revisions. Only the oldest events can be dropped. */
export class EventLog {
  readonly #events: StorageEvent[];
  /** The events before this index have been dropped, but are still in the array. */
  #head = 0;

  constructor(events: readonly StorageEvent[] = []) {
    this.#events = [...events];
  }

  get size(): number {
    return this.#events.length - this.#head;
  }

  /**
   * The number of events in memory, including dropped events. Dropped events are removed in batches, so that
   * dropping an event is cheap.
   */
  get retained(): number {
    return this.#events.length;
  }

  at(index: number): StorageEvent | undefined {
    return this.#events[this.#head + index];
  }

  push(event: StorageEvent): void {
    this.#events.push(event);
  }

  /** The index of the first event after `revision`; `size` if there is none. */
  indexAfter(revision: number): number {
    let low = 0;
    let high = this.size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.at(middle)?.revision ?? 0) > revision) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  after(revision: number): readonly StorageEvent[] {
    return this.#events.slice(this.#head + this.indexAfter(revision));
  }

  forget(count: number): void {
    this.#head += Math.min(count, this.size);
    if (this.#head < MOVE_UP_AFTER && this.#head * 2 < this.#events.length) return;
    this.#events.splice(0, this.#head);
    this.#head = 0;
  }
}
