/**
 * What arrives on either side of every `kubectl proxy` here: headers, encodings, bodies.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { restClient } from '../../operator/client/rest-client.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import {
  type Answer,
  answerOf,
  openRawServer,
  request,
  transportTo,
} from '../transport/raw-server.ts';
import { openH2Upstream } from './support/h2-upstream.ts';
import { proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { headOf, rawExchange } from './support/raw-exchange.ts';
import { send } from './support/send.ts';
import { shared } from './support/shared.ts';

const { signal } = new AbortController();
const JSON_HEADERS = { 'content-type': 'application/json' };

let answer: Answer = () => answerOf(200);
beforeEach(() => {
  answer = () => answerOf(200);
});
const upstream = shared(async () => {
  const server = await openRawServer((arrived, index) => answer(arrived, index));
  return { ...server, stop: () => server.close() };
});

const secure = shared(() =>
  openH2Upstream(({ headers, stream }) => {
    const zips = headers['accept-encoding']?.includes('gzip');
    const body = zips ? gzipSync('{"a":1}') : Buffer.from('{"a":1}');
    const coding = zips ? { 'content-encoding': 'gzip' } : {};
    stream.respond({ ':status': 200, 'content-length': body.length, ...coding });
    stream.end(body);
  }),
);

/** The head of the only request that reached the API server. */
function arrivedHead(): string {
  const { requests } = upstream();
  expect(requests).toHaveLength(1);
  return requests[0]?.head ?? '';
}

/** The value of a header of each request that reached the API server. */
function arrived(name: string): readonly (string | undefined)[] {
  const header = new RegExp(`^${name}: (.*?)\r?$`, 'im');
  return upstream().requests.map(({ head }) => header.exec(head)?.[1]);
}

const IDENTITIES = {
  'impersonate-user': 'admin',
  'x-remote-user': 'admin',
  cookie: 'session=1',
  authorization: 'Bearer mine',
};

/** Answers with gzip where that is accepted, as API servers do. */
const compressing: Answer = ({ head }) =>
  /^accept-encoding: .*gzip/im.test(head)
    ? answerOf(200, gzipSync('{"a":1}').toString('latin1'), {
        ...JSON_HEADERS,
        'content-encoding': 'gzip',
      })
    : answerOf(200, '{"a":1}');

