/** The delay of a key after each of its failures. Each delay is twice as long as the previous delay. */
export interface KeyBackoffOptions {
  /** First delay. Default 5 ms, the value of client-go. */
  readonly initialMs?: number;
  /** Longest delay. Default 1,000 s, the value of client-go. */
  readonly maxMs?: number;
  /** Each delay is multiplied by a random factor in [1, 1 + jitter). Default 0.1. */
  readonly jitter?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** Maximum exponent. The maximum delay is reached long before this, and a larger exponent would overflow. */
const MAX_EXPONENT = 60;

/**
 * The delay varies at random by up to this fraction, so that keys that failed at the same time are not
 * retried at the same time.
 */
const SPREAD = 0.1;

/** A growing delay for each key that fails. Keys that do not fail take no memory. */
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
   * Counts a failure of `key` and returns the delay in milliseconds.
   *
   * @param mostMs - the longest delay after this failure, including jitter.
   */
  nextMs(key: K, mostMs: number = Number.POSITIVE_INFINITY): number {
    const { initialMs, maxMs, jitter, random } = this.#options;
    const failures = this.#count(key);
    const capMs = Math.min(maxMs, mostMs / (1 + jitter));
    const baseMs = Math.min(initialMs * 2 ** Math.min(failures, MAX_EXPONENT), capMs);
    return baseMs * (1 + jitter * random());
  }

  /** Counts a failure of `key` and returns `everyMs` plus or minus 10 %, at random. */
  aroundMs(key: K, everyMs: number): number {
    this.#count(key);
    return everyMs * (1 + SPREAD * (2 * this.#options.random() - 1));
  }

  /** Number of failures of `key` in a row. */
  failures(key: K): number {
    return this.#failures.get(key) ?? 0;
  }

  forget(key: K): void {
    this.#failures.delete(key);
  }

  /** Number of keys that have failed and have not succeeded since. */
  get size(): number {
    return this.#failures.size;
  }

  /** @returns the number of earlier failures. */
  #count(key: K): number {
    const failures = this.failures(key);
    this.#failures.set(key, failures + 1);
    return failures;
  }
}
