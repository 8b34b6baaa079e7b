/** The embedded API server with TLS, as clients of HTTP/2 and of HTTP/1.1 see it. */
import { once } from 'node:events';
import { type ClientHttp2Session, connect, constants } from 'node:http2';
import { type RequestOptions, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServer, type ApiServerOptions } from '../../../src/apiserver/api-server.ts';

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const tokens = { t: { name: 'jane' } };
const BEARER = { authorization: 'Bearer t' };

async function secureServer(options: ApiServerOptions = {}): Promise<ApiServer> {
  const server = await ApiServer.start({ tls: {}, authentication: { tokens }, ...options });
  onTestFinished(() => server.close());
  return server;
}

/** A connection of HTTP/2 that trusts `ca`. */
function session({ url, secure }: ApiServer, ca: string = secure.ca): ClientHttp2Session {
  const client = connect(url, { ca });
  client.on('error', () => {});
  onTestFinished(() => client.destroy());
  return client;
}

interface Answer {
  readonly status: number | undefined;
  readonly body: string;
}

async function ask(
  client: ClientHttp2Session,
  headers: Readonly<Record<string, string>>,
  body?: string,
): Promise<Answer> {
  const stream = client.request({ ...BEARER, ...headers });
  stream.end(body);
  const [answered] = (await once(stream, 'response')) as [{ ':status'?: number }];
  return { status: answered[':status'], body: await text(stream) };
}

/** One request over HTTP/1.1. */
async function overHttp1({ port, secure: { ca } }: ApiServer, options: RequestOptions) {
  const sent = request({ host: '127.0.0.1', port, ca, agent: false, ...options });
  sent.end();
  const [response] = await once(sent, 'response');
  return { version: response.httpVersion, status: response.statusCode, body: await text(response) };
}

test('the secure port supports HTTP/2 and HTTP/1.1, and refuses connections without TLS', async () => {
  const server = await secureServer();

  const [newer, older] = [
    await ask(session(server), { ':path': '/version' }),
    await overHttp1(server, { path: '/version', headers: BEARER }),
  ];

  expect(server.url).toMatch(/^https:\/\/127\.0\.0\.1:[0-9]+$/);
  expect(newer.status).toBe(200);
  expect(older).toMatchObject({ version: '1.1', status: 200, body: newer.body });
  await expect(fetch(server.url.replace('https:', 'http:'))).rejects.toThrow();
});

test('the certificate of the secure port has the local names and the names from the options', async () => {
  const server = await secureServer({ tls: { names: ['kubernetes.default.svc', '10.0.0.1'] } });
  const names = ['localhost', '127.0.0.1', 'kubernetes.default.svc', '10.0.0.1', 'example.com'];

  const outcomes = await Promise.all(
    names.map(async (servername) => {
      const options = {
        path: '/version',
        headers: { ...BEARER, host: servername },
        servername: '',
      };
      const { checkServerIdentity } = await import('node:tls');
      const verified = overHttp1(server, {
        ...options,
        checkServerIdentity: (_, certificate) => checkServerIdentity(servername, certificate),
      });
      return verified.then(
        ({ status }) => status,
        (error: NodeJS.ErrnoException) => error.code,
      );
    }),
  );

  expect(outcomes).toEqual([200, 200, 200, 200, 'ERR_TLS_CERT_ALTNAME_INVALID']);
});

test('a request without credentials is refused with AlwaysAllow, and is from system:anonymous with RBAC', async () => {
  const open = await secureServer();
  const guarded = await secureServer({ authorization: 'RBAC' });
  const nobody = { authorization: '' };

  const answers = [
    await ask(session(open), { ...nobody, ':path': CONFIG_MAPS }),
    await ask(session(guarded), { ...nobody, ':path': CONFIG_MAPS }),
    await ask(session(guarded), { ...nobody, ':path': '/version' }),
    await ask(session(guarded), { authorization: 'Bearer wrong', ':path': '/version' }),
  ];

  expect(answers.map(({ status }) => status)).toEqual([401, 403, 200, 401]);
  expect(answers[1]?.body).toContain('User \\"system:anonymous\\" cannot list');
});

test('the request log has the authenticated user of each request', async () => {
  const server = await secureServer();
  const client = session(server);

  await ask(client, { ':path': '/version' });
  await ask(client, { ':path': '/version', authorization: 'Bearer wrong' });
  await ask(client, { ':path': '/version', 'impersonate-user': 'joe' });

  expect(server.requests.map(({ user }) => user)).toEqual(['jane', undefined, 'jane']);
});

test('for the test itself, the secure server also has a port without TLS for each user', async () => {
  const server = await secureServer();

  const answer = await fetch(`${await server.urlFor('root')}${CONFIG_MAPS}`);

  expect(answer.status).toBe(200);
  expect(server.requests).toMatchObject([{ user: 'root' }]);
});

