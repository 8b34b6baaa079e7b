/**
 * Requests that an API server turns away with HTTP/2's own means, behind a real `kubectl proxy`.
 *
 * @module-tag kubectl
 */
import { constants } from 'node:http2';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { intercept } from '../../operator/client/client-of.ts';
import { retry } from '../../operator/client/interceptors/retry.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { undiciTransport } from '../../operator/transport/undici-transport.ts';
import { request, transportTo } from '../transport/raw-server.ts';
import { answer, type H2Request, type H2Upstream, startH2Upstream } from './support/h2-upstream.ts';
import { startKubectl } from './support/kubectl-process.ts';
import { send } from './support/send.ts';

const { signal } = new AbortController();
const target = { namespace: 'demo', name: 'a' };
const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: target };

/** A real `kubectl proxy` in front of `upstream`; resolves to its URL. */
async function proxyTo(upstream: H2Upstream): Promise<string> {
  const { serves } = await startKubectl(
    `--server=${upstream.url}`,
    '--insecure-skip-tls-verify',
    '--token=ambassador',
    '--port=0',
  );
  return `http://${serves}`;
}

/** Turns a request away so that the sender knows: it was not processed. */
const TURN_AWAY = {
  REFUSED_STREAM: ({ stream }: H2Request) => stream.close(constants.NGHTTP2_REFUSED_STREAM),
  GOAWAY: ({ stream, session }: H2Request) =>
    session.goaway(constants.NGHTTP2_NO_ERROR, (stream.id ?? 0) - 2),
} as const;

/** An upstream that turns the second request away, whatever it is, and answers all others. */
async function turningAway(how: keyof typeof TURN_AWAY): Promise<H2Upstream> {
  return startH2Upstream((turned, index) => {
    if (index === 1) TURN_AWAY[how](turned);
    else answer(turned.stream, turned.method === 'POST' ? 201 : 200, object);
  });
}

test.each([
  ['REFUSED_STREAM', 'GET'],
  ['REFUSED_STREAM', 'DELETE'],
  ['GOAWAY', 'GET'],
  ['GOAWAY', 'DELETE'],
] as const)('proxy 17: after %s the proxy itself retries a %s', async (how, method) => {
  const upstream = await turningAway(how);
  const transport = transportTo(await proxyTo(upstream));
  await text((await transport.send(request())).body);

  const response = await transport.send(request({ method }));

  expect(response.status).toBe(200);
  expect(upstream.requests.map((seen) => seen.method)).toEqual(['GET', method, method]);
});

test.each([
  ['REFUSED_STREAM', 'create'],
  ['REFUSED_STREAM', 'apply'],
  ['REFUSED_STREAM', 'update'],
  ['GOAWAY', 'create'],
  ['GOAWAY', 'apply'],
  ['GOAWAY', 'update'],
] as const)("proxy 17: after %s the proxy does not repeat a write, and the operator's %s is done once", async (how, verb) => {
  const upstream = await turningAway(how);
  const transport = undiciTransport(await proxyTo(upstream));
  onTestFinished(() => transport.close());
  const plain = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  await plain.get(configMaps, target, { signal });
  const client = intercept(plain, retry({ clock: systemClock }));
  const generated = { ...object, metadata: { namespace: 'demo', name: '', generateName: 'a-' } };

  const written = await {
    create: () => client.create(configMaps, generated, { signal }),
    apply: () => client.apply(configMaps, object, { signal }),
    update: () => client.update(configMaps, object, { force: true, signal }),
  }[verb]();

  expect(written).toEqual(object);
  const [, refused, repeated, ...rest] = upstream.requests;
  expect(repeated).toMatchObject({ method: refused?.method, body: refused?.body });
  expect(rest).toEqual([]);
});

test("proxy 17: the operator understands from the proxy's message that a request was not sent", async () => {
  const upstream = await turningAway('GOAWAY');
  const transport = transportTo(await proxyTo(upstream));
  const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  await client.get(configMaps, target, { signal });

  const creating = client.create(configMaps, object, { signal });

  await expect(creating).rejects.toMatchObject({ code: 'AMBASSADOR_UPSTREAM', fate: 'not-sent' });
});

test('proxy 18: if the API server sends a GOAWAY after each response, neither a request nor a watch fails', async () => {
  const upstream = await startH2Upstream(({ path, stream, session }) => {
    if (path === '/watch') {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      stream.write('first\n');
    } else answer(stream, 200, {});
    session.goaway();
  });
  const transport = transportTo(await proxyTo(upstream));
  const watch = await transport.send(request({ purpose: 'watch', path: '/watch' }));

  const statuses: number[] = [];
  for (let sent = 0; sent < 5; sent++) {
    const response = await transport.send(request({ method: 'POST', body: '{}' }));
    await text(response.body);
    statuses.push(response.status);
  }
  upstream.requests[0]?.stream.end('last\n');

  expect(await text(watch.body)).toBe('first\nlast\n');
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  expect(upstream.sessions.length).toBeGreaterThan(4);
});

test("proxy 29: the ambassador's token is sent with the operator's requests, unless a client sends its own token", async () => {
  const upstream = await startH2Upstream(({ stream }) => answer(stream, 200, {}));
  const url = await proxyTo(upstream);

  await transportTo(url).send(request());
  await send(url, 'GET', '/version', { authorization: 'Bearer mine' });

  expect(upstream.requests.map(({ headers }) => headers.authorization)).toEqual([
    'Bearer ambassador',
    'Bearer mine',
  ]);
});
