/** What arrives on either side of a real `kubectl proxy`: failures, headers, bodies, redirects. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { readAnswer } from '../../operator/client/answer.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { retryingClient } from '../../operator/client/retrying-client.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import type { TransportRequest } from '../../operator/transport/transport.ts';
import {
  answerOf,
  type RawServer,
  rawServer,
  request,
  transportTo,
} from '../transport/raw-server.ts';
import { startAmbassador } from './support/ambassador.ts';
import { send } from './support/send.ts';
import { startUpstream } from './support/upstream.ts';

const { signal } = new AbortController();
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const JSON_HEADERS = { 'content-type': 'application/json' };

/** A URL where nobody listens, but where somebody may later. */
async function deserted(): Promise<{ url: string; port: number }> {
  const server = await rawServer(() => undefined);
  await server.close();
  return { url: server.url, port: Number(new URL(server.url).port) };
}

async function failureOf(ambassador: string, parts: Partial<TransportRequest>): Promise<unknown> {
  const response = await transportTo(ambassador).send(request(parts));
  return readAnswer(response, systemClock).catch((error: unknown) => error);
}

/** The head of the only request that reached `server`. */
function headAt({ requests }: RawServer): string {
  expect(requests).toHaveLength(1);
  return requests[0]?.head ?? '';
}

test.each(
  METHODS,
)('proxy 15: an API server that refuses connections never saw the %s', async (method) => {
  const ambassador = await startAmbassador((await deserted()).url);

  const failure = await failureOf(ambassador, {
    method,
    ...(method === 'GET' ? {} : { body: '{}' }),
  });

  expect(failure).toMatchObject({
    code: 'AMBASSADOR_UPSTREAM',
    layer: 'ambassador',
    fate: 'not-sent',
    context: { status: 500 },
    message: expect.stringMatching(/dial tcp .*connection refused/),
  });
});

test('proxy 15: a generated name too is created, once, when the API server is back', async () => {
  const { url, port } = await deserted();
  const transport = transportTo(await startAmbassador(url));
  const plain = restClient({ transport, fieldManager: 'tester', clock: systemClock });
  const metadata = { namespace: 'demo', name: '', generateName: 'a-' };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata };

  const creating = retryingClient(plain, { clock: systemClock }).create(configMaps, object, {
    signal,
  });
  const server = await rawServer(() => answerOf(201, JSON.stringify(object)), {
    host: '127.0.0.1',
    port,
  });

  expect(await creating).toEqual(object);
  expect(server.requests).toHaveLength(1);
});

test.each([
  401, 403, 404, 409, 410, 422, 429, 500, 503, 504,
])('proxy 16: a Status with %i passes as it is, after one request', async (code) => {
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    code,
    reason: 'R',
    message: 'm',
  });
  const server = await rawServer(() =>
    answerOf(code, body, { ...JSON_HEADERS, 'retry-after': '7' }),
  );
  const ambassador = await startAmbassador(server.url);

  const failure = await failureOf(ambassador, { method: 'PUT', body: '{}' });

  expect(failure).toMatchObject({ code: 'API_STATUS', status: code, retryAfterMs: 7_000 });
  expect(server.requests).toHaveLength(1);
});

test('proxy 16: the proxy’s own 403 is told from the API server’s', async () => {
  const body = JSON.stringify({
    kind: 'Status',
    status: 'Failure',
    code: 403,
    reason: 'Forbidden',
  });
  const server = await rawServer(() => answerOf(403, body));
  const ambassador = await startAmbassador(server.url, {
    acceptPaths: ['^/version$'],
    rejectPaths: ['^$x'],
    rejectMethods: ['^$x'],
  });

  const failures = [
    await failureOf(ambassador, { path: '/version' }),
    await failureOf(ambassador, { path: '/api/v1/secrets' }),
  ];

  expect(failures).toMatchObject([
    { code: 'API_STATUS', layer: 'api-server' },
    { code: 'AMBASSADOR_FORBIDDEN', layer: 'ambassador', fate: 'not-sent' },
  ]);
  expect(server.requests).toHaveLength(1);
});

test.each([
  [301, { location: '/elsewhere' }],
  [304, {}],
  [307, { location: '/elsewhere' }],
])('proxy 16: proxy 34: a %i is not followed and is no answer of the API', async (code, headers) => {
  const server = await rawServer(() => answerOf(code, '', headers));
  const ambassador = await startAmbassador(server.url);

  const failure = await failureOf(ambassador, {});

  expect(failure).toMatchObject({ code: 'NOT_KUBERNETES', context: { status: code } });
  expect(server.requests).toHaveLength(1);
});

test('proxy 34: the redirect of a path that kubectl tidies is not followed', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url);

  const failure = await failureOf(ambassador, { path: '/api//v1/pods' });

  expect(failure).toMatchObject({ code: 'NOT_KUBERNETES', context: { status: 301 } });
  expect(upstream.seen).toEqual([]);
});

