/** The number of bytes that all active exchanges may keep together. */
export class Budget {
  #left: number;

  constructor(bytes: number) {
    this.#left = bytes;
  }

  /** Reserves bytes. Returns false when not enough are left. */
  take(bytes: number): boolean {
    if (bytes > this.#left) return false;
    this.#left -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#left += bytes;
  }
}

/** A body that is kept whole, or of which only the length is kept. */
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

  /** Length in bytes, even if the bytes were too many to be kept. */
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

  /** The bytes. Empty for a body that was not kept. */
  bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  /** The bytes as text. Undefined for a body that was not kept, or that is not UTF-8. */
  text(): string | undefined {
    if (this.#isCut) return undefined;
    try {
      return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(this.bytes());
    } catch {
      return undefined;
    }
  }

  /** True when the bytes were too many to be kept. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Releases the bytes. */
  release(): void {
    this.#budget.give(this.#kept);
    this.#kept = 0;
    this.#chunks = [];
  }
}
