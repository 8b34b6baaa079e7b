import type { StorageEvent } from '../../storage/storage-event.ts';

/**
 * Encodes each change only once for all watches that send it in the same format and version. All watches send
 * a change before the next change happens, so only the latest change is cached.
 */
export class EventLines {
  #source: StorageEvent | undefined;
  readonly #lines = new Map<string, Buffer>();

  /**
   * @param view - a string that is equal for all watches that send the change in the same format and version.
   */
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
