import { once } from 'node:events';
import { Agent, get, type IncomingMessage } from 'node:http';
import { type AddressInfo, connect, createServer } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import { type HealthCheck, HealthServer } from '../../operator/manager/http/health-server.ts';
import { recordingLog } from '../support/recording-log.ts';

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
  readonly headers: IncomingMessage['headers'];
}

async function started(
  ready: readonly HealthCheck[] = [],
  live: readonly HealthCheck[] = [],
): Promise<HealthServer> {
  const server = new HealthServer({ port: 0, host: '127.0.0.1', live, ready });
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

async function ask(server: HealthServer, path: string, agent?: Agent): Promise<Answer> {
  const options = { host: '127.0.0.1', port: server.port, path, ...(agent && { agent }) };
  const [response] = (await once(get(options), 'response')) as [IncomingMessage];
  return {
    status: response.statusCode,
    body: await text(response),
    headers: response.headers,
  };
}

const good: HealthCheck = { name: 'good', ok: () => true };
const bad: HealthCheck = { name: 'bad', ok: () => false };
const broken: HealthCheck = {
  name: 'broken',
  ok: () => {
    throw new Error('secret reason');
  },
};

describe('HealthServer', () => {
  test.each([
    '/healthz',
    '/livez',
    '/readyz',
    '/readyz/',
    '/readyz?',
    '/readyz/good',
    '/livez/ping',
  ])('[H-1] %s is ok when all checks pass', async (path) => {
    const server = await started([good]);

    const { status, body, headers } = await ask(server, path);

    expect([status, body]).toEqual([200, 'ok']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-cache, no-store',
    });
  });

  test.each([
    [
      '/readyz?verbose',
      500,
      '[+]ping ok\n[+]good ok\n[-]bad failed: reason withheld\nhealthz check failed\n',
    ],
    [
      '/readyz',
      500,
      '[+]ping ok\n[+]good ok\n[-]bad failed: reason withheld\nhealthz check failed\n',
    ],
    ['/readyz/bad', 500, '[-]bad failed: reason withheld\nhealthz check failed\n'],
    ['/readyz/good?verbose', 200, '[+]good ok\nhealthz check passed\n'],
    ['/readyz?exclude=bad', 200, 'ok'],
    [
      '/readyz?exclude=bad&verbose=1',
      200,
      '[+]ping ok\n[+]good ok\n[+]bad excluded: ok\nhealthz check passed\n',
    ],
    ['/readyz?exclude=good&exclude=bad', 200, 'ok'],
    [
      '/readyz?exclude=good',
      500,
      '[+]ping ok\n[+]good excluded: ok\n[-]bad failed: reason withheld\nhealthz check failed\n',
    ],
    [
      '/readyz?exclude=unknown',
      500,
      '[+]ping ok\n[+]good ok\n[-]bad failed: reason withheld\n' +
        'warn: some health checks cannot be excluded: no matches for "unknown"\nhealthz check failed\n',
    ],
    ['/healthz?verbose', 200, '[+]ping ok\n[+]good ok\nhealthz check passed\n'],
    ['/livez?verbose', 200, '[+]ping ok\n[+]good ok\nhealthz check passed\n'],
    ['/livez/bad', 404, '404 page not found\n'],
    ['/readyz/good/more', 404, '404 page not found\n'],
    ['/readyz/unknown', 404, '404 page not found\n'],
    ['/', 404, '404 page not found\n'],
    ['/metrics', 404, '404 page not found\n'],
  ])('[H-1] the probe %s answers %i when one check fails', async (path, status, body) => {
    const server = await started([good, bad], [good]);

    expect(await ask(server, path)).toMatchObject({ status, body });
  });

  test('[H-1] HEAD is answered like GET, without a body, and other methods are refused', async () => {
    const server = await started([good]);

    const head = await fetch(`http://127.0.0.1:${server.port}/readyz`, { method: 'HEAD' });
    const post = await fetch(`http://127.0.0.1:${server.port}/readyz`, { method: 'POST' });

    expect([head.status, head.headers.get('content-length'), await head.text()]).toEqual([
      200,
      '2',
      '',
    ]);
    expect([post.status, post.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
  });

  test('[H-1] the reason of a failing check is logged once when it begins to fail, and once when it passes again', async () => {
    const { lines, logFor } = recordingLog();
    let ok = false;
    const check = { name: 'store', ok: () => ok, why: () => ({ missing: 'pods' }) };
    const options = { port: 0, host: '127.0.0.1', live: [], ready: [check], log: logFor({}) };
    const server = new HealthServer(options);
    await server.start();
    onTestFinished(() => server.stop());

    const bodies: string[] = [];
    for (const next of [false, true, true]) {
      bodies.push((await ask(server, '/readyz')).body);
      ok = next;
    }
    await ask(server, '/readyz');

    expect(bodies.join()).not.toContain('pods');
    expect(lines.map(({ level, message, fields }) => [level, message, fields])).toEqual([
      ['warn', 'health check failed', { check: 'store', missing: 'pods' }],
      ['info', 'health check passes again', { check: 'store' }],
    ]);
  });

  test('[H-1] during startup a failing check fails the probe without a log line; after startup it is logged, too', async () => {
    const { lines, logFor } = recordingLog();
    let [ok, isStarting] = [false, true];
    const check = { name: 'synced', ok: () => ok, starting: () => isStarting };
    const options = { port: 0, host: '127.0.0.1', live: [], ready: [check], log: logFor({}) };
    const server = new HealthServer(options);
    await server.start();
    onTestFinished(() => server.stop());

    const { status } = await ask(server, '/readyz');
    const atStart = lines.length;
    isStarting = false;
    await ask(server, '/readyz');
    ok = true;
    await ask(server, '/readyz');

    expect([status, atStart]).toEqual([500, 0]);
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ['warn', 'health check failed'],
      ['info', 'health check passes again'],
    ]);
  });

  test('[H-5] a check that returns a promise counts as failed', async () => {
    const asked = { name: 'api', ok: (async () => true) as unknown as () => boolean };
    const server = await started([asked]);

    const { status } = await ask(server, '/readyz');

    expect(status).toBe(500);
  });

  test('[H-5] probes are answered in less than 100 ms while other clients hold a hundred connections', async () => {
    const server = await started([good]);
    const idle = await Promise.all(
      Array.from({ length: 100 }, async () => {
        const socket = connect(server.port, '127.0.0.1');
        onTestFinished(() => {
          socket.destroy();
        });
        socket.on('error', () => {}); // the reset at the end is the point
        await once(socket, 'connect');
        socket.write('GET /readyz HTTP/1.1\r\nHost: x\r\n'); // and never the rest
        return socket;
      }),
    );
    const durations: number[] = [];

    for (let probe = 0; probe < 50; probe++) {
      const startedAt = performance.now();
      await ask(server, '/readyz');
      durations.push(performance.now() - startedAt);
    }

    expect(idle.every(({ destroyed }) => !destroyed)).toBe(true);
    expect(durations.toSorted((a, b) => a - b)[25]).toBeLessThan(100);
  });

  test('a check that throws counts as failed, and the message of the error is not sent', async () => {
    const server = await started([broken]);

    const { status, body } = await ask(server, '/readyz');

    expect([status, body]).toEqual([
      500,
      '[+]ping ok\n[-]broken failed: reason withheld\nhealthz check failed\n',
    ]);
  });

  test('each request to a probe runs the checks again', async () => {
    let ok = false;
    const server = await started([{ name: 'changing', ok: () => ok }]);
    const before = await ask(server, '/readyz');

    ok = true;
    const after = await ask(server, '/readyz');

    expect([before.status, after.status]).toEqual([500, 200]);
  });

  test.each([
    '//',
    '///readyz',
    'http://[',
    '/%zz',
    '/readyz?%zz',
    '*',
  ])('the health server survives a request for %j', async (path) => {
    const server = await started();
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => {
      socket.destroy();
    });
    socket.end(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);

    const answer = await text(socket);
    const { body } = await ask(server, '/livez');

    expect(answer).toMatch(/^HTTP\/1\.1 (200|404) /);
    expect(body).toBe('ok');
  });

  test('if the health port is taken, the error is a ConfigurationError that contains the port', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => {
      other.close();
    });
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo;
    const server = new HealthServer({ port, host: '127.0.0.1', live: [], ready: [] });

    const error: unknown = await server.start().catch((reason: unknown) => reason);
    await server.stop();

    expect(error).toBeInstanceOf(ConfigurationError);
    expect(error).toMatchObject({ code: 'CONFIG', context: { port, host: '127.0.0.1' } });
  });

  test('stop() closes kept-alive connections, and frees the port', async () => {
    const server = await started();
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    onTestFinished(() => agent.destroy());
    await ask(server, '/livez', agent);
    const { port } = server;

    await server.stop();
    await server.stop();
    const again = new HealthServer({ port, host: '127.0.0.1', live: [], ready: [] });
    await again.start();
    onTestFinished(() => again.stop());

    expect(again.port).toBe(port);
  });

  test('stop() does not wait for a request that never ends', async () => {
    const server = await started();
    const socket = connect(server.port, '127.0.0.1');
    onTestFinished(() => {
      socket.destroy();
    });
    socket.on('error', () => {}); // the reset is the point
    await once(socket, 'connect');
    socket.write('GET /livez HTTP/1.1\r\nHost: x\r\n');
    await ask(server, '/livez'); // by now the half request has arrived

    const closed = once(socket, 'close');
    await server.stop();
    await closed;

    expect(socket.destroyed).toBe(true);
  });

  test('a health server that never started can be stopped', async () => {
    const server = new HealthServer({ port: 0, host: '127.0.0.1', live: [], ready: [] });

    await expect(server.stop()).resolves.toBeUndefined();
  });

  test('the health server listens on every address when host is "::"', async () => {
    const server = new HealthServer({ port: 0, host: '::', live: [], ready: [] });
    await server.start();
    onTestFinished(() => server.stop());

    expect(await ask(server, '/livez')).toMatchObject({ status: 200 });
  });
});
