import { FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import { sendChange, type WebhookChange } from '../../tell/webhook-call.ts';
import { serve, status } from './servers.ts';

const CHANGE: WebhookChange = {
  type: 'SECRET',
  name: 'login',
  namespace: 'demo',
  action: 'updated',
  version: '7',
};

const send = (url: string, clock = new FakeClock(), cloudEvents = false): Promise<number> =>
  sendChange(CHANGE, {
    url,
    timeoutMs: 2_000,
    cloudEvents,
    clock,
    signal: new AbortController().signal,
  });

test.each([
  300, 301, 302, 303, 305, 307, 308,
])('[found 8] [reloader R29] a redirect of the webhook with status %i is a failure, and nothing is sent to its target', async (code) => {
  const ambassador = await serve(status(200));
  const hostile = await serve(status(code, { location: `${ambassador.url}/api/v1/secrets` }));

  await expect(send(`${hostile.url}/token`)).rejects.toThrow(
    `the server answered ${code}, and redirects are refused`,
  );
  expect(hostile.received).toMatchObject([{ method: 'POST', path: '/token' }]);
  expect(ambassador.received).toEqual([]);
});

test('[found 8] a redirect to another path of the same server is also a failure', async () => {
  const server = await serve(status(308, { location: '/there' }));

  await expect(send(`${server.url}/here`)).rejects.toThrow(/redirects are refused$/);
  expect(server.received).toHaveLength(1);
});

test('any response that is not a redirect is accepted, whatever its status', async () => {
  const server = await serve(status(503));

  expect(await send(server.url)).toBe(503);
});

test('[reloader R19] the call of a hanging webhook ends, and the error contains no part of its URL', async () => {
  const clock = new FakeClock();
  const server = await serve(() => clock.advance(2_000));

  await expect(send(`${server.url}/token`, clock)).rejects.toThrow(/^no answer within 2000 ms$/);
});

test('a repeated event has the same id', async () => {
  const server = await serve(status(200));
  const clock = new FakeClock();
  await send(server.url, clock, true);
  clock.advance(60_000);
  await send(server.url, clock, true);

  const [first, again] = server.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  expect(first).toBe('demo/secret/login/updated/7');
  expect(again).toBe(first);
});
