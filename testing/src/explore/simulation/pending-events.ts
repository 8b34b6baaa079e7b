/** Something that waits to happen between the operator and the API server. */
export interface PendingEvent {
  readonly kind: 'request' | 'answer' | 'delivery';
  /** Names the event in schedules: unique among those that wait, and the same in every run of a schedule. */
  readonly label: string;
  /** Events of one stream happen in their order: a watch is one stream, and each call is one of its own. */
  readonly stream: string;
  /** The object or collection that the event is about, such as `deployments/default/demo`. */
  readonly about: string;
  /** The call changes what is stored, or asks for it. */
  readonly isWrite: boolean;
  /** What it carries, in a form that is the same in all orders of events. */
  readonly content: () => string;
  readonly happen: () => void;
  /** Lets the connection break instead: what the server did stays done, and the operator does not learn of it. */
  readonly lose?: () => void;
}

/** Held back until nothing else waits, or until this time. */
type Until = 'rest' | number;

/** The events that wait, in the order in which they came up. */
export class PendingEvents {
  #waiting: PendingEvent[] = [];
  readonly #held = new Map<string, Until>();
  readonly #counts = new Map<string, number>();

  /** A label that no event of this run has had. */
  labelOf(text: string): string {
    const count = (this.#counts.get(text) ?? 0) + 1;
    this.#counts.set(text, count);
    return count === 1 ? text : `${text} #${count}`;
  }

  add(event: PendingEvent): void {
    this.#waiting.push(event);
  }

  /** Removes what waits of one stream. */
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

  /** The first event of each stream that is not held back, in the order in which they came up. */
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

  /** Streams that were held back until rest go on. @returns whether there were any with events. */
  releaseAtRest(): boolean {
    return this.#release((until) => until === 'rest');
  }

  /** Streams that were held back until `nowMs` or before go on. */
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
