import type { StorageEvent } from '../../storage/storage-event.ts';

/**
 * Encodes a change once for all watches that show it in the same way. A change is sent to all watches before
 * the next change, so only the latest change is cached.
 */
export class EventLines {
  #source: StorageEvent | undefined;
  readonly #lines = new Map<string, Buffer>();

  /** @param view - a string that is equal for all watches that show the change in the same way. */
  line(source: StorageEvent, view: string, encode: () => string): Buffer {
    if (source !== this.#source) {
      this.#source = source;
      this.#lines.clear();
    }
    let line = this.#lines.get(view);
    if (line === undefined) {
      line = Buffer.from(encode());
      this.#lines.set(view, line);
    }
    return line;
  }
}
