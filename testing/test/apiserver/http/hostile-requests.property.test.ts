/**
 * Random requests. A bug of the server shows as status 500 with "embedded API server: …", and no request may get that.
 * Nor may one get a 500 that kube-apiserver would not give.
 *
 * 200,000 requests: PROPERTY_RUNS=16000 npx vitest run --project=testing --testTimeout=7200000 hostile-requests
 */
import { parseYaml } from 'chancery/low-level';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { configMap, startCluster } from '../support/cluster.ts';
import { type RandomRequest, randomRequests, WIDGETS } from './random-requests.ts';

/** What kube-apiserver answers with status 500 where the request is at fault. */
const REAL_500: readonly RegExp[] = [
  /^resourceVersion: Invalid value: /, // of a watch, or in a body
  /^content is not a list$/, // a custom object as a PartialObjectMetadataList
  /^invalid shard selector: /,
  /^resourceVersion should not be set on objects to be created$/,
  /^Internal error occurred: Object 'apiVersion' is missing/,
  /^failed to convert new object \(/,
  /^failed to create typed patch object \(/,
  // Strategic merge patches that do not fit the type.
  /^unable to find api field in struct /,
  /^merging an object in json but data type is not struct, instead is: /,
  /^expected slice or array type, but got: /,
  /^unexpected slice of slice$/,
  /^expected a .*, but received a /,
  /^map: .* does not contain declared merge key: /s,
  /^The order in patch list:\n/,
  /^cannot merge lists without merge key for struct$/,
  /^merging lists cannot yet be specified in the patch$/,
  /^list element types are not identical: /,
  /^no elements in any of the given slices$/,
  /^unknown patch type: .* in map: /s,
];

/** @returns the status and the text; of a watch that has begun, no text. */
async function answerTo(url: string, request: RandomRequest): Promise<[number, string]> {
  const { method, path, query, headers, body } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  const answer = await fetch(`${url}${path}?${query}`, {
    method,
    headers,
    ...(isRead ? {} : { body }),
  });
  const isWatch = answer.status === 200 && answer.headers.get('content-length') === null;
  if (!isWatch) return [answer.status, await answer.text()];
  await answer.body?.cancel();
  return [answer.status, ''];
}

test.each([
  ['1.36', {}],
  ['1.24', {}],
  [
    '1.38',
    {
      ShardedListAndWatch: true,
      ConsistentListFromCacheSkipTimeoutFallback: true,
      ManagedFieldsOptOut: true,
    },
  ],
] as const)('[F-10] no random request to a server of Kubernetes %s causes an internal error or a crash', async (generation, featureGates) => {
  const { server, send } = await startCluster({ generation, featureGates, futureVersionWaitMs: 0 });
  const statuses = new Set<number>();
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', WIDGETS);
  await send('POST', '/api/v1/namespaces/default/configmaps', configMap('a'));
  const beginning = server.snapshot();

  await fc.assert(
    fc.asyncProperty(randomRequests, async (requests) => {
      server.restore(beginning);
      for (const request of requests) {
        const [status, text] = await answerTo(server.url, request);

        expect(text).not.toContain('embedded API server:');
        expect(status).toBeLessThan(505);
        if (status === 500) {
          // JSON is YAML, in which some ask for the answer.
          const { message } = parseYaml(text) as { message: string };
          expect(REAL_500.some((real) => real.test(message)) ? 'as a real server' : message).toBe(
            'as a real server',
          );
        }
        statuses.add(status);
      }
      const alive = await send('GET', '/api/v1/namespaces/kube-system');
      expect(alive.status).toBe(200);
    }),
    propertyRuns(1 / 3),
  );

  // Requests of the usual fates were among them, or this test has shown nothing. Rarer ones are not in every short run.
  expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 404, 405]));
});
