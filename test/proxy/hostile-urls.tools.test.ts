/**
 * The generated filter of config-restart, on every `kubectl proxy` here.
 *
 * @module-tag kubectl
 */
import { describe, expect, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { proxyOf } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { DECLARED, HOSTILE, split } from './support/requests.ts';
import { type Answer, isTidied, REFUSED, send } from './support/send.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const filter = proxyFilter([configRestart], { namespaces: ['demo'] });
const upstream = shared(openUpstream);

/** Sends each line, one after another. */
async function sendAll(url: string, lines: readonly string[]): Promise<Map<string, Answer>> {
  const answers = new Map<string, Answer>();
  for (const line of lines) answers.set(line, await send(url, ...split(line)));
  return answers;
}

test('proxy 4: every accept pattern matches at least one of the declared requests', () => {
  const paths = DECLARED.map((line) => split(line)[1].split('?')[0] ?? '');

  const unused = filter.acceptPaths.filter(
    (pattern) => !paths.some((path) => new RegExp(pattern).test(path)),
  );
  expect(unused).toEqual([]);
});

test('proxy 4: the list of hostile requests contains every kind of request, and no duplicates', () => {
  const kinds = [
    /%2e/i,
    /%2f/i,
    /%00/,
    /%0a/i,
    /%0d/i,
    /%25/,
    /%3f/i,
    /%5c/i,
    /;/,
    /\?/,
    /watch\/n/,
  ];

  expect(HOSTILE.length).toBeGreaterThanOrEqual(90);
  expect(new Set(HOSTILE).size).toBe(HOSTILE.length);
  expect(kinds.filter((kind) => !HOSTILE.some((line) => kind.test(line)))).toEqual([]);
});

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  /** From Go 1.22 on, in 1.30, an encoded path is no longer tidied before the filter sees it. */
  const tidies = kubectl.minor < 30;

  describe('with the generated filter', () => {
    const proxy = shared(() =>
      proxyOf(kubectl, [`--server=${upstream().url}`, ...proxyArguments(filter)]),
    );

    test('proxy 4: the generated filter forwards every declared request unchanged', async () => {
      const answers = await sendAll(proxy().url, DECLARED);

      expect(upstream().seen).toEqual(DECLARED);
      expect(new Set([...answers.values()].map(({ status }) => status))).toEqual(new Set([200]));
    });

    test(`[security 10] proxy 4: every hostile request is refused${tidies ? ', or redirected to a tidy path,' : ''} before it reaches the API server`, async () => {
      const answers = await sendAll(proxy().url, HOSTILE);

      const others = [...answers].filter(([line, answer]) => !tidies || !isTidied(line, answer));
      expect(new Map(others)).toEqual(new Map(others.map(([line]) => [line, REFUSED])));
      expect(upstream().seen).toEqual([]);
    });

    test('a path with unencoded dots or double slashes is answered with a redirect', async () => {
      const answers = await sendAll(proxy().url, [
        'GET /api/v1/namespaces/demo/configmaps/../secrets',
        'POST /api/v1/namespaces/demo//pods',
        'GET /api/v1/namespaces/demo/configmaps/.',
        'DELETE //api/v1/namespaces/demo/pods/web-0',
      ]);

      expect([...answers.values()].map(({ status }) => status)).toEqual([301, 301, 301, 301]);
      expect(upstream().seen).toEqual([]);
    });

    test('proxy 7: a query string neither opens a closed path nor closes an open path', async () => {
      const open = 'GET /api/v1/namespaces/demo/configmaps';
      const closed = 'GET /api/v1/namespaces/demo/secrets';
      const queries = [
        '?x=/version',
        '?/api/v1/namespaces/demo/configmaps',
        '?x=/api/v1/namespaces/demo/pods/web/exec',
        '?%2e%2e',
        '?x=%',
        '?a;b',
        '??',
      ];

      const refused = await sendAll(
        proxy().url,
        queries.map((query) => closed + query),
      );
      const passed = await sendAll(
        proxy().url,
        queries.map((query) => open + query),
      );

      expect([...refused.values()]).toEqual(queries.map(() => REFUSED));
      expect([...passed.values()].map(({ status }) => status)).toEqual(queries.map(() => 200));
      expect(upstream().seen).toEqual(queries.map((query) => open + query));
    });

    test('proxy 8: the generated filter refuses methods that no declared verb needs, even on open paths', async () => {
      const path = '/api/v1/namespaces/demo/configmaps/a';
      const answers = await sendAll(
        proxy().url,
        ['GET', 'PATCH', 'PUT', 'HEAD', 'OPTIONS', 'TRACE'].map((method) => `${method} ${path}`),
      );

      expect([...answers].map(([line, { status }]) => [line.split(' ')[0], status])).toEqual([
        ['GET', 200],
        ['PATCH', 200],
        ['PUT', 403],
        ['HEAD', 403],
        ['OPTIONS', 403],
        ['TRACE', 403],
      ]);
    });
  });

  describe('without a filter', () => {
    const open = { acceptPaths: ['.*', '^$'], rejectPaths: ['^$x'], rejectMethods: ['^$x'] };
    const proxy = shared(() =>
      proxyOf(kubectl, [`--server=${upstream().url}`, ...proxyArguments(open)]),
    );

    test('proxy 4: canary: without a filter every hostile request reaches the API server, except those that this version redirects', async () => {
      const answers = await sendAll(proxy().url, HOSTILE);

      const tidied = [...answers].filter(([line, answer]) => isTidied(line, answer));
      const forwarded = HOSTILE.filter((line) => !tidied.some(([other]) => other === line));
      expect(upstream().seen).toEqual(forwarded);
      expect(tidied.length > 0).toBe(tidies);
      expect(forwarded.length).toBeGreaterThanOrEqual(80);
    });
  });
});
