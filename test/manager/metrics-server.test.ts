import { once } from 'node:events';
import { Agent, type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Exposition } from '../../operator/manager/metrics/exposition.ts';
import { MetricsServer, metricsPort } from '../../operator/manager/metrics/port.ts';
import { parsedExposition } from '../support/parsed-exposition.ts';

const HOST = '127.0.0.1';

interface Asked {
  readonly path?: string;
  readonly method?: string;
  readonly accept?: string;
  readonly agent?: Agent;
}

async function ask(
  port: number,
  { path = '/metrics', method = 'GET', accept, agent }: Asked = {},
): Promise<{ status: number | undefined; headers: IncomingMessage['headers']; body: string }> {
  const headers = accept === undefined ? {} : { accept };
  const sent = request({ host: HOST, port, path, method, headers, ...(agent && { agent }) }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}

const lines: object[] = [];
const log = { error: (fields: object): void => void lines.push(fields) };

async function serving(metrics: Exposition): Promise<MetricsServer> {
  const server = new MetricsServer({ port: 0, host: HOST, metrics, log });
  await server.start();
  onTestFinished(() => server.stop());
  return server;
}

const fixed = (body: string): Exposition => ({ expose: async (format) => `${format}: ${body}` });

describe('MetricsServer', () => {
  test('[X-1] /metrics serves the text format by default', async () => {
    const { port } = await serving(fixed('x 1\n'));

    const { status, headers, body } = await ask(port, { path: '/metrics?name=x' });

    expect([status, body]).toEqual([200, 'text: x 1\n']);
    expect(headers).toMatchObject({
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'content-length': String(body.length),
      vary: 'accept',
      'cache-control': 'no-cache, no-store',
    });
  });

  test('[X-1] /metrics serves OpenMetrics to a client that prefers it', async () => {
    const { port } = await serving(fixed('x 1\n'));

    const { headers, body } = await ask(port, {
      accept: 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5',
    });

    expect(body).toBe('openmetrics: x 1\n');
    expect(headers['content-type']).toBe(
      'application/openmetrics-text; version=1.0.0; charset=utf-8',
    );
  });

  test('HEAD /metrics has the headers of a GET, and no body', async () => {
    const { port } = await serving(fixed('x 1\n'));

    const { status, headers, body } = await ask(port, { method: 'HEAD' });

    expect([status, headers['content-length'], body]).toEqual([200, '10', '']);
  });

  test.each([
    ['GET', '/', 404],
    ['GET', '/metrics/', 404],
    ['GET', '/healthz', 404],
    ['POST', '/metrics', 405],
    ['DELETE', '/', 405],
  ])('the metrics server answers %s %s with %i', async (method, path, status) => {
    const { port } = await serving(fixed('x 1\n'));

    const answer = await ask(port, { method, path });

    expect(answer.status).toBe(status);
    expect(answer.headers.allow).toBe(status === 405 ? 'GET, HEAD' : undefined);
  });

  test('a failed collection is answered with 500 and logged, and the next scrape works', async () => {
    const broken = Promise.reject(new Error('secret reason'));
    broken.catch(() => {});
    const answers = [broken, Promise.resolve('x 1\n')];
    const { port } = await serving({ expose: () => answers.shift() as Promise<string> });
    const before = lines.length;

    const failed = await ask(port);
    const next = await ask(port);

    expect([failed.status, failed.body]).toEqual([500, 'metrics cannot be collected\n']);
    expect(lines.slice(before)).toEqual([{ err: new Error('secret reason') }]);
    expect([next.status, next.body]).toEqual([200, 'x 1\n']);
  });

  test('concurrent scrapes share one collection, and a later scrape causes another collection', async () => {
    const collecting: ((text: string) => void)[] = [];
    const { port } = await serving({
      expose: () => new Promise((resolve) => collecting.push(resolve)),
    });
    const agent = new Agent();
    onTestFinished(() => agent.destroy());
    const crowd = Array.from({ length: 20 }, () => ask(port, { agent }));
    await ask(port, { path: '/elsewhere' }); // by now all of them have arrived
    await expect.poll(() => collecting.length).toBe(1);

    collecting[0]?.('first\n');
    const bodies = (await Promise.all(crowd)).map(({ body }) => body);
    const later = ask(port);
    await expect.poll(() => collecting.length).toBe(2);
    collecting[1]?.('second\n');

    expect(new Set(bodies)).toEqual(new Set(['first\n']));
    expect((await later).body).toBe('second\n');
  });

  test('a client that does not read its scrape delays no other scrape, and is disconnected at shutdown', async () => {
    const server = await serving(fixed('x'.repeat(30_000_000)));
    const slow = connect(server.port, HOST);
    onTestFinished(() => {
      slow.destroy();
    });
    slow.on('error', () => {}); // the reset is the point
    slow.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(slow, 'readable'); // it reads the first piece, and then never again
    slow.pause();

    const other = await ask(server.port);
    await server.stop();

    expect(other.body).toHaveLength('text: '.length + 30_000_000);
    await once(slow.resume(), 'close');
    expect(slow.destroyed).toBe(true);
  });

  test('stop() of the metrics server closes kept-alive connections, and may be called twice', async () => {
    const server = await serving(fixed('x 1\n'));
    const agent = new Agent({ keepAlive: true });
    onTestFinished(() => agent.destroy());
    await ask(server.port, { agent });
    const { port } = server;

    await server.stop();
    await server.stop();

    await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' });
  });

  test('[N-3] if the metrics port is taken, the error is a ConfigurationError that contains the variable', async () => {
    const { port } = await serving(fixed('x 1\n'));
    const second = new MetricsServer({ port, host: HOST, metrics: fixed(''), log });

    await expect(second.start()).rejects.toMatchObject({
      code: 'CONFIG',
      message:
        `the metrics port ${port} is taken: another process listens on it. ` +
        'Set CHANCERY_METRICS_PORT to another port, or to 0 for none',
      context: { port, host: HOST, cause: 'EADDRINUSE' },
    });
  });
});

describe('metricsPort', () => {
  test('[X-1] without a metrics port nothing is measured or served', async () => {
    const { meter, server } = await metricsPort({ port: 0, host: HOST, log });

    meter.count('workqueue_adds_total', { name: 'a', controller: 'a' });

    expect(server).toBeUndefined();
  });

  test('[X-1] measurements can be scraped at the metrics port', async () => {
    const free = await serving(fixed(''));
    const { port } = free;
    await free.stop();
    const { meter, server } = await metricsPort({ port, host: HOST, prefix: 'acme_', log });
    await server?.start();
    onTestFinished(() => server?.stop());
    meter.gauge('chancery_cached_objects', { group: 'apps' }, 3);

    const { body } = await ask(port);

    const samples = parsedExposition(body).get('acme_cached_objects')?.samples;
    expect(samples).toMatchObject([{ value: 3 }]);
  });
});
