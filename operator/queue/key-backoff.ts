/** How long a key waits after each of its failures: twice as long as before. */
export interface KeyBackoffOptions {
  /** Default 5 ms, client-go's. */
  readonly initialMs?: number;
  /** Default 1,000 s, client-go's. */
  readonly maxMs?: number;
  /** Each delay is stretched by a random factor in [1, 1 + jitter). Default 0.1. */
  readonly jitter?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** Doubling is pointless, and overflows, long after the cap is reached. */
const MAX_EXPONENT = 60;

/** Keys that failed together do not return together. */
const SPREAD = 0.1;

/** A growing delay for each key that fails; keys that do not fail cost nothing. */
export class KeyBackoff<K> {
  readonly #failures = new Map<K, number>();
  readonly #options: Required<KeyBackoffOptions>;

  constructor(options: KeyBackoffOptions = {}) {
    this.#options = {
      initialMs: 5,
      maxMs: 1_000_000,
      jitter: 0.1,
      random: Math.random,
      ...options,
    };
  }

  /**
   * Counts one more failure of `key` and answers how long to wait.
   *
   * @param mostMs - the longest delay of this failure, jitter included.
   */
  nextMs(key: K, mostMs: number = Number.POSITIVE_INFINITY): number {
    const { initialMs, maxMs, jitter, random } = this.#options;
    const failures = this.#count(key);
    const capMs = Math.min(maxMs, mostMs / (1 + jitter));
    const baseMs = Math.min(initialMs * 2 ** Math.min(failures, MAX_EXPONENT), capMs);
    return baseMs * (1 + jitter * random());
  }

  /** Counts one more failure of `key` and answers about `everyMs`: 10 % more or less, at random. */
  aroundMs(key: K, everyMs: number): number {
    this.#count(key);
    return everyMs * (1 + SPREAD * (2 * this.#options.random() - 1));
  }

  /** Failures in a row. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Keys that have failed and not succeeded since. */
  get size(): number {
    return this.#failures.size;
  }

  /** @returns the failures before this one. */
  #count(key: K): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return failures;
  }
}
