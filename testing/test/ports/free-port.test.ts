import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../src/ports/free-port.ts';

test('freePort returns a port that is not in use and not ephemeral', async () => {
  const taken = await freePort();
  const server = createServer().listen(taken, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  // In the middle of its share: at the edge a rounding error would mean the port below.
  const shares = [(taken - 20_000 + 0.5) / 10_000, 0.5, 0.25, 0.75];

  const given = await freePort(() => shares.shift() ?? 0.9);

  expect(given).not.toBe(taken);
  expect(given).toBeGreaterThanOrEqual(20_000);
  expect(given).toBeLessThan(30_000);
  expect(shares.length).toBeLessThan(3);
});
