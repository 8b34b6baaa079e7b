/**
 * What a real kubectl does with the arguments of the ambassador's image.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, test } from 'vitest';
import { startImage } from './support/image.ts';
import { DECLARED, split } from './support/requests.ts';
import { REFUSED, send } from './support/send.ts';
import { startUpstream } from './support/upstream.ts';

test('[security 14] the proxy image refuses every path until the Pod sets a filter', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, []);

  const answers = [];
  for (const line of [...DECLARED, 'GET /', 'GET /static/', 'GET /api']) {
    answers.push(await send(ambassador, ...split(line)));
  }

  expect(answers).toEqual(answers.map(() => REFUSED));
  expect(upstream.seen).toEqual([]);
});

test("the Pod's arguments decide what the proxy image allows, because they come last", async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, ['--accept-paths=^/version$']);

  const opened = await send(ambassador, 'GET', '/version');
  const other = await send(ambassador, 'GET', '/metrics');

  expect(opened.status).toBe(200);
  expect(other).toEqual(REFUSED);
});

test('the proxy image answers only to loopback names', async () => {
  const upstream = await startUpstream();
  const ambassador = await startImage(upstream.url, ['--accept-paths=^/version$']);

  const statuses = new Map<string, number | undefined>();
  for (const host of ['127.0.0.1', 'localhost:8001', 'evil.example', 'LOCALHOST', '127x0.0.1']) {
    statuses.set(host, (await send(ambassador, 'GET', '/version', { host })).status);
  }

  expect(Object.fromEntries(statuses)).toEqual({
    '127.0.0.1': 200,
    'localhost:8001': 200,
    'evil.example': 403,
    LOCALHOST: 403,
    '127x0.0.1': 403,
  });
});

test('the proxy image listens on 127.0.0.1 only', async () => {
  const upstream = await startUpstream();
  const { port } = new URL(await startImage(upstream.url, []));

  const elsewhere = connect({ host: '127.0.0.2', port: Number(port) });
  const [error] = (await once(elsewhere, 'error')) as [NodeJS.ErrnoException];

  expect(error.code).toBe('ECONNREFUSED');
});