const ACCEPTING_GZIP = headOf(
  'GET / HTTP/1.1',
  'host: localhost',
  'accept-encoding: gzip',
  'connection: close',
);

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  describe('with the default flags', () => {
    const proxy = shared(() => proxyOf(kubectl, [`--server=${upstream().url}`]));

    test('[security 9] proxy 29: requests of the operator contain no identity, and the proxy adds only headers about their origin', async () => {
      const transport = transportTo(proxy().url);
      const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });

      await client.delete(configMaps, { namespace: 'demo', name: 'a' }, { signal });

      const head = arrivedHead();
      expect(head).not.toMatch(
        /^(?:authorization|impersonate-|x-remote-|cookie|forwarded|x-real-ip)/im,
      );
      expect(head).toMatch(/^x-forwarded-for: 127\.0\.0\.1\r?$/im);
    });

    test('proxy 29: canary: the proxy would forward an identity to the API server', async () => {
      await send(proxy().url, 'GET', '/version', { ...IDENTITIES, 'x-forwarded-for': '9.9.9.9' });

      const head = arrivedHead();
      for (const [name, value] of Object.entries(IDENTITIES)) {
        expect(head.toLowerCase()).toContain(`${name}: ${value.toLowerCase()}`);
      }
      expect(head).toMatch(/^x-forwarded-for: 9\.9\.9\.9, 127\.0\.0\.1\r?$/im);
    });

    test('proxy 29: hop-by-hop headers are not forwarded', async () => {
      await rawExchange(
        proxy().url,
        headOf(
          'GET /version HTTP/1.1',
          'host: localhost',
          'connection: close, x-hop',
          'x-hop: 1',
          'keep-alive: 9',
          'proxy-authorization: Basic eA==',
        ),
      );

      expect(arrivedHead()).not.toMatch(/^(?:x-hop|keep-alive|proxy-authorization):/im);
    });

    test('proxy 34: neither the proxy nor the operator follows a redirect of the API server', async () => {
      answer = () => answerOf(307, '', { location: `${proxy().url}/elsewhere` });

      const { status, headers } = await transportTo(proxy().url).send(request());

      expect({ status, location: headers.location }).toEqual({
        status: 307,
        location: `${proxy().url}/elsewhere`,
      });
      expect(upstream().requests.map(({ head }) => head.split(' ')[1])).toEqual(['/version']);
    });

    test("[P-8] proxy 30: the operator's User-Agent and traceparent arrive at the API server", async () => {
      const transport = transportTo(proxy().url, { userAgent: 'website-operator/1.2 (linux)' });

      await transport.send(request({ headers: { traceparent: '00-0af7-b7ad-01' } }));

      expect(arrived('user-agent')).toEqual(['website-operator/1.2 (linux)']);
      expect(arrived('traceparent')).toEqual(['00-0af7-b7ad-01']);
    });

    test('proxy 30: canary: without a User-Agent of the operator the proxy sends its own', async () => {
      await send(proxy().url, 'GET', '/version');

      expect(arrived('user-agent')).toEqual([
        expect.stringMatching(new RegExp(`^kubectl\\S*/v1\\.${kubectl.minor}\\.`)),
      ]);
    });

    test.each([
      'call',
      'watch',
    ] as const)('[P-5] proxy 31: a %s of the operator does not offer compression to the API server', async (purpose) => {
      answer = compressing;

      const { body, headers } = await transportTo(proxy().url).send(request({ purpose }));

      expect(await text(body)).toBe('{"a":1}');
      expect(headers['content-encoding']).toBeUndefined();
      expect(arrived('accept-encoding')).toEqual(['identity']);
    });

    test("proxy 31: canary: without the operator's header the proxy requests gzip and unpacks it; a client that requests gzip gets it packed", async () => {
      answer = compressing;

      const unpacked = await send(proxy().url, 'GET', '/version');
      const passedOn = await rawExchange(proxy().url, ACCEPTING_GZIP);

      expect(unpacked.body).toBe('{"a":1}');
      expect(unzippedBody(passedOn)).toBe('{"a":1}');
      expect(arrived('accept-encoding')).toEqual(['gzip', 'gzip']);
    });

    test('[P-9] proxy 32: a DELETE with a body is framed correctly, and the connection stays usable', async () => {
      const transport = transportTo(proxy().url, { maxInFlight: 1 });
      const body = '{"preconditions":{"uid":"u1"}}';

      const first = await transport.send(request({ method: 'DELETE', body }));
      await text(first.body);
      const second = await transport.send(request());

      expect([first.status, second.status]).toEqual([200, 200]);
      expect(upstream().requests.map(({ head, body: sent }) => [head.split(' ')[0], sent])).toEqual(
        [
          ['DELETE', body],
          ['GET', ''],
        ],
      );
    });

    test('proxy 32: canary: a body without its length would be read as a separate request', async () => {
      const { port } = new URL(proxy().url);
      const socket = connect({ host: '127.0.0.1', port: Number(port) });
      await once(socket, 'connect');

      const smuggled = headOf('GET /smuggled HTTP/1.1', 'host: localhost', 'connection: close');
      socket.write(headOf('DELETE /a HTTP/1.1', 'host: localhost') + smuggled);
      await socket.toArray();

      const paths = upstream().requests.map(({ head }) => head.split(' ')[1]);
      expect(paths).toEqual(['/a', '/smuggled']);
    });
  });

  describe.each([
    // Without TLS there is nothing to configure, and kubectl takes Go's default transport as it is.
    ['an API server without TLS', () => upstream().url, 'gzip'],
    ['an API server', () => secure().url, undefined],
  ])('with --disable-compression and %s', (_, url, offered) => {
    const flags = ['--disable-compression', '--insecure-skip-tls-verify', '--token=ambassador'];
    const proxy = shared(() => proxyOf(kubectl, [`--server=${url()}`, ...flags]));

    test("proxy 31: the proxy passes on the client's accepted compression, and otherwise requests as little as possible", async () => {
      answer = compressing;

      const byProxy = await send(proxy().url, 'GET', '/version');
      const passedOn = await rawExchange(proxy().url, ACCEPTING_GZIP);

      expect(byProxy.body).toBe('{"a":1}');
      expect(unzippedBody(passedOn)).toBe('{"a":1}');
      const offers = secure().requests.map(({ headers }) => headers['accept-encoding']);
      expect([...arrived('accept-encoding'), ...offers]).toEqual([offered, 'gzip']);
    });
  });
});

function unzippedBody(wire: string): string {
  const body = wire.slice(wire.indexOf('\r\n\r\n') + 4);
  return gunzipSync(Buffer.from(body, 'latin1')).toString();
}
