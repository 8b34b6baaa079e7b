import type { ProtocolError } from '../core/errors.ts';

/**
 * An entry of the sink that turned out to be no JSON. That is found when somebody asks for its object,
 * which may be at any time. The open watch ends for it, and the list that follows brings the object
 * anew. If no watch is open, the next one ends as soon as it begins.
 */
export class Unreadable {
  /** Ends the open watch; undefined while none is open. */
  #end: ((error: ProtocolError) => void) | undefined;
  /** Found while no watch was open. */
  #found: ProtocolError | undefined;

  /** An entry cannot be parsed. */
  found(error: ProtocolError): void {
    if (this.#end === undefined) this.#found = error;
    else this.#end(error);
  }

  /** A list begins that will show the object anew: what was found before it leaves nothing to do. */
  listing(): void {
    this.#found = undefined;
  }

  /** A watch that feeds the sink is open. `end` is called at once for what was found before. */
  watching(end: (error: ProtocolError) => void): void {
    this.#end = end;
    if (this.#found !== undefined) end(this.#found);
    this.#found = undefined;
  }

  notWatching(): void {
    this.#end = undefined;
  }
}
