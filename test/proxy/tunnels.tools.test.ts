/**
 * Ways through a `kubectl proxy` that no filter looks into: which paths get there, and which do not.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const POD = '/api/v1/namespaces/demo/pods/web';
const TUNNELS = [
  `${POD}/exec`,
  `${POD}/attach`,
  `${POD}/portforward`,
  `${POD}/proxy`,
  `${POD}/proxy/`,
  '/api/v1/namespaces/demo/pods/https:web:443/proxy/x',
  '/api/v1/namespaces/demo/services/web/proxy/',
  '/api/v1/nodes/node-1/proxy/run',
];
const TOKEN = '/api/v1/namespaces/demo/serviceaccounts/default/token';

const filter = proxyFilter([configRestart], { namespaces: ['demo'] });
const upstream = shared(openUpstream);

/** Asks for another protocol on a path, and resolves to the status of the answer. */
async function upgrade(url: string, path: string, protocol: string): Promise<number | undefined> {
  const { hostname, port } = new URL(url);
  const headers = { connection: 'Upgrade', upgrade: protocol };
  const asking = request({ hostname, port, path, headers, agent: false });
  asking.end();
  const [response, socket] = await Promise.race([
    once(asking, 'upgrade'),
    once(asking, 'response'),
  ]);
  response.resume();
  socket?.destroy();
  return response.statusCode;
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  describe('with the generated filter', () => {
    const proxy = shared(() =>
      proxyOf(kubectl, [`--server=${upstream().url}`, ...proxyArguments(filter)]),
    );

    test.each([
      'websocket',
      'SPDY/3.1',
      'h2c',
    ])('[security 11] proxy 11: the generated filter opens no tunnel, neither with an upgrade to %s nor without', async (protocol) => {
      const statuses = [];
      for (const path of TUNNELS) {
        statuses.push(await upgrade(proxy().url, path, protocol));
        statuses.push((await send(proxy().url, 'POST', path)).status);
      }

      expect(statuses).toEqual(statuses.map(() => 403));
      expect(upstream().seen).toEqual([]);
    });

    test('[security 11] proxy 11: the generated filter refuses requests for tokens', async () => {
      expect((await send(proxy().url, 'POST', TOKEN)).status).toBe(403);
      expect(upstream().seen).toEqual([]);
    });

    test('proxy 11: canary: a client may switch to another protocol on an open path', async () => {
      const path = '/api/v1/namespaces/demo/configmaps?watch=true';

      const status = await upgrade(proxy().url, path, 'websocket');

      expect(status).toBe(101);
      expect(upstream().seen).toEqual([`GET ${path} upgrade: websocket`]);
    });
  });

  describe('with the default filter', () => {
    const proxy = shared(() => proxyOf(kubectl, [`--server=${upstream().url}`]));

    test('proxy 11: canary: the default filter refuses only exec and attach, and opens every other tunnel', async () => {
      const opened: string[] = [];
      for (const path of [...TUNNELS, '/version']) {
        for (const protocol of ['websocket', 'SPDY/3.1', 'h2c']) {
          const status = await upgrade(proxy().url, path, protocol);
          if (status === 101) opened.push(`GET ${path} upgrade: ${protocol}`);
        }
      }

      const [, , ...others] = TUNNELS;
      expect(opened).toEqual(
        [...others, '/version'].flatMap((path) =>
          ['websocket', 'SPDY/3.1', 'h2c'].map((protocol) => `GET ${path} upgrade: ${protocol}`),
        ),
      );
      expect(upstream().seen).toEqual(opened);
    });

    test('proxy 11: canary: the default filter forwards requests for tokens of other ServiceAccounts', async () => {
      await send(proxy().url, 'POST', TOKEN);

      expect(upstream().seen).toEqual([`POST ${TOKEN}`]);
    });
  });
});
