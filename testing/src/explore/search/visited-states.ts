// An import of it would load Web Crypto, too: it is a part of what each test file waits for.
const { createHash } = process.getBuiltinModule('node:crypto');

/** States that were there before, with how many further departures were left from there. Bounded. */
export class VisitedStates {
  readonly #left = new Map<string, number>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#left.size;
  }

  get isFull(): boolean {
    return this.#left.size >= this.#max;
  }

  /** @returns true when the state was there before with at least as many departures left. Remembers it otherwise. */
  isKnown(digest: string, left: number): boolean {
    const name = createHash('sha1').update(digest).digest('base64');
    const before = this.#left.get(name);
    if (before !== undefined && before >= left) return true;
    if (before !== undefined || !this.isFull) this.#left.set(name, left);
    return false;
  }
}
