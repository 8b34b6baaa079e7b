import type { StorageEvent } from '../../storage/storage-event.ts';

/**
 * Encodes a change once for all watches that show it alike. A change goes to all its watches at
 * once, so that only the latest has to be remembered.
 */
export class EventLines {
  #source: StorageEvent | undefined;
  readonly #lines = new Map<string, Buffer>();

  /** @param view - the same text for watches that show the change alike. */
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
