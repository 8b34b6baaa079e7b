/** `chancery watch` against a server that a test scripts, for answers that a healthy one never gives. */
import { PassThrough } from 'node:stream';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test, vi } from 'vitest';
import { command } from '../../operator/cli/table-command.ts';
import { WATCH } from '../../operator/cli/watch/table.ts';
import { runWatch } from '../../operator/cli/watch/watch.ts';
import { invoke } from './invocation.ts';
import { summary } from './printed.ts';
import {
  type Answer,
  json,
  listOf,
  object,
  PATH,
  scriptedServer,
  stream,
  text,
} from './scripted-server.ts';

const failure = (code: number, reason: string) => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: `${reason} it is`,
  reason,
  code,
});

test.each([
  [
    'a refusal by RBAC, printed over many lines',
    json(403, failure(403, 'Forbidden'), true),
    'forbidden',
  ],
  ['a refusal by the filter of the proxy', text(403, 'Forbidden'), 'filtered'],
  [
    'a proxy without API server',
    text(500, 'dial tcp 10.0.0.1:443: connect: refused'),
    'upstream-unreachable',
  ],
  [
    'a login page',
    (r) => r.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'not-kubernetes',
  ],
  [
    'a truncated list',
    (r) => r.writeHead(200, { 'content-type': 'application/json' }).end('{"items":['),
    'undecodable',
  ],
] satisfies [
  string,
  Answer,
  string,
][])('CW5, CM7: %s is logged in one line, and nothing is printed on standard output', async (_, answer, reason) => {
  const clock = new FakeClock();
  const { url } = await scriptedServer({
    lists: [answer, answer, listOf('10', object('a', '9'))],
    watches: [stream({ type: 'ADDED', object: object('b', '11') })],
  });

  const { stdout, stderr } = invoke(['watch', PATH, '--server', url], {
    commands: [command(WATCH, async () => (given, io) => runWatch(given, io, clock))],
  });
  await stderr.until(() => stderr.lines.length === 1);
  while (stdout.lines.length < 2) {
    await eventually(() => stdout.lines.length === 2 || clock.pending > 0);
    clock.advance(100);
    await new Promise((resolve) => setImmediate(resolve));
  }

  expect(summary(stdout.lines)).toEqual(['ADDED a', 'ADDED b']);
  expect(stderr.records[0]).toMatchObject({ reason });
  expect(stderr.records.filter(({ reason: found }) => found === reason)).toHaveLength(1);
});

test('CW5, CM7: an ERROR event is not printed, and the objects are listed again', async () => {
  const { url, watches } = await scriptedServer({
    lists: [
      listOf('10', object('a', '9'), object('b', '8')),
      listOf('20', object('a', '9'), object('c', '15')),
    ],
    watches: [
      stream(
        { type: 'MODIFIED', object: object('b', '11') },
        {
          type: 'BOOKMARK',
          object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion: '14' } },
        },
        { type: 'ERROR', object: failure(410, 'Expired') },
      ),
      stream({ type: 'ADDED', object: object('d', '21') }),
    ],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => summary(stdout.lines).includes('ADDED d'));

  expect(summary(stdout.lines)).toEqual([
    'ADDED a',
    'ADDED b',
    'MODIFIED b',
    'DELETED b',
    'ADDED c',
    'ADDED d',
  ]);
  expect(watches.map((watch) => watch.searchParams.get('resourceVersion'))).toEqual(['10', '20']);
});

test('watch events that repeat, or have an older version than the last event, are not printed', async () => {
  const { url } = await scriptedServer({
    lists: [listOf('10', object('a', '9'))],
    watches: [
      stream(
        { type: 'ADDED', object: object('a', '9') },
        { type: 'MODIFIED', object: object('a', '12') },
        { type: 'MODIFIED', object: object('a', '11') },
        { type: 'MODIFIED', object: object('a', '12') },
        { type: 'ADDED', object: object('b', '13') },
      ),
    ],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => summary(stdout.lines).includes('ADDED b'));

  expect(summary(stdout.lines)).toEqual(['ADDED a', 'MODIFIED a', 'ADDED b']);
});

test('CW4: if an event is cut off when the connection ends, it is printed only after it arrives completely', async () => {
  const whole = JSON.stringify({ type: 'MODIFIED', object: object('a', '12') });
  const { url } = await scriptedServer({
    lists: [listOf('10', object('a', '9'))],
    watches: [
      (response) => {
        stream({ type: 'ADDED', object: object('b', '11') })(response);
        response.write(whole.slice(0, 60), () => response.destroy());
      },
      stream(whole),
    ],
  });

  const { stdout } = invoke(['watch', PATH, '--server', url]);
  await stdout.until(() => summary(stdout.lines).includes('MODIFIED a'));

  expect(summary(stdout.lines)).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a']);
});

test('if the output is read slowly, `watch` also reads slowly from the API server', async () => {
  const big = 'x'.repeat(100_000);
  let sent = 0;
  const total = 400;
  const { url } = await scriptedServer({
    lists: [listOf('10')],
    watches: [
      (response) => {
        stream()(response);
        const pump = (): void => {
          while (sent < total) {
            const at = sent++;
            const line = { type: 'ADDED', object: object(`cm-${at}`, String(11 + at), big) };
            if (response.write(`${JSON.stringify(line)}\n`)) continue;
            response.once('drain', pump);
            return;
          }
        };
        pump();
      },
    ],
  });
  const stdout = new PassThrough({ highWaterMark: 64 * 1024 });

  invoke(['watch', PATH, '--server', url], { stdout });
  await vi.waitUntil(() => stdout.writableNeedDrain, { interval: 5, timeout: 10_000 });
  const seen = await settledValue(() => sent);

  expect(seen).toBeLessThan(total / 2);
  expect(stdout.readableLength + stdout.writableLength).toBeLessThan(1_000_000);
  const names: string[] = [];
  let rest = '';
  for await (const chunk of stdout) {
    const lines = `${rest}${chunk}`.split('\n');
    rest = lines.pop() ?? '';
    names.push(...summary(lines));
    if (names.length === total) break;
  }
  expect(names).toEqual(Array.from({ length: total }, (_, at) => `ADDED cm-${at}`));
});

/** The value of `read` once it has not changed for a while of event loop turns. */
async function settledValue(read: () => number): Promise<number> {
  for (let value = read(), calm = 0; ; calm++) {
    await new Promise((resolve) => setImmediate(resolve));
    if (read() !== value) [value, calm] = [read(), 0];
    if (calm > 2_000) return value;
  }
}
