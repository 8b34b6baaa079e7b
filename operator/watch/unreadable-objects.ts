import type { ProtocolError } from '../core/errors.ts';

/**
 * Objects that turned out to be unreadable when somebody read them, which may be at any time: the watch
 * that is open then ends, and if none is, the next one as soon as it begins. The list that follows
 * brings them anew; one that begins first leaves nothing to do.
 */
export class UnreadableObjects {
  #cut: ((error: ProtocolError) => void) | undefined;
  #found: ProtocolError | undefined;

  /** An object of the cache cannot be read. */
  found(error: ProtocolError): void {
    if (this.#cut === undefined) this.#found = error;
    else this.#cut(error);
  }

  /** A watch is live; `cut` ends it. */
  watching(cut: (error: ProtocolError) => void): void {
    this.#cut = cut;
    const error = this.#found;
    this.#found = undefined;
    if (error !== undefined) cut(error);
  }

  notWatching(): void {
    this.#cut = undefined;
  }

  /**
   * Everything comes anew, but for what is known and can be read: whatever is found from now on may be
   * part of that.
   */
  listing(): void {
    this.#found = undefined;
  }
}
