/** An event between the operator and the API server that waits to happen. */
export interface PendingEvent {
  readonly kind: 'request' | 'answer' | 'delivery';
  /**
   * The name of the event in schedules. It is unique among waiting events, and the same in every
   * run of a schedule.
   */
  readonly label: string;
  /**
   * The stream of the event. Events of one stream happen in order. A watch is one stream, and so is
   * each call.
   */
  readonly stream: string;
  /** The object or collection that the event is about, such as `deployments/default/demo`. */
  readonly about: string;
  /** True if the call is a write. */
  readonly isWrite: boolean;
  /** The content of the event, without values that differ between orders of events. */
  readonly content: () => string;
  readonly happen: () => void;
  /**
   * Breaks the connection, so that the event does not happen. The server has carried out the request, and the
   * operator gets no answer.
   */
  readonly lose?: () => void;
}

/**
 * How long events are held back: until this time in milliseconds, or, with `rest`, until nothing else waits.
 */
type Until = 'rest' | number;

/** The waiting events, in the order in which they arose. */
export class PendingEvents {
  #waiting: PendingEvent[] = [];
  readonly #held = new Map<string, Until>();
  readonly #counts = new Map<string, number>();

  /** A label that no event of this run has used. */
  labelOf(text: string): string {
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    return count === 1 ? text : `${text} #${count}`;
  }

  add(event: PendingEvent): void {
    this.#waiting.push(event);
  }

  /** Removes the waiting events of one stream. */
  drop(stream: string): void {
    this.#waiting = this.#waiting.filter((event) => event.stream !== stream);
    this.#held.delete(stream);
  }

  clear(): void {
    this.#waiting = [];
    this.#held.clear();
  }

  get all(): readonly PendingEvent[] {
    return this.#waiting;
  }

  get isHolding(): boolean {
    return this.#held.size > 0;
  }

  /** The first event of each stream that is not held back, in the order in which they arose. */
  get ready(): readonly PendingEvent[] {
    const streams = new Set<string>(this.#held.keys());
    return this.#waiting.filter(({ stream }) => {
      if (streams.has(stream)) return false;
      streams.add(stream);
      return true;
    });
  }

  hold(stream: string, until: Until): void {
    this.#held.set(stream, until);
  }

  /**
   * Releases the streams that were held back until rest.
   * @returns whether any of these streams had events.
   */
  releaseAtRest(): boolean {
    return this.#release((until) => until === 'rest');
  }

  /** Releases the streams that were held back until `nowMs` or earlier. */
  releaseAt(nowMs: number): boolean {
    return this.#release((until) => until !== 'rest' && until <= nowMs);
  }

  take(event: PendingEvent): void {
    this.#waiting.splice(this.#waiting.indexOf(event), 1);
  }

  get holds(): readonly string[] {
    return [...this.#held].map(([stream, until]) => `${stream} until ${until}`);
  }

  #release(isOver: (until: Until) => boolean): boolean {
    let released = false;
    for (const [stream, until] of this.#held) {
      if (!isOver(until)) continue;
      this.#held.delete(stream);
      released ||= this.#waiting.some((event) => event.stream === stream);
    }
    return released;
  }
}
