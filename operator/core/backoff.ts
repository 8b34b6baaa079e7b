/** The delays for one sequence of failures. */
export interface Backoff {
  /** The next delay in milliseconds. Each call counts as one more failure. */
  nextMs(): number;
  /** Starts again with the first delay. */
  reset(): void;
}

interface ExponentialBackoffOptions {
  readonly initialMs: number;
  readonly maxMs: number;
  /** The factor by which the delay grows with each failure. Default 2. */
  readonly factor?: number;
  /** Each delay is multiplied by a random factor in [1, 1 + jitter). Default 0. */
  readonly jitter?: number;
  /** Random source, uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** Delays that grow geometrically up to `maxMs`. Jitter is added on top, so a delay may exceed `maxMs`. */
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
