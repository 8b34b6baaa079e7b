/**
 * By which names a `kubectl proxy` may be called, and on which address it listens.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import { entryPoint } from './support/image.ts';
import { proxyOf, serving, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { listeningSockets } from './support/listening-sockets.ts';
import { inOwnNetwork } from './support/own-network.ts';
import { headOf, rawExchange, statusOf } from './support/raw-exchange.ts';
import { REFUSED, send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const upstream = shared(openUpstream);

/** The Host header decides, without its port, to the letter. */
const HOSTS: Readonly<Record<string, number>> = {
  '127.0.0.1': 200,
  '127.0.0.1:8001': 200,
  localhost: 200,
  'localhost:9999': 200,
  'evil.example': 403,
  'localhost.evil.example': 403,
  'evil.example:8001': 403,
  LOCALHOST: 403,
  'localhost.': 403,
  '127x0.0.1': 403,
  '127.0.0.1.evil.example': 403,
  '2130706433': 403,
  '127.1': 403,
  '[::1]:8001': 403,
};

const imageHosts = entryPoint().find((flag) => flag.startsWith('--accept-hosts=')) ?? '';

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  describe.each([
    ['its default hosts', [], 200],
    ['the hosts of the image', [imageHosts], 403],
  ] as const)('with %s', (_, flags, bareIpv6) => {
    const proxy = shared(() => proxyOf(kubectl, [`--server=${upstream().url}`, ...flags]));

    test('[security 20] proxy 9: the proxy answers only to loopback names', async () => {
      const statuses: Record<string, number | undefined> = {};
      for (const host of [...Object.keys(HOSTS), '[::1]']) {
        statuses[host] = (await send(proxy().url, 'GET', '/version', { host })).status;
      }

      expect(statuses).toEqual({ ...HOSTS, '[::1]': bareIpv6 });
      expect(upstream().seen).toHaveLength(Object.values(statuses).filter((s) => s === 200).length);
    });

    test('proxy 9: a hostile request passes only with exactly one valid Host', async () => {
      const close = 'connection: close';
      const heads = {
        'HTTP/1.0 without Host': headOf('GET /version HTTP/1.0'),
        'HTTP/1.1 without Host': headOf('GET /version HTTP/1.1', close),
        'two Hosts': headOf(
          'GET /version HTTP/1.1',
          'host: localhost',
          'host: evil.example',
          close,
        ),
        'an empty Host': headOf('GET /version HTTP/1.1', 'host:', close),
        'another Host in the URI': headOf(
          'GET http://evil.example/version HTTP/1.1',
          'host: localhost',
          close,
        ),
        'a preface of HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
        'a tunnel': headOf('CONNECT evil.example:443 HTTP/1.1', 'host: localhost', close),
      };

      const statuses: Record<string, number> = {};
      for (const [what, head] of Object.entries(heads)) {
        statuses[what] = statusOf(await rawExchange(proxy().url, head));
      }

      expect(statuses).toEqual({
        'HTTP/1.0 without Host': 403,
        'HTTP/1.1 without Host': 400,
        'two Hosts': 400,
        'an empty Host': 403,
        'another Host in the URI': 403,
        'a preface of HTTP/2': 400,
        // Nobody's path in either Go: the one does not find it, the other tidies it.
        'a tunnel': kubectl.minor < 30 ? 404 : 301,
      });
      expect(upstream().seen).toEqual([]);
    });

    test('proxy 9: in a request with an absolute URI, the host of the URI counts', async () => {
      const head = headOf(
        'GET http://localhost/version HTTP/1.1',
        'host: evil.example',
        'connection: close',
      );

      expect(statusOf(await rawExchange(proxy().url, head))).toBe(200);
    });

    test('proxy 9: no request with a refused Host or a refused path reaches the API server', async () => {
      const answer = await send(proxy().url, 'GET', '/version', { host: 'evil.example' });

      expect(answer).toEqual(REFUSED);
      expect(upstream().seen).toEqual([]);
    });

    test('[security 7] proxy 10: the proxy listens on 127.0.0.1 only', () => {
      expect(listeningSockets(proxy().process.pid ?? 0)).toEqual([proxy().serves]);
    });

    test('proxy 28: the proxy itself answers OPTIONS *, whatever the Host', async () => {
      const answers = [
        await send(proxy().url, 'OPTIONS', '*'),
        await send(proxy().url, 'OPTIONS', '*', { host: 'evil.example' }),
      ];

      expect(answers.map(({ status, body }) => [status, body])).toEqual([
        [200, ''],
        [200, ''],
      ]);
      expect(upstream().seen).toEqual([]);
    });
  });

  test('proxy 10: canary: with an empty --address the proxy listens on all addresses, without a warning', async () => {
    const flags = ['--port=0', '--address=', `--server=${upstream().url}`];
    const [command, ...words] = inOwnNetwork(kubectl.path, 'proxy', ...flags);
    const proxy = await untilTestEnds(serving(command, words));

    const sockets = listeningSockets(proxy.process.pid ?? 0);

    expect(proxy.serves).toMatch(/^(\[::\]|0\.0\.0\.0):\d+$/);
    expect(sockets).toEqual([expect.stringMatching(/^(\[0{32}\]|0\.0\.0\.0):/)]);
    expect(proxy.log()).toBe('');
  });
});
