import type { StorageEvent } from '../../storage/storage-event.ts';

/**
 * Encodes a change once for all watches that show it in the same form. All watches of a change are
 * served together, so only the latest change is cached.
 */
export class EventLines {
  #source: StorageEvent | undefined;
  readonly #lines = new Map<string, Buffer>();

  /** @param view - equal for all watches that show the change in the same form. */
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
