/** Bytes that all exchanges under way may keep together. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** False when not so much is left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** A body as far as it is kept: whole, or only its length. */
export class KeptBytes {
  readonly #limit: number;
  readonly #budget: Budget;
  #chunks: Buffer[] = [];
  #kept = 0;
  #length = 0;
  #isCut = false;

  constructor(limit: number, budget: Budget) {
    this.#limit = limit;
    this.#budget = budget;
  }

  /** In bytes, also when they were too many to be kept. */
  get length(): number {
    return this.#length;
  }

  add(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#isCut) return;
    if (this.#length > this.#limit || !this.#budget.take(chunk.length)) {
      this.release();
      this.#isCut = true;
      return;
    }
    this.#chunks.push(chunk);
    this.#kept += chunk.length;
  }

  /** Empty for a body that was not kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** Undefined for a body that was not kept, or is not UTF-8. */
  text(): string | undefined {
    if (this.#isCut) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes());
    } catch {
      return undefined;
    }
  }

  /** Whether the bytes were too many to be kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Forgets the bytes. */
  release(): void {
    this.#budget.give(this.#kept);
    this.#kept = 0;
    this.#chunks = [];
  }
}
