/** Where a value stands in its list; opaque to everybody but the list. */
export interface Place<T> {
  readonly value: T;
  previous: Place<T> | undefined;
  next: Place<T> | undefined;
}

/** Values in order of arrival; any of them leaves at the price of the first. */
export class LinkedList<T> {
  #first: Place<T> | undefined;
  #last: Place<T> | undefined;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  get first(): T | undefined {
    return this.#first?.value;
  }

  /** Appends `value`; keep its place to take it out again. */
  push(value: T): Place<T> {
    const place: Place<T> = { value, previous: this.#last, next: undefined };
    if (this.#last === undefined) this.#first = place;
    else this.#last.next = place;
    this.#last = place;
    this.#size++;
    return place;
  }

  /** @param place - one of this list, and not removed before. */
  remove(place: Place<T>): void {
    const { previous, next } = place;
    if (previous === undefined) this.#first = next;
    else previous.next = next;
    if (next === undefined) this.#last = previous;
    else next.previous = previous;
    this.#size--;
  }
}
