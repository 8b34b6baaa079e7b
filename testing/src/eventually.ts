import { setInterval } from 'node:timers/promises';
import { ConfigurationError, messageOf, OperatorError } from 'chancery';

export interface EventuallyOptions {
  /** Default 10 s. */
  readonly timeoutMs?: number;
}

const INTERVAL_MS = 10;

/**
 * Resolves to what `probe` answers, as soon as it is neither false nor undefined and does not throw.
 * For tests with real processes and sockets; where a clock can be injected, own the clock instead.
 *
 * @throws OperatorError `USER_CODE` after `timeoutMs`, with the last failure as its cause.
 * @throws ConfigurationError at once when `probe` throws one: waiting does not change a configuration.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  { timeoutMs = 10_000 }: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const givenUpAt = performance.now() + timeoutMs;
  let failure: unknown;
  for await (const _ of setInterval(INTERVAL_MS)) {
    try {
      const answer = await before(givenUpAt, probe);
      if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
      failure = undefined;
    } catch (error) {
      if (error instanceof ConfigurationError) throw error;
      failure = error;
    }
    if (performance.now() > givenUpAt) break;
  }
  const why = failure === undefined ? 'the condition never held' : messageOf(failure);
  throw new OperatorError(`not within ${timeoutMs} ms: ${why}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause: failure,
  });
}

/** A probe that never answers has not held. */
async function before<T>(givenUpAt: number, probe: () => T | Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    const leftMs = Math.max(givenUpAt - performance.now(), 0) + INTERVAL_MS;
    timer = setTimeout(() => resolve(undefined), leftMs);
  });
  try {
    return await Promise.race([probe(), late]);
  } finally {
    clearTimeout(timer);
  }
}
