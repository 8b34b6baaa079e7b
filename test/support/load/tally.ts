/** What a load server has had to do since it began, or since `reset`. */
export interface Counts {
  /** Connections that are open. */
  readonly connections: number;
  readonly mostConnections: number;
  /** Pages that were asked for. */
  readonly lists: number;
  /** The most pages that were asked for and not yet sent whole, at one time. */
  readonly mostLists: number;
}

/** Counts what is under way at a load server. */
export class Tally {
  #connections = 0;
  #mostConnections = 0;
  #lists = 0;
  #listsUnderWay = 0;
  #mostLists = 0;

  get counts(): Counts {
    return {
      connections: this.#connections,
      mostConnections: this.#mostConnections,
      lists: this.#lists,
      mostLists: this.#mostLists,
    };
  }

  /** What is under way goes on counting. */
  reset(): void {
    this.#lists = 0;
    this.#mostLists = this.#listsUnderWay;
    this.#mostConnections = this.#connections;
  }

  /** @returns what to call when it is closed. */
  connected(): () => void {
    this.#mostConnections = Math.max(this.#mostConnections, ++this.#connections);
    return () => {
      this.#connections--;
    };
  }

  /** @returns what to call when the list has been sent, or nobody wants it any more. */
  listing(): () => void {
    this.#lists++;
    this.#mostLists = Math.max(this.#mostLists, ++this.#listsUnderWay);
    return () => {
      this.#listsUnderWay--;
    };
  }
}
