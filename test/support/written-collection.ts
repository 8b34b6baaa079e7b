import type { Thing } from './fake-collection.ts';
import { TextCollection } from './text-collection.ts';
import { WRITINGS } from './writings.ts';

/** A collection that is sent as bytes, each object written in one of the ways that JSON allows. */
export class WrittenCollection extends TextCollection {
  readonly #random: () => number;

  constructor(random: () => number) {
    super();
    this.#random = random;
  }

  protected override textOf(object: Thing): string {
    const [, write] = WRITINGS[Math.floor(this.#random() * WRITINGS.length)] ?? [];
    return write?.(object) ?? super.textOf(object);
  }
}
