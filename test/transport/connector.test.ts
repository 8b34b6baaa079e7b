import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import type { Clock } from '../../operator/core/clock.ts';
import { connector } from '../../operator/transport/connector.ts';

/** A clock whose timers the test fires. */
function heldClock() {
  let nowMs = 0;
  const timers: (() => void)[] = [];
  const clock: Clock = {
    monotonic: () => nowMs,
    now: () => nowMs,
    schedule: (_delayMs, callback) => {
      timers.push(callback);
      return () => {};
    },
  };
  return {
    clock,
    timers,
    fireAt: (ms: number): void => {
      nowMs = ms;
      timers.shift()?.();
    },
  };
}

async function listening(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await new Promise((resolve) => server.once('listening', resolve));
  return (server.address() as { port: number }).port;
}

test('[N-4] a connect timer that fires late after a blocked event loop closes no connection', async () => {
  const port = await listening();
  const { clock, timers, fireAt } = heldClock();
  const connect = connector({ timeoutMs: 4_000, clock });
  const result = new Promise<Error | null>((resolve) => {
    connect({ hostname: '127.0.0.1', port: String(port) }, (error, socket) => {
      socket?.destroy();
      resolve(error);
    });
  });

  fireAt(6_000); // before the event of the socket, as Node does after a block

  expect(await result).toBeNull();
  expect(timers).toHaveLength(1);
});

test('a connect timer that fires on time ends the attempt', async () => {
  const port = await listening();
  const { clock, fireAt } = heldClock();
  const connect = connector({ timeoutMs: 4_000, clock });
  const result = new Promise<Error | null>((resolve) => {
    connect({ hostname: '127.0.0.1', port: String(port) }, (error, socket) => {
      socket?.destroy();
      resolve(error);
    });
  });

  fireAt(4_000);

  expect(await result).toMatchObject({ code: 'ETIMEDOUT' });
});
