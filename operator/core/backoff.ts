/** The delays of one sequence of failures. */
export interface Backoff {
  /** The next delay in milliseconds; each call is one more failure. */
  nextMs(): number;
  /** Starts over: the next delay is the first again. */
  reset(): void;
}

interface ExponentialBackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** Growth per failure. Default 2. */
  readonly factor?: number;
  /** Each delay is stretched by a random factor in [1, 1 + jitter). Default 0. */
  readonly jitter?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** Delays that grow geometrically up to `maxMs`; jitter is added on top, so it may exceed it. */
export function exponentialBackoff({
  initialMs,
  maxMs,
  factor = 2,
  jitter = 0,
  random = Math.random,
}: ExponentialBackoffOptions): Backoff {
  let baseMs = initialMs;
  return {
    nextMs() {
      const delayMs = baseMs * (1 + jitter * random());
      baseMs = Math.min(baseMs * factor, maxMs);
      return delayMs;
    },
    reset() {
      baseMs = initialMs;
    },
  };
}