test('proxy 28: OPTIONS * is answered by the proxy alone, whatever the Host', async () => {
  const upstream = await startUpstream();
  const ambassador = await startAmbassador(upstream.url);

  const answers = [
    await send(ambassador, 'OPTIONS', '*'),
    await send(ambassador, 'OPTIONS', '*', { host: 'evil.example' }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([200, 200]);
  expect(upstream.seen).toEqual([]);
});

const IDENTITIES = {
  'impersonate-user': 'admin',
  'x-remote-user': 'admin',
  cookie: 'session=1',
  authorization: 'Bearer mine',
};

test('proxy 29: our requests carry no identity, and the proxy adds but where they come from', async () => {
  const server = await rawServer(() => answerOf(200));
  const transport = transportTo(await startAmbassador(server.url));
  const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });

  await client.delete(configMaps, { namespace: 'demo', name: 'a' }, { signal });

  const head = headAt(server);
  expect(head).not.toMatch(
    /^(?:authorization|impersonate-|x-remote-|cookie|forwarded|x-real-ip)/im,
  );
  expect(head).toMatch(/^x-forwarded-for: 127\.0\.0\.1\r?$/im);
});

test('proxy 29: canary: the proxy would forward an identity to the API server', async () => {
  const server = await rawServer(() => answerOf(200));
  const ambassador = await startAmbassador(server.url);

  await send(ambassador, 'GET', '/version', { ...IDENTITIES, 'x-forwarded-for': '9.9.9.9' });

  const head = headAt(server);
  for (const [name, value] of Object.entries(IDENTITIES)) {
    expect(head.toLowerCase()).toContain(`${name}: ${value.toLowerCase()}`);
  }
  expect(head).toMatch(/^x-forwarded-for: 9\.9\.9\.9, 127\.0\.0\.1\r?$/im);
});

test('proxy 30: our User-Agent and traceparent arrive at the API server', async () => {
  const server = await rawServer(() => answerOf(200));
  const ambassador = await startAmbassador(server.url);
  const transport = transportTo(ambassador, { userAgent: 'website-operator/1.2 (linux)' });

  await transport.send(request({ headers: { traceparent: '00-0af7-b7ad-01' } }));

  const head = headAt(server);
  expect(head).toMatch(/^user-agent: website-operator\/1\.2 \(linux\)\r?$/im);
  expect(head).toMatch(/^traceparent: 00-0af7-b7ad-01\r?$/im);
});

/** Answers with gzip where that is accepted, as API servers do. */
async function compressing(): Promise<RawServer> {
  const zipped = gzipSync('{"a":1}').toString('latin1');
  return rawServer(({ head }) =>
    /^accept-encoding: .*gzip/im.test(head)
      ? answerOf(200, zipped, { ...JSON_HEADERS, 'content-encoding': 'gzip' })
      : answerOf(200, '{"a":1}'),
  );
}

test.each([
  'call',
  'watch',
] as const)('P-5 proxy 31: a %s offers no compression to the API server', async (purpose) => {
  const server = await compressing();
  const transport = transportTo(await startAmbassador(server.url));

  const { body, headers } = await transport.send(request({ purpose }));

  expect(await text(body)).toBe('{"a":1}');
  expect(headers['content-encoding']).toBeUndefined();
  expect(headAt(server)).toMatch(/^accept-encoding: identity\r?$/im);
});

test('proxy 31: canary: without our header the proxy offers gzip, with gzip it passes it on', async () => {
  const server = await compressing();
  const ambassador = await startAmbassador(server.url);

  const byProxy = await send(ambassador, 'GET', '/version');
  const { port } = new URL(ambassador);
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  socket.write(
    'GET / HTTP/1.1\r\nhost: localhost\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n',
  );
  const answer = Buffer.concat(await socket.toArray());
  const zipped = answer.subarray(answer.indexOf('\r\n\r\n') + 4);

  expect(byProxy.body).toBe('{"a":1}');
  expect(gunzipSync(zipped).toString()).toBe('{"a":1}');
  expect(
    server.requests.map(({ head }) => /^accept-encoding: (.*?)\r?$/im.exec(head)?.[1]),
  ).toEqual(['gzip', 'gzip']);
});

test('P-9 proxy 32: a DELETE with a body is framed, and the connection stays in order', async () => {
  const server = await rawServer(() => answerOf(200));
  const ambassador = await startAmbassador(server.url);
  const transport = transportTo(ambassador, { maxInFlight: 1 });
  const body = '{"preconditions":{"uid":"u1"}}';

  const first = await transport.send(request({ method: 'DELETE', body }));
  await text(first.body);
  const second = await transport.send(request());

  expect([first.status, second.status]).toEqual([200, 200]);
  expect(server.requests.map(({ head, body: sent }) => [head.split(' ')[0], sent])).toEqual([
    ['DELETE', body],
    ['GET', ''],
  ]);
});

test('proxy 32: canary: a body without its length would be a request of its own', async () => {
  const server = await rawServer(() => answerOf(200));
  const { port } = new URL(await startAmbassador(server.url));
  const socket = connect({ host: '127.0.0.1', port: Number(port) });
  await once(socket, 'connect');

  const smuggled = 'GET /smuggled HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
  socket.write(`DELETE /a HTTP/1.1\r\nhost: localhost\r\n\r\n${smuggled}`);
  await socket.toArray();

  expect(server.requests.map(({ head }) => head.split(' ')[1])).toEqual(['/a', '/smuggled']);
});
