/** `chancery watch --once`: the first list, and an end. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { command } from '../../operator/cli/table-command.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';
import { runWatch } from '../../operator/cli/watch/watch.ts';
import { type Invocation, invoke } from './invocation.ts';
import { configMap, summary } from './printed.ts';
import { json, listOf, object, PATH, scriptedServer, text } from './scripted-server.ts';
import { startServer } from './server.ts';

function once(server: { readonly url: string }, ...args: readonly string[]): Invocation {
  return invoke(['watch', ...args, '--once', '--server', server.url]);
}

test.each([
  0, 3,
])('[W-43] `watch --once` prints the %i objects that exist, opens no watch, and exits with 0', async (count) => {
  const server = await startServer();
  for (let n = 0; n < count; n++) server.create(configMap(`c${n}`));

  const { exit, stdout } = once(server, 'cm', '-n', 'demo');

  expect(await exit).toBe(0);
  expect(summary(stdout.lines)).toEqual(['ADDED c0', 'ADDED c1', 'ADDED c2'].slice(0, count));
  expect(server.requests.filter(({ query }) => query.has('watch'))).toEqual([]);
});

test('[W-43] `watch --once` prints the objects of all pages', async () => {
  const server = await startServer();
  for (let n = 0; n < 1_234; n++) server.create(configMap(`c${n}`));

  const { exit, stdout } = once(server, 'cm', '-n', 'demo');

  expect(await exit).toBe(0);
  expect(new Set(summary(stdout.lines)).size).toBe(1_234);
});

test('`watch --once` prints the marker of `--sync-marker` last', async () => {
  const server = await startServer();
  server.create(configMap('a'));

  const { exit, stdout } = once(server, 'cm', '-n', 'demo', '--sync-marker');

  expect(await exit).toBe(0);
  expect(stdout.lines.map((line) => (JSON.parse(line) as { type: string }).type)).toEqual([
    'ADDED',
    'BOOKMARK',
  ]);
});

test('`watch --once` does not wait for a missing resource, given by name or path, but exits with 2', async () => {
  const server = await startServer();

  const name = once(server, 'websites.example.com', '-n', 'demo');
  const path = once(server, '/apis/example.com/v1/namespaces/demo/websites');

  expect([await name.exit, await path.exit]).toEqual([2, 2]);
  expect(name.stderr.lines).toEqual([expect.stringContaining('websites.example.com')]);
  expect(path.stderr.lines).toEqual([expect.stringContaining('websites')]);
});

test('`watch --once` exits with 1 if RBAC or a filter refuses the list, and prints the reason', async () => {
  const body = {
    kind: 'Status',
    apiVersion: 'v1',
    status: 'Failure',
    reason: 'Forbidden',
    message: 'configmaps is forbidden',
    code: 403,
  };
  for (const [answer, told] of [
    [json(403, body), 'configmaps is forbidden'],
    [text(403, 'Forbidden'), 'filter'],
  ] as const) {
    const { url } = await scriptedServer({ lists: [answer, answer], watches: [] });

    const { exit, stderr } = once({ url }, PATH);

    expect(await exit).toBe(1);
    expect(stderr.lines.at(-1)).toContain(told);
  }
});

test('`watch --once` waits for an API server that is not yet running', async () => {
  const clock = new FakeClock();
  const gone = text(500, 'dial tcp 10.0.0.1:443: connect: refused');
  const { url } = await scriptedServer({
    lists: [gone, gone, listOf('10', object('a', '9'))],
    watches: [],
  });

  const { exit, stdout, stderr } = invoke(['watch', PATH, '--once', '--server', url], {
    commands: [command(WATCH, async () => (given, io) => runWatch(given, io, clock))],
  });
  let ended = false;
  const over = exit.finally(() => {
    ended = true;
  });
  while (!ended) {
    await eventually(() => ended || clock.pending > 0);
    clock.advance(1_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await over;

  expect(await exit).toBe(0);
  expect(summary(stdout.lines)).toEqual(['ADDED a']);
  expect(stderr.records[0]).toMatchObject({ reason: 'upstream-unreachable' });
});
