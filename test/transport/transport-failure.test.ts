import { text } from 'node:stream/consumers';
import { eventually, FakeClock } from '@chancery/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { deafListener } from './deaf-listener.ts';
import { answerOf, CHUNKED_HEAD, chunkOf, rawServer, request, transportTo } from './raw-server.ts';

/** As Go's servers answer a request that asked to close: then the end of the connection is expected. */
const closing = (head: string): string => head.replace('\r\n\r\n', '\r\nconnection: close\r\n\r\n');

/** Of this process, those that still connect among them. */
function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length;
}

describe('no server listens', () => {
  test('[P-12] a refused connection means that nothing was sent', async () => {
    const server = await rawServer(() => undefined);
    await server.close();

    const sending = transportTo(server.url).send(request({ path: '/api/v1/pods?limit=5' }));

    await expect(sending).rejects.toMatchObject({
      name: 'AmbassadorError',
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
      context: { method: 'GET', path: '/api/v1/pods', cause: 'ECONNREFUSED' },
    });
  });

  test('[P-12] a missing socket file means that nothing was sent', async () => {
    const sending = transportTo('unix:/nonexistent/chancery.sock').send(request());

    await expect(sending).rejects.toMatchObject({
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
      context: { cause: 'ENOENT' },
    });
  });

  test('[P-18] requests succeed again as soon as a server listens', async () => {
    const gone = await rawServer(() => undefined);
    await gone.close();
    const transport = transportTo(gone.url);
    await expect(transport.send(request())).rejects.toMatchObject({ fate: 'not-sent' });
    const port = Number(new URL(gone.url).port);
    await rawServer(() => answerOf(200), { host: '127.0.0.1', port });

    const { status } = await transport.send(request());

    expect(status).toBe(200);
  });
});

test('[P-16] a write after a restart of the proxy uses a new connection', async () => {
  const before = await rawServer(() => answerOf(200));
  const transport = transportTo(before.url);
  await text((await transport.send(request())).body);
  await before.close();
  const port = Number(new URL(before.url).port);
  const after = await rawServer(() => answerOf(201), { host: '127.0.0.1', port });

  const { status } = await transport.send(request({ method: 'POST', body: '{}' }));

  expect(status).toBe(201);
  expect(after.requests).toHaveLength(1);
});

