// An import would also load Web Crypto, which delays the start of each test file.
const { createHash } = process.getBuiltinModule('node:crypto');

/**
 * A limited number of states of earlier runs, each with the number of further deviations that were
 * allowed from that state.
 */
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

  /**
   * @returns true if an earlier run has visited the state, and could then still make at least as many
   * deviations. Otherwise the state is recorded.
   */
  isKnown(digest: string, left: number): boolean {
    const name = createHash('sha1').update(digest).digest('base64');
    const before = this.#left.get(name);
    if (before !== undefined && before >= left) return true;
    if (before !== undefined || !this.isFull) this.#left.set(name, left);
    return false;
  }
}
