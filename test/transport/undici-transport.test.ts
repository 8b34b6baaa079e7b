import { getEventListeners, once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { eventually, FakeClock, settle } from '@chancery/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { VERSION } from '../../operator/core/version.ts';
import { answerOf, CHUNKED_HEAD, chunkOf, rawServer, request, transportTo } from './raw-server.ts';

describe('a request on the wire', () => {
  test('[P-9] every request with a body, even a DELETE, has the content-length of the body', async () => {
    const server = await rawServer(() => answerOf(200));
    const transport = transportTo(server.url);
    const body = '{"preconditions":{"uid":"é"}}';

    for (const method of ['DELETE', 'POST', 'PUT', 'PATCH'] as const) {
      await text((await transport.send(request({ method, body }))).body);
    }

    const length = Buffer.byteLength(body);
    expect(server.requests.map(({ head }) => /^content-length: .*$/im.exec(head)?.[0])).toEqual(
      Array(4).fill(`content-length: ${length}`),
    );
    expect(Buffer.from(server.requests[0]?.body ?? '', 'latin1').toString('utf8')).toBe(body);
  });

  test('[P-9] after a DELETE without a body, the connection can be used again', async () => {
    const server = await rawServer(() => answerOf(200));
    const transport = transportTo(server.url, { maxInFlight: 1 });

    await text((await transport.send(request({ method: 'DELETE' }))).body);
    await text((await transport.send(request())).body);

    expect(server.requests.map(({ head }) => head.split(' ')[0])).toEqual(['DELETE', 'GET']);
    expect(server.sockets).toHaveLength(1);
  });

  test.each([
    'call',
    'watch',
  ] as const)("[P-5] [P-8] a %s sends the toolkit's user agent, and asks for uncompressed bytes", async (purpose) => {
    const server = await rawServer(() => answerOf(200));
    const transport = transportTo(server.url);

    await text(
      (await transport.send(request({ purpose, headers: { accept: 'application/json' } }))).body,
    );

    const head = server.requests[0]?.head ?? '';
    const names = [...head.matchAll(/^([\w-]+):/gm)].map(([, name]) => name).sort();
    expect(names).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
    expect(head).toMatch(new RegExp(`^user-agent: chancery/${VERSION}\r$`, 'm'));
    expect(head).toMatch(/^accept-encoding: identity\r?$/m);
    expect(head).toMatch(/^host: 127\.0\.0\.1:\d+\r?$/m);
  });

  test('[P-8] the transport accepts another user agent', async () => {
    const server = await rawServer(() => answerOf(200));
    const transport = transportTo(server.url, { userAgent: 'website-operator/1.2' });

    await text((await transport.send(request())).body);

    expect(server.requests[0]?.head).toMatch(/^user-agent: website-operator\/1\.2\r?$/m);
  });

  test('[P-1] a request goes to the ambassador, whatever the proxy variables of the environment are', async () => {
    vi.stubEnv('HTTP_PROXY', 'http://127.0.0.1:1');
    vi.stubEnv('http_proxy', 'http://127.0.0.1:1');
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const server = await rawServer(() => answerOf(200));

    const { status } = await transportTo(server.url).send(request());

    expect(status).toBe(200);
  });

  test('[P-2] a request over a unix socket has a Host that kubectl proxy accepts', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const server = await rawServer(() => answerOf(200, '{"a":1}'), {
      path: join(folder, 's.sock'),
    });

    const response = await transportTo(server.url).send(request());

    expect(await text(response.body)).toBe('{"a":1}');
    expect(server.requests[0]?.head).toMatch(/^host: localhost\r?$/m);
  });

  test.each([
    'version',
    '',
    '/a b',
    '/ä',
    '/a\r\nx-evil: 1',
    '//api',
    '/api//v1',
    '/api/./v1',
    '/api/..',
    '/api/v1/namespaces/%2e%2e/secrets',
    '/api/v1/namespaces/%2E./secrets',
    '/api/v1/a%2Fb',
    '/api/v1/a%5cb',
    '/api/v1/a\\b',
    '/api/v1/%252e',
    '/api/v1/a%0aI0101',
    '/api/v1#a',
  ])('the transport refuses the path %j', async (path) => {
    const server = await rawServer(() => answerOf(200));

    const sending = transportTo(server.url).send(request({ path }));

    await expect(sending).rejects.toMatchObject({ code: 'CONFIG' });
    expect(server.requests).toEqual([]);
  });
});

