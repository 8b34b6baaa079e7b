import { getEventListeners } from 'node:events';
import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { withTimeout } from '../../operator/core/abort.ts';

function scene() {
  const clock = new FakeClock();
  const stop = new AbortController();
  const { signal } = stop;
  const left = () => ({
    timers: clock.pending,
    listeners: getEventListeners(signal, 'abort').length,
  });
  return { clock, stop, signal, left, options: { clock, signal, timeoutMs: 1_000 } };
}

/** Work that ends when it is told to, and not before. */
const heedful = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error('interrupted')));
  });

const NOTHING = { timers: 0, listeners: 0 };

test('work that ends in time returns its result, and leaves no timer or listener', async () => {
  const { clock, options, left } = scene();
  let heard: AbortSignal | undefined;

  const result = await withTimeout(options, async (signal) => {
    heard = signal;
    return 7;
  });
  clock.advance(1_000);

  expect(result).toBe(7);
  expect(heard?.aborted).toBe(false);
  expect(left()).toEqual(NOTHING);
});

test('if the work fails, withTimeout rejects with the error of the work', async () => {
  const { options, left } = scene();
  const own = new Error('own');

  const failed = withTimeout(options, () => Promise.reject(own));

  await expect(failed).rejects.toBe(own);
  expect(left()).toEqual(NOTHING);
});

test('after the timeout the work is aborted, and withTimeout rejects, whatever the work returns', async () => {
  const { clock, options, left } = scene();

  const late = withTimeout(options, heedful);
  const refused = expect(late).rejects.toMatchObject({
    code: 'USER_CODE',
    message: 'not done within 1000 ms',
    context: { timeoutMs: 1_000 },
  });
  clock.advance(999);
  const before = clock.pending;
  clock.advance(1);

  await refused;
  expect(before).toBe(1);
  expect(left()).toEqual(NOTHING);
});

test('the caller does not wait for work that ignores its signal', async () => {
  const { clock, options } = scene();
  const tooLate = new Error('the provider did not answer');

  const late = withTimeout({ ...options, tooLate: () => tooLate }, () => new Promise(() => {}));
  const refused = expect(late).rejects.toBe(tooLate);
  clock.advance(1_000);

  await refused;
});

test('if the caller aborts, the work is aborted with the same reason', async () => {
  const { stop, options, left } = scene();
  const reason = new Error('stopping');
  let heard: unknown;

  const stopped = withTimeout(options, (signal) => {
    signal.addEventListener('abort', () => {
      heard = signal.reason;
    });
    return new Promise(() => {});
  });
  const refused = expect(stopped).rejects.toBe(reason);
  stop.abort(reason);

  await refused;
  expect(heard).toBe(reason);
  expect(left()).toEqual(NOTHING);
});

test('if the caller has already aborted, the work does not start', async () => {
  const { clock } = scene();
  const reason = new Error('stopped');
  let begun = 0;

  const stopped = withTimeout(
    { clock, signal: AbortSignal.abort(reason), timeoutMs: 1_000 },
    async () => begun++,
  );

  await expect(stopped).rejects.toBe(reason);
  expect(begun).toBe(0);
  expect(clock.pending).toBe(0);
});