describe('a connection that breaks', () => {
  test.each([
    'reset',
    'closed',
  ] as const)('[P-12] if a connection is %s before the response, the outcome is unknown', async (how) => {
    const server = await rawServer(({ socket }) => {
      if (how === 'reset') socket.resetAndDestroy();
      else socket.destroy();
      return undefined;
    });

    const sending = transportTo(server.url).send(request({ method: 'POST', body: '{}' }));

    await expect(sending).rejects.toMatchObject({
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'unknown',
      context: { method: 'POST' },
    });
    expect(server.requests).toHaveLength(1);
  });

  test.each([
    ['before its content-length', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc', 'abc'],
    ['without its last chunk', CHUNKED_HEAD + chunkOf('abc'), 'abc'],
    ['inside a chunk', `${CHUNKED_HEAD}a\r\nabc`, 'abc'],
    ['before its first chunk, as a quiet watch does', CHUNKED_HEAD, ''],
    ['although it said that it would close', closing(CHUNKED_HEAD), ''],
    [
      'inside a chunk, although it said that it would close',
      `${closing(CHUNKED_HEAD)}a\r\nabc`,
      'abc',
    ],
  ])('[P-12] a response that ends %s counts as incomplete', async (_, bytes, arrived) => {
    const server = await rawServer(({ socket }) => {
      socket.end(bytes);
      return undefined;
    });
    const { body } = await transportTo(server.url).send(request({ purpose: 'watch' }));
    let received = '';

    const reading = (async () => {
      for await (const chunk of body) received += String(chunk);
    })();

    await expect(reading).rejects.toMatchObject({
      name: 'AmbassadorError',
      code: 'CONNECTION_LOST',
      fate: 'unknown',
    });
    expect(received).toBe(arrived);
  });

  test('a response is complete when its last chunk has arrived, even if the connection ends', async () => {
    const server = await rawServer(({ socket }) => {
      socket.end(CHUNKED_HEAD + chunkOf('abc') + chunkOf(''));
      return undefined;
    });

    const { body } = await transportTo(server.url).send(request({ purpose: 'watch' }));

    expect(await text(body)).toBe('abc');
  });
});

describe('a response that is not HTTP', () => {
  test.each([
    ['a banner', 'SSH-2.0-OpenSSH_9.6\r\n'],
    ['an endless head', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`],
  ])('a response with %s causes a protocol error', async (_, bytes) => {
    const server = await rawServer(() => bytes);

    const sending = transportTo(server.url).send(request());

    await expect(sending).rejects.toMatchObject({ code: 'NOT_KUBERNETES', layer: 'protocol' });
    await eventually(() => server.sockets[0]?.destroyed);
  });
});

describe('timers', () => {
  test.each([
    ['call', 40_000, undefined],
    ['watch', 60_000, undefined],
    ['call', 7_000, 7_000],
  ] as const)('[P-7] a %s without a response fails after %i ms', async (purpose, limitMs, headersTimeoutMs) => {
    const clock = new FakeClock();
    const server = await rawServer(() => undefined);
    const parts = { purpose, ...(headersTimeoutMs === undefined ? {} : { headersTimeoutMs }) };
    let outcome: unknown;
    const sending = transportTo(server.url, { clock }).send(request(parts));
    sending.catch((error) => {
      outcome = error;
    });
    await eventually(() => server.requests.length === 1);

    await clock.advanceAndSettle(limitMs - 1);
    const before = outcome;
    await clock.advanceAndSettle(1);

    expect(before).toBeUndefined();
    expect(outcome).toMatchObject({
      code: 'AMBASSADOR_TIMEOUT',
      fate: 'unknown',
      context: { timeoutMs: limitMs },
    });
    await eventually(() => server.sockets[0]?.destroyed);
    expect(clock.pending).toBe(0);
  });

  test('[P-7] a call whose body does not end fails at its deadline', async () => {
    const clock = new FakeClock();
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('abc'));
    const { body } = await transportTo(server.url, { clock }).send(request());
    const reading = text(body);
    reading.catch(() => {});

    await clock.advanceAndSettle(65_000);

    await expect(reading).rejects.toMatchObject({ code: 'AMBASSADOR_TIMEOUT', fate: 'unknown' });
    await eventually(() => server.sockets[0]?.destroyed);
  });

  test('[P-7] a call that never got a connection was not sent', async () => {
    const clock = new FakeClock();
    const server = await rawServer(() => CHUNKED_HEAD);
    const transport = transportTo(server.url, { clock, maxInFlight: 1, callDeadlineMs: 20_000 });
    await transport.send(request());
    const waiting = transport.send(request({ method: 'POST', body: '{}' }));
    waiting.catch(() => {});

    await clock.advanceAndSettle(20_000);

    await expect(waiting).rejects.toMatchObject({ code: 'AMBASSADOR_TIMEOUT', fate: 'not-sent' });
    expect(server.requests).toHaveLength(1);
  });

  test('[P-7] a Lease request may take at most half of the renew deadline', async () => {
    const clock = new FakeClock();
    const server = await rawServer(() => undefined);
    const lease = request({ method: 'PUT', purpose: 'election', body: '{}' });
    const sending = transportTo(server.url, { clock }).send(lease);
    sending.catch(() => {});
    await eventually(() => server.requests.length === 1);

    await clock.advanceAndSettle(5_000);

    await expect(sending).rejects.toMatchObject({
      code: 'AMBASSADOR_TIMEOUT',
      fate: 'unknown',
      context: { timeoutMs: 5_000 },
    });
  });

  test.each([
    'call',
    'watch',
  ] as const)('[P-7] a %s that no server accepts fails after 4 s, and counts as not sent', async (purpose) => {
    const clock = new FakeClock();
    const url = await deafListener();
    const before = openSockets();
    let outcome: unknown;
    const sending = transportTo(url, { clock }).send(request({ purpose }));
    sending.catch((error: unknown) => {
      outcome = error;
    });

    await clock.advanceAndSettle(3_999);
    const early = outcome;
    await clock.advanceAndSettle(1);

    expect(early).toBeUndefined();
    expect(outcome).toMatchObject({
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
      context: { cause: 'ETIMEDOUT' },
    });
    expect(clock.pending).toBe(0);
    await eventually(() => openSockets() === before);
  });

  test('[P-4] the HTTP library does not end a silent watch, unlike a silent fetch', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => {
      vi.useRealTimers();
    });
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('abc'));
    const { body } = await transportTo(server.url).send(request({ purpose: 'watch' }));
    const canary = await fetch(server.url);
    const reader = canary.body?.getReader();
    await reader?.read();
    const cut = reader?.read().catch((error: unknown) => error);

    await vi.advanceTimersByTimeAsync(320_000);

    expect(await cut).toMatchObject({ cause: { code: 'UND_ERR_BODY_TIMEOUT' } });
    server.requests[0]?.socket.write(chunkOf('def') + chunkOf(''));
    expect(await text(body)).toBe('abcdef');
  });

  test('[P-4] an open watch has no timer', async () => {
    const clock = new FakeClock();
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('abc'));
    const transport = transportTo(server.url, { clock });

    const { body } = await transport.send(request({ purpose: 'watch' }));

    expect(clock.pending).toBe(0);
    expect(body.destroyed).toBe(false);
  });

  test('[P-7] a call that got its response leaves no timer behind', async () => {
    const clock = new FakeClock();
    const server = await rawServer(() => answerOf(200));

    await text((await transportTo(server.url, { clock }).send(request())).body);

    expect(clock.pending).toBe(0);
  });
});
