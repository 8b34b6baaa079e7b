import { setInterval } from 'node:timers/promises';
import { messageOf, OperatorError } from 'chancery/internal-objects';

export interface ConsistentlyOptions {
  /** How long `probe` must hold. Default 500 ms, many times the reaction time on the loopback. */
  readonly forMs?: number;
}

const INTERVAL_MS = 10;

/**
 * Resolves to the last result of `probe` if, during all of `forMs`, it never threw and never
 * returned false or undefined. Use it to show that something does not happen, with real processes
 * and sockets. The longer `forMs` is, the more reliable is the result. With a FakeClock, use
 * `TestEnv.advance` instead, which is reliable and fast.
 *
 * @throws OperatorError `USER_CODE` as soon as the probe does not hold, with the failure as its
 * cause.
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
