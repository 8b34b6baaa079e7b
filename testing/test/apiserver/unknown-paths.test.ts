/** What the embedded server says of a path that it does not serve, in the words of each version. */
import { expect, test } from 'vitest';
import { startCluster } from './support/cluster.ts';

const TEXT = '404 page not found\n';
const STATUS = `${JSON.stringify({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Failure',
  message: 'the server could not find the requested resource',
  reason: 'NotFound',
  code: 404,
})}\n`;

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'boats.sea.example' },
  spec: {
    group: 'sea.example',
    scope: 'Cluster',
    names: { plural: 'boats', singular: 'boat', kind: 'Boat' },
    versions: [
      { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      {
        name: 'v2',
        served: false,
        storage: false,
        schema: { openAPIV3Schema: { type: 'object' } },
      },
    ],
  },
};

test.each([
  ['1.24', TEXT, /^text\/plain/],
  ['1.36', TEXT, /^text\/plain/],
  ['1.38', STATUS, /^application\/json$/],
] as const)('[found 1] [F-16] a server of %s says that a path is not served', async (generation, answer, type) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(DEFINITION as never);

  const answers = await Promise.all(
    [
      '/apis/lake.example/v1',
      '/apis/lake.example/v1/boats/b',
      '/apis/apps/v7/namespaces/demo/deployments',
      '/apis/sea.example/v2/boats',
      '/apis/sea.example/v1/ships',
      '/apis/sea.example/v1/namespaces/demo/boats/b',
      '/nothing',
    ].map((path) => cluster.send('GET', path)),
  );

  expect(answers.map(({ status, text }) => [status, text])).toEqual(
    answers.map(() => [404, answer]),
  );
  for (const { headers } of answers) expect(headers.get('content-type')).toMatch(type);
});

test.each([
  '1.33',
  '1.38',
] as const)('[found 1] [F-16] a server of %s names an object that is gone, and fills in nothing for a built-in version', async (generation) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(DEFINITION as never);

  const object = await cluster.send('GET', '/apis/sea.example/v1/boats/b');
  const resource = await cluster.send('GET', '/apis/apps/v1/ships');

  expect(object.body).toMatchObject({
    ...{ reason: 'NotFound', message: 'boats.sea.example "b" not found' },
    details: { name: 'b', group: 'sea.example', kind: 'boats' },
  });
  expect(resource.body).toMatchObject({ reason: 'NotFound', details: {} });
});
