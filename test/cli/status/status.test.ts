import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { status as printStatus } from '../../../operator/cli/status/status.ts';
import { STATUS } from '../../../operator/cli/status/table.ts';
import { command } from '../../../operator/cli/table-command.ts';
import { invoke } from '../invocation.ts';
import { askedOperator } from './asked-operator.ts';

test('`status` prints problems first, and aligns numbers', async () => {
  const { url } = await askedOperator();

  const { exit, stdout, stderr } = invoke(['status', '--url', url]);

  expect(await exit).toBe(0);
  expect(stderr.lines).toEqual([]);
  expect(stdout.lines.slice(0, 10)).toEqual([
    'web-operator-abc: ready, running, leads',
    '  up 1 min 30 s, namespace web-system, ambassador http://127.0.0.1:8001, chancery 0.0.0, 3 writes in this minute',
    '',
    'Failing keys',
    '  KEY                               CONTROLLER  FAILURES  SINCE        NEXT  LAST ERROR',
    '  web/<img src=x onerror=alert(1)>  website            7  12:30:00Z  640 ms  422 Invalid',
    '  chancery why KEY says more about one of them',
    '',
    'Controllers',
    '  NAME     STATE    BUSY  READY  LATER  FAILING  RECONCILES  ERRORS  MEDIAN  SLOWEST  LONGEST',
  ]);
  expect(stdout.lines).toContain(
    '  secrets               web        forbidden  not synced    never   never  -',
  );
});

test('`status` works for an operator that has no controllers, sources and reconciles', async () => {
  const nothing = { controllers: [], sources: [], recent: [], failing: [], leadership: undefined };
  const { url } = await askedOperator([], { status: { ...nothing, ready: false, podName: '' } });

  const { exit, stdout } = invoke(['status', '--url', url]);

  expect(await exit).toBe(0);
  expect(stdout.lines[0]).toBe('operator: NOT READY, running');
  expect(stdout.lines.filter((line) => line === '  none')).toHaveLength(4);
});

test('`status --json` prints the JSON of the status page in one line', async () => {
  const { url } = await askedOperator();

  const { exit, stdout } = invoke(['status', '--url', url, '--json']);

  expect(await exit).toBe(0);
  expect(stdout.records).toEqual([await (await fetch(`${url}/status.json`)).json()]);
});

test('`status --watch` prints each second, waits if the operator is gone, and exits with 0', async () => {
  const { url, change, stop: stopOperator } = await askedOperator();
  const clock = new FakeClock();
  const commands = [command(STATUS, async () => (given, io) => printStatus(given, io, clock))];
  const args = ['status', '--url', url, '--watch'];
  const { exit, stdout, stderr, stop } = invoke(args, { commands });
  const again = async (): Promise<void> => {
    await eventually(() => clock.pending === 1);
    clock.advance(1_000);
  };
  await stdout.until(() => stdout.lines.length > 0);

  change({ phase: 'stopping', ready: false });
  await again();
  await stdout.until(() => stdout.lines.includes('web-operator-abc: NOT READY, stopping, leads'));
  await stopOperator();
  await again();
  await stderr.until(() => stderr.lines.length > 0);
  await again();
  await eventually(() => clock.pending === 1);
  stop();

  expect(await exit).toBe(0);
  expect(stderr.lines).toHaveLength(1);
  expect(stderr.lines[0]).toContain(`no operator answers at ${url}: `);
});

test.each([
  'status',
  'why demo/a',
])('if no operator listens, `%s` exits with 1, and says how to reach an operator', async (line) => {
  const { url, stop } = await askedOperator();
  await stop();

  const { exit, stdout, stderr } = invoke([...line.split(' '), '--url', url]);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines[0]).toMatch(
    /no operator answers at .*: .*ECONNREFUSED.*kubectl -n NAMESPACE port-forward deploy\/NAME 8081/,
  );
});

test.each([
  'status',
  'why demo/a',
])('`%s` reports that the status page is turned off', async (line) => {
  const { url } = await askedOperator([], { isOff: true });

  const { exit, stderr } = invoke([...line.split(' '), '--url', url]);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain('the status page is turned off: CHANCERY_STATUS_PAGE=false');
});

test('`status` reports that a server is not an operator, and keeps a path prefix in the URL', async () => {
  const asked: (string | undefined)[] = [];
  const server = createServer(({ url }, response) => {
    asked.push(url);
    response.setHeader('content-type', 'text/html').end('<h1>Sign in</h1>');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const { exit, stderr } = invoke(['status', '--url', `${url}/api/v1/pods/x:8081/proxy`]);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toMatch(/is no operator of chancery/);
  expect(asked).toEqual(['/api/v1/pods/x:8081/proxy/status.json']);
});

test('without `--url`, `status` uses the health port of the environment', async () => {
  const { url } = await askedOperator();
  const env = { CHANCERY_HEALTH_PORT: new URL(url).port };

  expect(await invoke(['status'], { env }).exit).toBe(0);
  expect(await invoke(['status'], { env: { CHANCERY_HEALTH_PORT: 'x' } }).exit).toBe(2);
});
