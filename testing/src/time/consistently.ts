import { setInterval } from 'node:timers/promises';
import { messageOf, OperatorError } from 'chancery/internal-objects';

export interface ConsistentlyOptions {
  /** How long `probe` has to hold. Default 500 ms: many times what a reaction takes on loopback. */
  readonly forMs?: number;
}

const INTERVAL_MS = 10;

/**
 * Resolves to the last answer of `probe` when it has been neither false nor undefined, and has not
 * thrown, for all of `forMs`. For showing that something does not happen, with real processes and
 * sockets; it is as sure as its time is long. With a FakeClock, `TestEnv.advance` is sure and fast.
 *
 * @throws OperatorError `USER_CODE` as soon as it does not hold, with the failure as its cause.
 */
export async function consistently<T>(
  probe: () => T | Promise<T>,
  { forMs = 500 }: ConsistentlyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const startedAt = performance.now();
  let answer = await held(probe, startedAt);
  for await (const _ of setInterval(INTERVAL_MS)) {
    answer = await held(probe, startedAt);
    if (performance.now() - startedAt >= forMs) break;
  }
  return answer;
}

async function held<T>(
  probe: () => T | Promise<T>,
  startedAt: number,
): Promise<Exclude<T, false | undefined>> {
  let cause: unknown;
  try {
    const answer = await probe();
    if (answer !== false && answer !== undefined) return answer as Exclude<T, false | undefined>;
  } catch (error) {
    cause = error;
  }
  const afterMs = Math.round(performance.now() - startedAt);
  const why = cause === undefined ? 'the condition does not hold' : messageOf(cause);
  throw new OperatorError(`only for ${afterMs} ms: ${why}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause,
  });
}
