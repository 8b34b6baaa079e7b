/** What the embedded server says of a path that it does not serve, in the words of each version. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { describe, expect, test } from 'vitest';
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
  ['1.37', TEXT, /^text\/plain/],
  ['1.38', STATUS, /^application\/json$/],
] as const)('[found 1] [F-16] Kubernetes %s answers an unserved path with 404 in its own format', async (generation, answer, type) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(DEFINITION as never);

  const answers = await Promise.all(
    [
      '/apis/lake.example/v1',
      '/apis/lake.example/v1/boats/b',
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
] as const)('[found 1] [F-16] the 404 of Kubernetes %s contains the name of a missing object, and no name for an unknown path', async (generation) => {
  const cluster = await startCluster({ generation });
  cluster.server.create(DEFINITION as never);

  const object = await cluster.send('GET', '/apis/sea.example/v1/boats/b');
  const resource = await cluster.send('GET', '/apis/apps/v1/ships');
  const versions = await Promise.all(
    [
      '/apis/apps/v7',
      '/apis/apps/v7/namespaces/demo/deployments',
      '/apis/apiextensions.k8s.io/v1beta1/customresourcedefinitions',
      '/api/v2/pods/a',
      '/api/v1/namespaces/demo/ships/a/status',
      '/version/more',
    ].map((path) => cluster.send('GET', path)),
  );

  expect(object.body).toMatchObject({
    ...{ reason: 'NotFound', message: 'boats.sea.example "b" not found' },
    details: { name: 'b', group: 'sea.example', kind: 'boats' },
  });
  for (const { status, body } of [resource, ...versions]) {
    expect([status, body]).toEqual([404, { ...JSON.parse(STATUS), details: {} }]);
  }
});

describe('slashes in paths', () => {
  async function fleet() {
    const cluster = await startCluster();
    cluster.server.create(DEFINITION as never);
    cluster.server.create({
      apiVersion: 'sea.example/v1',
      kind: 'Boat',
      metadata: { name: 'b' },
    } as never);
    return cluster;
  }

  test.each([
    ['/api/', 'APIVersions'],
    ['/api/v1/', 'APIResourceList'],
    ['/apis/', 'APIGroupList'],
    ['/apis/batch/', 'APIGroup'],
    ['/apis/batch/v1/', 'APIResourceList'],
    ['/apis/sea.example/v1/', 'APIResourceList'],
    ['/api/v1/secrets/', 'SecretList'],
    ['/api/v1/secrets//?limit=5', 'SecretList'],
    ['/api/v1/namespaces/default/', 'Namespace'],
    ['/api/v1/namespaces/default/services///', 'ServiceList'],
    ['/apis/sea.example/v1/boats/', 'BoatList'],
    ['/apis/sea.example/v1/boats/b/', 'Boat'],
    ['/api/v1/namespaces//secrets', 'SecretList'],
  ])('the path %s is answered with the kind %s', async (path, kind) => {
    const { send } = await fleet();

    const { status, body } = await send('GET', path);

    expect([status, body.kind]).toEqual([200, kind]);
  });

  test.each([
    ['/api/v1//secrets', { details: {} }],
    ['/api//v1/secrets', { details: {} }],
    ['/apis/batch//v1/jobs', { details: {} }],
    ['/api/v1/namespaces/default//services', { details: {} }],
    ['/api/v1/namespaces/default/services//a', { details: {} }],
  ])('the path %s is inside a built-in group and is answered with an empty 404 Status', async (path, more) => {
    const { send } = await fleet();

    const { status, body } = await send('GET', path);

    expect([status, body]).toEqual([404, { ...JSON.parse(STATUS), ...more }]);
  });

  test.each([
    '//api/v1/secrets',
    '/apis//batch/v1/jobs',
    '/apis//v1/secrets',
    '/apis//v1/namespaces/default/services',
    '/apis/sea.example//v1/boats',
    '/apis/sea.example/v1//boats',
  ])('the path %s is in no group and is answered with a plain 404', async (path) => {
    const { send } = await fleet();

    const answer = await send('GET', path);

    expect([answer.status, answer.text]).toEqual([404, TEXT]);
  });

  test('a write to a path with a trailing slash works', async () => {
    const { send } = await fleet();
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };

    const created = await send('POST', '/api/v1/namespaces/default/secrets/', secret);
    const deleted = await send('DELETE', '/api/v1/namespaces/default/secrets/s/');

    expect([created.status, deleted.status]).toEqual([201, 200]);
  });
});

describe('paths that cannot name an object', () => {
  const NAMESPACED = {
    ...DEFINITION,
    metadata: { name: 'canoes.sea.example' },
    spec: {
      ...DEFINITION.spec,
      scope: 'Namespaced',
      names: { plural: 'canoes', singular: 'canoe', kind: 'Canoe' },
    },
  };

  test.each([
    'POST',
    'PUT',
    'PATCH',
    'DELETE',
  ])('a %s of custom objects in all namespaces is not served and is answered 404', async (method) => {
    const { server, send } = await startCluster();
    server.create(NAMESPACED as never);

    const answer = await send(method, '/apis/sea.example/v1/canoes', {});

    expect([answer.status, answer.text]).toEqual([404, TEXT]);
  });

  test.each([
    ['GET', '%2e', 'Name parameter invalid: ".": may not be \'.\''],
    ['DELETE', '%2e%2e', 'Name parameter invalid: "..": may not be \'..\''],
    ['GET', 'a%25b', 'Name parameter invalid: "a%b": may not contain \'%\''],
  ])('a %s request for the node name %s is refused with 400', async (method, name, message) => {
    const { server } = await startCluster();
    const { hostname, port } = new URL(server.url);

    const sent = request({ hostname, port, method, path: `/api/v1/nodes/${name}`, agent: false });
    sent.end();
    const [response] = (await once(sent, 'response')) as [IncomingMessage];

    const body = JSON.parse(await text(response));
    expect([response.statusCode, body.reason, body.message]).toEqual([400, 'BadRequest', message]);
  });
});
