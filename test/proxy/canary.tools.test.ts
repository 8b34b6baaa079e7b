/**
 * Settings that look right and are wide open, on every `kubectl proxy` here: why the rules are rules.
 *
 * @module-tag kubectl
 */

import type { AmbassadorFilter } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { proxyArguments, REJECT_PATHS } from '../../operator/access/filter/proxy-filter.ts';
import { answerOf, openRawServer } from '../transport/raw-server.ts';
import { type KubectlProcess, proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { headOf, rawExchange } from './support/raw-exchange.ts';
import { REFUSED, send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const upstream = shared(openUpstream);

/** Takes what Node's own server would not, as Go's does. */
const lenient = shared(async () => {
  const server = await openRawServer(() => answerOf(405));
  return { ...server, stop: () => server.close() };
});

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  const proxyWith = (
    filter: Partial<AmbassadorFilter>,
    server: () => { readonly url: string } = upstream,
  ): (() => KubectlProcess) => {
    const whole = {
      acceptPaths: ['^/version$'],
      rejectPaths: ['^$x'],
      rejectMethods: ['^$x'],
      ...filter,
    };
    return shared(() => proxyOf(kubectl, [`--server=${server().url}`, ...proxyArguments(whole)]));
  };

  describe('with a comma at the end of --accept-paths', () => {
    const proxy = proxyWith({ acceptPaths: ['^/version$', ''], rejectPaths: REJECT_PATHS });

    test('proxy 6: a comma at the end of --accept-paths opens every path, and kubectl proxy logs nothing', async () => {
      for (const path of ['/', '/api/v1/secrets', '/metrics']) await send(proxy().url, 'GET', path);

      expect(upstream().seen).toEqual(['GET /', 'GET /api/v1/secrets', 'GET /metrics']);
      expect(proxy().log()).toBe('');
    });

    test('proxy 6: --reject-paths still refuses exec when a comma at the end of --accept-paths opens every path', async () => {
      const answer = await send(proxy().url, 'POST', '/api/v1/namespaces/demo/pods/web/exec');

      expect(answer).toEqual(REFUSED);
    });
  });

  describe('with a comma at the end of --reject-paths', () => {
    const proxy = proxyWith({ rejectPaths: ['^/secrets$', ''] });

    test('proxy 6: a comma at the end of --reject-paths refuses every path', async () => {
      expect(await send(proxy().url, 'GET', '/version')).toEqual(REFUSED);
    });
  });

  describe('with patterns that are not strict', () => {
    const proxy = proxyWith({
      acceptPaths: [
        '^/api/v[0-9]{1,2}$',
        '/namespaces/demo',
        '^/api/v1/namespaces/[^/]+/secrets$',
        '^/apis/events.k8s.io/v1$',
      ],
    });

    test('proxy 6: kubectl proxy splits a pattern at the comma of {1,2}, and the two halves match other paths', async () => {
      const meant = await send(proxy().url, 'GET', '/api/v1');
      await send(proxy().url, 'GET', '/api/v1%7B1/secrets');
      await send(proxy().url, 'GET', '/secrets/2%7D');

      expect(meant).toEqual(REFUSED);
      expect(upstream().seen).toEqual(['GET /api/v1%7B1/secrets', 'GET /secrets/2%7D']);
    });

    test('proxy 6: a pattern that is not anchored matches in the middle of another path', async () => {
      await send(proxy().url, 'DELETE', '/api/v1/namespaces/demo/secrets/a');
      await send(proxy().url, 'DELETE', '/api/v1/namespaces/demo-of-another');

      expect(upstream().seen).toHaveLength(2);
    });

    test('proxy 6: an unescaped dot in a pattern matches any character', async () => {
      await send(proxy().url, 'GET', '/apis/eventsXk8sYio/v1');

      expect(upstream().seen).toEqual(['GET /apis/eventsXk8sYio/v1']);
    });

    test(`proxy 6: with the pattern [^/]+ for a name, encoded dots ${kubectl.minor < 30 ? 'stop at kubectl proxy only because this version redirects them' : 'reach the API server'}`, async () => {
      const path = '/api/v1/namespaces/%2e%2e/secrets';
      const head = headOf(`GET ${path} HTTP/1.1`, 'host: localhost', 'connection: close');

      const answer = await rawExchange(proxy().url, head);

      expect(/^location: (.*?)\r?$/im.exec(answer)?.[1]).toBe(
        kubectl.minor < 30 ? '/api/v1/secrets' : undefined,
      );
      expect(upstream().seen).toEqual(kubectl.minor < 30 ? [] : [`GET ${path}`]);
    });
  });

  describe('with a method pattern that is not anchored', () => {
    const proxy = proxyWith({ rejectMethods: ['T'] });

    test('proxy 8: an unanchored method pattern refuses every method that contains the pattern, and no other method', async () => {
      const statuses: Record<string, number | undefined> = {};
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']) {
        statuses[method] = (await send(proxy().url, method, '/version')).status;
      }

      expect(statuses).toEqual({
        GET: 403,
        POST: 403,
        PUT: 403,
        PATCH: 403,
        DELETE: 403,
        OPTIONS: 403,
        HEAD: 200,
      });
    });
  });

  describe('with an anchored method pattern', () => {
    const proxy = proxyWith({ rejectMethods: ['^(POST|PUT|PATCH|DELETE)$'] }, lenient);

    test('proxy 8: an anchored method pattern refuses exactly its methods, and unknown methods reach the API server', async () => {
      const known = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'];
      for (const method of [...known, 'post', 'Delete', 'PROPFIND']) {
        const head = headOf(`${method} /version HTTP/1.1`, 'host: localhost', 'connection: close');
        await rawExchange(proxy().url, head);
      }

      const arrived = lenient().requests.map(({ head }) => head.split(' ')[0]);
      expect(arrived).toEqual(['GET', 'HEAD', 'post', 'Delete', 'PROPFIND']);
    });
  });
});
