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
  [307, 'POST', '{"webhook":"update successful"}'],
  [308, 'POST', '{"webhook":"update successful"}'],
  [301, 'GET', ''],
  [302, 'GET', ''],
  [303, 'GET', ''],
])('[reloader 22] a redirect %i is followed by a %s', async (code, method, body) => {
  const server = await serve((response, { path }) =>
    status(path === '/there' ? 204 : code, { location: '/there' })(response),
  );

  expect(await send(`${server.url}/here`)).toBe(204);
  expect(server.received[1]).toMatchObject({ method, path: '/there', body });
});

test('redirects without end are an error, and so is one to another scheme', async () => {
  const loop = await serve(status(307, { location: '/again' }));
  const elsewhere = await serve(status(307, { location: 'https://example.invalid/' }));

  await expect(send(loop.url)).rejects.toThrow('more than 10 times');
  await expect(send(elsewhere.url)).rejects.toThrow('redirects elsewhere');
  expect(loop.received).toHaveLength(11);
});

test('[reloader R19] a webhook that hangs is given up, and the error has no part of its URL', async () => {
  const clock = new FakeClock();
  const server = await serve(() => clock.advance(2_000));

  await expect(send(`${server.url}/token`, clock)).rejects.toThrow(/^no answer within 2000 ms$/);
});

test('an event that is sent again has the same id', async () => {
  const server = await serve(status(200));
  const clock = new FakeClock();
  await send(server.url, clock, true);
  clock.advance(60_000);
  await send(server.url, clock, true);

  const [first, again] = server.received.map(({ body }) => (JSON.parse(body) as { id: string }).id);
  expect(first).toBe('demo/secret/login/updated/7');
  expect(again).toBe(first);
});
