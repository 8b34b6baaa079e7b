/**
 * Filters of the same declarations as in `filter-and-rbac.property.test.ts`, on a real `kubectl proxy`:
 * it lets through what they are taken to let through there, and refuses the rest.
 *
 * @module-tag kubectl
 */
import { once } from 'node:events';
import { Agent, type IncomingMessage, request as send } from 'node:http';
import { KubectlProxy } from '@chancery/testing';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { type ProxyFilter, proxyFilter } from '../../operator/access/filter/proxy-filter.ts';
import { POD_NAMESPACE } from '../../operator/access/placement.ts';
import { declarations } from '../generate/support/declarations.ts';
import { PATHS, PodFilter, type Request, requestsTo } from '../generate/support/requests.ts';
import { KUBECTLS } from '../proxy/support/kubectls.ts';
import { openUpstream } from '../proxy/support/upstream.ts';
import { propertyRuns } from '../support/property-runs.ts';

const ENDS = [...new Set([KUBECTLS[0], KUBECTLS.at(-1)])].flatMap((each) => each ?? []);

/** Processes of kubectl are slow to start: these are few, and others each time. */

/** Of the paths that a filter refuses, one in so many is tried. */
const STRIDE = 9;

test.each(
  ENDS,
)('kubectl $name accepts exactly the requests that the model of its filter predicts', {
  timeout: 60_000,
}, async ({ path: kubectl }) => {
  const upstream = await openUpstream();
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  onTestFinished(() => upstream.stop());
  onTestFinished(() => agent.destroy());
  const sample = fc.record({ declaration: declarations, offset: fc.nat(STRIDE - 1) });

  await fc.assert(
    fc.asyncProperty(sample, async ({ declaration: { controllers, placement }, offset }) => {
      const filter = proxyFilter(controllers, placement);
      const expected = new PodFilter(filter);
      const requests = PATHS.flatMap((path, at) => {
        if (expected.passesPath(path)) return requestsTo(path).filter(isPlain);
        return at % STRIDE === offset ? requestsTo(path).slice(0, 1) : [];
      });
      const proxy = new KubectlProxy({ kubectl, server: upstream.url, filter: inHome(filter) });
      await proxy.start();
      try {
        const judged = await judgedBy(proxy.url, agent, requests);

        const passed = requests.filter((request) => expected.passes(request));
        expect(judged.filter(({ passes }) => passes).map(({ request }) => request)).toEqual(passed);
        expect(passed.length).toBeLessThan(requests.length);
      } finally {
        await proxy.kill();
      }
    }),
    { ...propertyRuns(0.02), endOnFailure: true },
  );
});

/** Node has another way to send CONNECT, and a filter sees no query. */
function isPlain({ method, query }: Request): boolean {
  return method !== 'CONNECT' && query === '';
}

/** As the kubelet gives it to a container in the namespace `home`. */
function inHome({ acceptPaths, ...rest }: ProxyFilter): ProxyFilter {
  return {
    ...rest,
    acceptPaths: acceptPaths.map((each) => each.replaceAll(POD_NAMESPACE, 'home')),
  };
}

/** In the order of the requests. */
function judgedBy(url: string, agent: Agent, requests: readonly Request[]) {
  return Promise.all(
    requests.map(async (request) => {
      const { method, path, query } = request;
      const sent = send(url, { method, path: query === '' ? path : `${path}?${query}`, agent });
      sent.end();
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      response.resume();
      const { statusCode, headers } = response;
      if (statusCode === 200) return { request, passes: true };
      expect([statusCode, headers['content-type']]).toEqual([403, 'text/plain; charset=utf-8']);
      return { request, passes: false };
    }),
  );
}
