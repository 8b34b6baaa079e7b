/**
 * Filters that somebody has spoilt, and requests that nobody has declared: what we say, on every `kubectl proxy` here.
 *
 * @module-tag kubectl
 */

import { ApiServer, eventually } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import configRestart from '../../examples/config-restart/operator.ts';
import { proxyArguments, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { testFilter } from '../../operator/client/filter-test.ts';
import { restClient } from '../../operator/client/rest-client.ts';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import { systemClock } from '../../operator/core/clock.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { defineResource } from '../../operator/model/resource.ts';
import { startOperator } from '../support/cluster.ts';
import { transportTo } from '../transport/raw-server.ts';
import { startAmbassador } from './support/ambassador.ts';
import { proxyOf, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { run } from './support/run-kubectl.ts';
import { shared } from './support/shared.ts';
import { openUpstream } from './support/upstream.ts';

const secrets = defineResource({
  group: '',
  version: 'v1',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
});
const { signal } = new AbortController();
const options = { clock: systemClock, signal };
const filter = proxyFilter([configRestart], { namespaces: ['demo'] });
const upstream = shared(openUpstream);

/** By what was done to the generated arguments: what the test at an operator's start finds. */
const VERDICTS = {
  nothing: { state: 'closed' },
  'a comma at the end of --accept-paths': { state: 'open', missing: ['--accept-paths'] },
  'no --reject-methods': { state: 'open', missing: ['--reject-methods'] },
  '--disable-filter': { state: 'open', missing: ['--accept-paths', '--reject-methods'] },
  'an --accept-paths that is empty': { state: 'shut' },
} as const;

const SPOILT: Readonly<Record<keyof typeof VERDICTS, readonly string[]>> = {
  nothing: proxyArguments(filter),
  'a comma at the end of --accept-paths': proxyArguments({
    ...filter,
    acceptPaths: [...filter.acceptPaths, ''],
  }),
  'no --reject-methods': proxyArguments(filter).filter((flag) => !/^--reject-methods/.test(flag)),
  '--disable-filter': [...proxyArguments(filter), '--disable-filter'],
  'an --accept-paths that is empty': [...proxyArguments(filter), '--accept-paths='],
};

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  test('[security 13] an operator finds a broken filter at startup, and the error contains the flag that opens it', async () => {
    const verdicts = await Promise.all(
      Object.entries(SPOILT).map(async ([what, flags]) => {
        const args = [`--server=${upstream().url}`, ...flags];
        const { url } = await untilTestEnds(proxyOf(kubectl, args));
        return [what, await testFilter(transportTo(url), options)] as const;
      }),
    );

    expect(Object.fromEntries(verdicts)).toEqual(VERDICTS);
  });

  describe('with braces in one pattern', () => {
    const proxy = shared(() => {
      const acceptPaths = filter.acceptPaths.map((pattern) =>
        pattern.includes('/configmaps')
          ? '^/api/v1/namespaces/demo/configmaps/[a-z]{1,63}$'
          : pattern,
      );
      const flags = proxyArguments({ ...filter, acceptPaths });
      return proxyOf(kubectl, [`--server=${upstream().url}`, ...flags]);
    });

    test('a pattern with braces refuses the requests that it should allow, with an error that contains method, path, layer and remedy', async () => {
      const transport = transportTo(proxy().url);
      const client = restClient({ transport, fieldManager: 'tester', clock: systemClock });

      const reading = client.get(configMaps, { namespace: 'demo', name: 'web' }, { signal });

      const path = '/api/v1/namespaces/demo/configmaps/web';
      await expect(reading).rejects.toMatchObject({
        code: 'AMBASSADOR_FORBIDDEN',
        layer: 'ambassador',
        fate: 'not-sent',
        context: { method: 'GET', path },
        message: expect.stringMatching(
          /kubectl proxy refused GET \/api\/v1\/namespaces\/demo\/configmaps\/web: .*chancery generate proxy/,
        ),
      });
      expect(upstream().seen).toEqual([]);
    });

    test('if a pattern has braces within brackets, kubectl splits it, reports a missing bracket and does not start', async () => {
      const flags = proxyArguments({ ...filter, acceptPaths: ['^/api/v1(/[a-z]{1,63})?$'] });

      const { exitCode, stderr } = await run([kubectl.path, 'proxy', '--port=0', ...flags]);

      expect(exitCode).toBe(255);
      expect(stderr).toContain('missing closing )');
    });

    test('requests for other patterns still succeed, so that the self-test at startup finds no problem', async () => {
      expect(await testFilter(transportTo(proxy().url), options)).toEqual({ state: 'closed' });
    });
  });
});

test('an undeclared source reports which request is refused, by which layer, and what would allow it', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const ambassador = await startAmbassador(server.url, filter);
  const nosy = controller({
    name: 'nosy',
    for: source(secrets),
    reconcile: async () => {},
  });

  const { manager, lines } = startOperator(ambassador, [nosy]);
  const told = () => lines.find(({ message }) => /^source is (failing|forbidden)/.test(message));
  await eventually(() => told() !== undefined);

  expect(told()?.fields).toMatchObject({
    reason: 'filtered',
    err: {
      code: 'AMBASSADOR_FORBIDDEN',
      layer: 'ambassador',
      context: { path: '/api/v1/namespaces/demo/secrets' },
      message: expect.stringMatching(
        /GET \/api\/v1\/namespaces\/demo\/secrets.*Declare it in the controller/,
      ),
    },
  });
  expect(manager.ready).toBe(false);
  expect(server.requests.filter(({ path }) => path.includes('secrets'))).toEqual([]);
});