describe('a response', () => {
  test('a response has its status, headers in lower case and body', async () => {
    const headers = {
      'Content-Type': 'application/json',
      Warning: '299 - "a"',
      warning: '299 - "b"',
    };
    const server = await rawServer(() => answerOf(404, '{"kind":"Status"}', headers));

    const response = await transportTo(server.url).send(request());

    expect(response.status).toBe(404);
    expect(response.headers).toMatchObject({
      'content-type': 'application/json',
      warning: '299 - "a", 299 - "b"',
    });
    expect(await text(response.body)).toBe('{"kind":"Status"}');
  });

  test('a redirect is returned as it is', async () => {
    const server = await rawServer(() => answerOf(301, '', { location: '/elsewhere' }));

    const { status } = await transportTo(server.url).send(request());

    expect(status).toBe(301);
    expect(server.requests).toHaveLength(1);
  });

  test('an informational response does not count as the final response', async () => {
    const server = await rawServer(() => `HTTP/1.1 103 Early Hints\r\n\r\n${answerOf(200, '[1]')}`);

    const response = await transportTo(server.url).send(request());

    expect(response.status).toBe(200);
    expect(await text(response.body)).toBe('[1]');
  });

  test('[W-11] a response that is read slowly never accumulates in memory, and is complete in the end', async () => {
    const sentBytes = 16 * 1024 * 1024;
    const server = await rawServer(
      () => `HTTP/1.1 200 OK\r\ncontent-length: ${sentBytes}\r\n\r\n${'x'.repeat(sentBytes)}`,
    );

    const { body } = await transportTo(server.url).send(request({ purpose: 'watch' }));
    let readBytes = 0;
    let mostBytes = 0;
    for await (const chunk of body) {
      readBytes += (chunk as Buffer).length;
      mostBytes = Math.max(mostBytes, body.readableLength);
      await settle();
    }

    expect(readBytes).toBe(sentBytes);
    expect(mostBytes).toBeLessThanOrEqual(256 * 1024);
  });
});

describe('connections', () => {
  test('[P-3] 200 open watches do not delay a call', async () => {
    const server = await rawServer(({ head }) =>
      head.startsWith('GET /watch') ? CHUNKED_HEAD + chunkOf('{}\n') : answerOf(200, '{"ok":1}'),
    );
    const transport = transportTo(server.url, { maxInFlight: 1 });
    const watch = request({ purpose: 'watch', path: '/watch' });
    const watches = await Promise.all(Array.from({ length: 200 }, () => transport.send(watch)));

    const response = await transport.send(request());

    expect(await text(response.body)).toBe('{"ok":1}');
    expect(watches.filter(({ body }) => body.destroyed)).toEqual([]);
    expect(server.sockets.filter(({ destroyed }) => !destroyed)).toHaveLength(201);
  });

  test('[P-17] calls beyond `maxInFlight` wait until another call has its response', async () => {
    const server = await rawServer(() => undefined);
    const transport = transportTo(server.url, { maxInFlight: 2 });
    const calls = Array.from({ length: 5 }, () =>
      transport.send(request()).then(({ body }) => text(body)),
    );
    await eventually(() => server.requests.length === 2);
    const atFirst = server.requests.length;

    for (let answered = 0; answered < 5; answered++) {
      await eventually(() => server.requests.length > answered);
      server.requests[answered]?.socket.write(answerOf(200));
    }
    await Promise.all(calls);

    expect(atFirst).toBe(2);
    expect(server.sockets).toHaveLength(2);
  });

  test('[P-17] 64 of 1000 concurrent calls are sent, and a Lease request does not wait for them', async () => {
    const server = await rawServer(({ head }) =>
      head.startsWith('PUT') ? answerOf(200) : undefined,
    );
    const transport = transportTo(server.url);
    const stop = new AbortController();
    const calls = Array.from({ length: 1_000 }, () =>
      transport.send(request({ signal: stop.signal })),
    );
    const ended = Promise.allSettled(calls);
    await eventually(() => server.requests.length >= 64);

    const lease = await transport.send(request({ method: 'PUT', purpose: 'election', body: '{}' }));
    const methods = server.requests.map(({ head }) => head.split(' ')[0]);
    stop.abort();
    await ended;

    expect(lease.status).toBe(200);
    expect(methods.filter((method) => method === 'GET')).toHaveLength(64);
  });

  test('[P-17] calls have no rate limit: a thousand calls follow each other without a timer', async () => {
    const server = await rawServer(() => answerOf(200));
    const clock = new FakeClock();
    const transport = transportTo(server.url, { clock });

    for (let sent = 0; sent < 1_000; sent++) await text((await transport.send(request())).body);

    expect(server.requests).toHaveLength(1_000);
    expect(clock.monotonic()).toBe(0);
  });

  test('[P-3] the connection of a watch is not used again; the connection of a call is', async () => {
    const server = await rawServer(() => answerOf(200));
    const transport = transportTo(server.url, { maxInFlight: 1 });

    for (const purpose of ['watch', 'watch', 'call', 'call'] as const) {
      await text((await transport.send(request({ purpose }))).body);
    }

    const kept = server.requests.map(({ head }) =>
      /^connection: (.*)\r?$/m.exec(head)?.[1]?.trim(),
    );
    expect(kept).toEqual(['close', 'close', 'keep-alive', 'keep-alive']);
    const [first, second, third, fourth] = server.requests.map(({ socket }) =>
      server.sockets.indexOf(socket),
    );
    expect(first).not.toBe(second);
    expect(third).not.toBe(second);
    expect(fourth).toBe(third);
  });

  // The server's hint asks for a minute; undici would follow it.
  test('[P-16] an idle connection is closed by the transport', async () => {
    const server = await rawServer(() =>
      answerOf(200, '{}', { connection: 'keep-alive', 'keep-alive': 'timeout=60' }),
    );
    const transport = transportTo(server.url);
    await text((await transport.send(request())).body);

    await once(server.sockets[0] ?? expect.unreachable(), 'end');
  });

  test('close() ends open requests, and nothing is sent afterwards', async () => {
    const server = await rawServer(({ head }) =>
      head.startsWith('GET /watch') ? CHUNKED_HEAD : undefined,
    );
    const transport = transportTo(server.url);
    const watch = await transport.send(request({ purpose: 'watch', path: '/watch' }));
    const call = transport.send(request());
    call.catch(() => {});
    await eventually(() => server.requests.length === 2);

    await transport.close();

    await expect(call).rejects.toMatchObject({ code: 'AMBASSADOR_UNREACHABLE', fate: 'unknown' });
    await expect(text(watch.body)).rejects.toMatchObject({ code: 'CONNECTION_LOST' });
    await expect(transport.send(request())).rejects.toMatchObject({
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
    });
    expect(server.requests).toHaveLength(2);
  });
});