test('writes, watches and the ends of watches work over HTTP/2 on the secure port', async () => {
  const server = await secureServer();
  const client = session(server);
  const watches = ['clean', 'reset'].map(() =>
    client.request({ ...BEARER, ':path': `${CONFIG_MAPS}?watch=true` }),
  );
  await Promise.all(watches.map((watch) => once(watch, 'response')));

  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' } };
  const create = { ':method': 'POST', ':path': CONFIG_MAPS, 'content-type': 'application/json' };
  const created = await ask(client, create, JSON.stringify(object));
  const [[line]] = (await Promise.all(watches.map((watch) => once(watch, 'data')))) as [[Buffer]];

  expect(created.status).toBe(201);
  expect(JSON.parse(String(line))).toMatchObject({
    type: 'ADDED',
    object: { metadata: { name: 'a' } },
  });
  expect(server.requests.at(-1)?.headers.host).toBe(`127.0.0.1:${server.port}`);
  const ends = watches.map((watch) => once(watch, 'end').then(() => watch.rstCode));
  server.closeWatches('clean');
  expect(await Promise.all(ends)).toEqual([0, 0]);
});

test('a watch that is reset over HTTP/2 breaks, and its connection stays open', async () => {
  const server = await secureServer();
  const client = session(server);
  const watch = client.request({ ...BEARER, ':path': `${CONFIG_MAPS}?watch=true` });
  await once(watch, 'response');

  server.closeWatches('reset');
  await once(watch, 'error');

  expect(watch.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
  expect((await ask(client, { ':path': '/version' })).status).toBe(200);
  expect(server.secure.connections).toBe(1);
});

test('a body over the limit is refused over HTTP/2 without affecting other requests', async () => {
  const server = await secureServer();
  const client = session(server);
  const create = { ':method': 'POST', ':path': CONFIG_MAPS, 'content-type': 'application/json' };

  const refused = await ask(client, create, 'x'.repeat(3 * 1024 * 1024 + 1));

  expect(refused.status).toBe(413);
  expect((await ask(client, { ':path': '/version' })).status).toBe(200);
});

test('after GOAWAY, running requests continue, and new requests need another connection', async () => {
  const server = await secureServer();
  const client = session(server);
  const watch = client.request({ ...BEARER, ':path': `${CONFIG_MAPS}?watch=true` });
  await once(watch, 'response');

  const gone = once(client, 'goaway');
  server.secure.goAway();
  await gone;
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default' },
  });
  const [line] = (await once(watch, 'data')) as [Buffer];

  expect(String(line)).toContain('"name":"a"');
  expect(client.closed).toBe(true);
  expect((await ask(session(server), { ':path': '/version' })).status).toBe(200);
});

test.each([
  ['REFUSED_STREAM', constants.NGHTTP2_REFUSED_STREAM],
  ['GOAWAY', undefined],
] as const)('a request that the server refuses by %s is not executed and not logged', async (how, code) => {
  const server = await secureServer();
  const client = session(server);
  const happened = server.secure.turnAway(how, (method) => method === 'DELETE');
  await ask(client, { ':path': '/version' });

  const gone = once(client, 'goaway');
  const stream = client.request({ ...BEARER, ':method': 'DELETE', ':path': CONFIG_MAPS });
  stream.on('error', () => {});
  await happened;

  if (code === undefined) {
    const [, lastProcessed] = await gone;
    expect(lastProcessed).toBeLessThan(stream.id ?? 0);
  } else {
    if (!stream.closed) await new Promise((resolve) => stream.once('close', resolve));
    expect(stream.rstCode).toBe(code);
  }
  expect(server.requests.map(({ method }) => method)).toEqual(['GET']);
});

test('after renewAuthority, new connections get a certificate of a new authority', async () => {
  const server = await secureServer();
  const trusted = server.secure.ca;
  const before = session(server);
  await ask(before, { ':path': '/version' });

  server.secure.renewAuthority();

  const [refusal] = (await once(session(server, trusted), 'error')) as [NodeJS.ErrnoException];
  expect(refusal.code).toMatch(/CERT|SIGNATURE/);
  expect((await ask(before, { ':path': '/version' })).status).toBe(200);
  expect((await ask(session(server), { ':path': '/version' })).status).toBe(200);
});

test('a stopped secure server has the same URL and authority when it listens again', async () => {
  const server = await secureServer();
  const { url } = server;
  const { ca } = server.secure;
  const client = session(server);
  const watch = client.request({ ...BEARER, ':path': `${CONFIG_MAPS}?watch=true` });
  watch.on('error', () => {});
  await once(watch, 'response');

  const closed = once(client, 'close');
  await server.stop();
  await closed;
  await server.listen();

  expect([server.url, server.secure.ca]).toEqual([url, ca]);
  expect((await ask(session(server, ca), { ':path': '/version' })).status).toBe(200);
});

test('`server.secure` throws an error on a server without TLS', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());

  expect(() => server.secure).toThrow(/start it with tls/);
});
