/** `chancery watch` while the server is replaced by another one at the same port. */
import { advanceUntil, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { command } from '../../operator/cli/table-command.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';
import { runWatch } from '../../operator/cli/watch/watch.ts';
import { invoke } from './invocation.ts';
import { configMap, summary } from './printed.ts';
import { startServer } from './server.ts';

/** Long before the first watch would have ended by itself. */
const SOON_MS = 20_000;

test.each([
  ['even if no request failed in between', false],
  ['if the server was unreachable in between', true],
])("[found 17] [W-33] `watch` notices that a new server has the old server's address, %s", async (_, isRefused) => {
  const clock = new FakeClock();
  const old = await startServer({ clock });
  for (let writes = 0; writes < 50; writes++) old.create(configMap(`old-${writes}`));
  const { port } = new URL(old.url);
  const { stdout, stderr } = invoke(['watch', 'cm', '-n', 'demo', '--server', old.url], {
    commands: [command(WATCH, async () => (given, io) => runWatch(given, io, clock))],
  });
  await advanceUntil(clock, () => old.openWatches === 1 && stdout.lines.length === 50);

  await old.close();
  if (isRefused) {
    const isTold = (): boolean => stderr.records.some(({ reason }) => reason === 'unreachable');
    await advanceUntil(clock, isTold, { withinMs: SOON_MS });
  }
  const next = await startServer({ clock, port: Number(port) });
  next.create(configMap('new'));
  const isShown = (): boolean => summary(stdout.lines).includes('ADDED new');
  await advanceUntil(clock, isShown, { withinMs: SOON_MS });

  expect(summary(stdout.lines.slice(50)).toSorted()).toEqual(
    [...Array.from({ length: 50 }, (_, writes) => `DELETED old-${writes}`), 'ADDED new'].toSorted(),
  );
  const told = {
    level: 'warn',
    msg: 'server shows an older or another state, was it restored or replaced?',
  };
  expect(stderr.records).toContainEqual(expect.objectContaining(told));
});

test('[found 17] after a restart of the same server, `watch` prints no object again', async () => {
  const clock = new FakeClock();
  const server = await startServer({ clock });
  server.create(configMap('kept'));
  const { stdout, stderr } = invoke(['watch', 'cm', '-n', 'demo', '--server', server.url], {
    commands: [command(WATCH, async () => (given, io) => runWatch(given, io, clock))],
  });
  await advanceUntil(clock, () => server.openWatches === 1 && stdout.lines.length === 1);

  await server.stop();
  const isTold = (): boolean => stderr.records.some(({ reason }) => reason === 'unreachable');
  await advanceUntil(clock, isTold, { withinMs: SOON_MS });
  await server.listen();
  const isAsked = (): boolean => server.requests.at(-1)?.query.get('limit') === '1';
  await advanceUntil(clock, isAsked, { withinMs: SOON_MS });
  server.create(configMap('later'));
  await advanceUntil(clock, () => stdout.lines.length > 1, { withinMs: SOON_MS });

  expect(summary(stdout.lines)).toEqual(['ADDED kept', 'ADDED later']);
  expect(server.openWatches).toBe(1);
});