describe('cancellation', () => {
  test('[P-6] cancellation leaves no listener behind on a signal that many requests share', async () => {
    const server = await rawServer((_request, index) =>
      index % 3 === 0 ? CHUNKED_HEAD + chunkOf('x') : answerOf(200),
    );
    const transport = transportTo(server.url);
    const { signal } = new AbortController();

    for (let sent = 0; sent < 100; sent++) {
      const response = await transport.send(request({ signal }));
      if (sent % 3 === 0) response.body.destroy();
      else await text(response.body);
    }
    await server.close();
    await transport.send(request({ signal })).catch(() => {});

    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('an abort before the send rejects with the reason and sends nothing', async () => {
    const server = await rawServer(() => answerOf(200));
    const reason = new Error('not wanted');

    const sending = transportTo(server.url).send(request({ signal: AbortSignal.abort(reason) }));

    await expect(sending).rejects.toBe(reason);
    expect(server.sockets).toEqual([]);
  });

  test('[P-6] an abort before the response rejects with the reason and closes the connection', async () => {
    const server = await rawServer(() => undefined);
    const controller = new AbortController();
    const reason = new Error('stopped');
    const sending = transportTo(server.url).send(request({ signal: controller.signal }));
    sending.catch(() => {});
    await eventually(() => server.requests.length === 1);

    controller.abort(reason);

    await expect(sending).rejects.toBe(reason);
    await eventually(() => server.sockets[0]?.destroyed);
  });

  test('an abort while waiting for a connection rejects, and the request is never sent', async () => {
    const server = await rawServer(() => undefined);
    const transport = transportTo(server.url, { maxInFlight: 1 });
    const first = transport.send(request());
    await eventually(() => server.requests.length === 1);
    const controller = new AbortController();
    const waiting = transport.send(request({ path: '/waiting', signal: controller.signal }));
    waiting.catch(() => {});

    controller.abort();

    await expect(waiting).rejects.toBe(controller.signal.reason);
    const last = transport.send(request({ path: '/last' }));
    server.requests[0]?.socket.write(answerOf(200));
    await text((await first).body);
    await eventually(() => server.requests.length === 2);
    server.requests[1]?.socket.write(answerOf(200));
    await text((await last).body);
    expect(server.requests.map(({ head }) => head.split(' ')[1])).toEqual(['/version', '/last']);
  });

  test('[P-6] an abort of a watch fails the current read with the reason and closes the connection', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('one'));
    const controller = new AbortController();
    const { signal } = controller;
    const { body } = await transportTo(server.url).send(request({ purpose: 'watch', signal }));
    const chunks: string[] = [];
    const reading = (async () => {
      for await (const chunk of body) {
        chunks.push(String(chunk));
        setImmediate(() => controller.abort());
      }
    })();

    const failure = await reading.catch((error: unknown) => error);

    expect(failure).toBe(signal.reason);
    expect(signal.aborted).toBe(true);
    expect(chunks).toEqual(['one']);
    await eventually(() => server.sockets[0]?.destroyed);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('an abort of an unread watch closes its connection without an error', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('one'));
    const controller = new AbortController();
    const { signal } = controller;
    const { body } = await transportTo(server.url).send(request({ purpose: 'watch', signal }));

    controller.abort();

    await eventually(() => server.sockets[0]?.destroyed);
    expect(body.destroyed).toBe(true);
  });

  test('[P-6] leaving the loop over a body closes the connection', async () => {
    const server = await rawServer(() => CHUNKED_HEAD + chunkOf('one'));
    const { body } = await transportTo(server.url).send(request({ purpose: 'watch' }));

    for await (const chunk of body) {
      expect(String(chunk)).toBe('one');
      break;
    }

    await eventually(() => server.sockets[0]?.destroyed);
  });
});
