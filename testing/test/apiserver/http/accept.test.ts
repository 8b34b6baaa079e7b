/** Which Accept headers a resource is answered to, and in which form (go-restful before built-in kinds, then goautoneg). */
import { parseYaml } from 'chancery/low-level';
import { expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../support/cluster.ts';

const MANY = '/apis/wood.example/v1/trees';

async function forest(): Promise<TestCluster> {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));
  cluster.server.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'trees.wood.example' },
    spec: {
      group: 'wood.example',
      scope: 'Cluster',
      names: { plural: 'trees', singular: 'tree', kind: 'Tree' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  } as never);
  return cluster;
}

const ROUTER =
  '406: Not Acceptable\n\nAvailable representations: application/json, application/yaml, application/vnd.kubernetes.protobuf';
const STREAMS = ', application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
const HANDLER =
  'only the following media types are accepted: application/json, application/yaml, application/vnd.kubernetes.protobuf';

test.each([
  ['text/csv', ROUTER, HANDLER],
  ['application/*', ROUTER, 200],
  ['APPLICATION/JSON', ROUTER, HANDLER],
  ['json', ROUTER, HANDLER],
  ['application/json/more', ROUTER, HANDLER],
  ['text/csv, application/json;q=0.1', 200, 200],
  ['text/csv;q=0.9, */*;q=0.1', 200, 200],
  ['application/json;as=Forest;v=v1;g=meta.k8s.io', HANDLER, HANDLER],
  ['application/json;as=Forest;v=v1;g=meta.k8s.io, application/json', 200, 200],
  ['application/json;as=Table;v=v3;g=meta.k8s.io', HANDLER, HANDLER],
  ['application/json;as=Table;g=meta.k8s.io', HANDLER, HANDLER],
  ['application/json;v=v1', HANDLER, HANDLER],
  ['application/json;stream=forest', HANDLER, HANDLER],
  ['application/yaml;stream=watch', HANDLER, HANDLER],
  ['application/json;stream=watch', 200, 200],
  ['application/json;sv=v2', HANDLER, HANDLER],
  ['application/json;sv=v1', 200, 200],
  ['application/json;charset=utf-8', 200, 200],
  ['application/json;as', 200, 200],
  ['', 200, 200],
] as const)('a request with Accept: %s gets the expected status or list of media types', async (accept, builtIn, custom) => {
  const { send } = await forest();

  const list = await send('GET', CONFIG_MAPS, undefined, { accept });
  const object = await send('GET', `${CONFIG_MAPS}/a`, undefined, { accept });
  const trees = await send('GET', MANY, undefined, { accept });

  const seen = [list, object, trees].map(({ status, body }) =>
    status === 406 ? body.message : status,
  );
  expect(seen).toEqual([builtIn === ROUTER ? ROUTER + STREAMS : builtIn, builtIn, custom]);
});

test.each([
  ['application/yaml, application/json', 'application/yaml'],
  ['application/yaml;q=0.5, application/json', 'application/json'],
  ['*/*, application/yaml', 'application/yaml'],
  ['application/yaml;q=x, application/json;q=0.2', 'application/json'],
] as const)('a request with Accept: %s is answered as %s', async (accept, type) => {
  const { send } = await forest();

  const { headers } = await send('GET', MANY, undefined, { accept });

  expect(headers.get('content-type')).toBe(type);
});

test.each([
  ['Table', `${CONFIG_MAPS}/a`],
  ['Table', MANY],
  ['PartialObjectMetadata', `${CONFIG_MAPS}/a`],
  ['PartialObjectMetadataList', CONFIG_MAPS],
] as const)('a %s of %s is also served in version v1beta1', async (as, path) => {
  const { send } = await forest();

  const { body } = await send('GET', path, undefined, {
    accept: `application/json;as=${as};v=v1beta1;g=meta.k8s.io`,
  });

  const versions = JSON.stringify(body).match(/meta\.k8s\.io\/v1\w*/g);
  expect([body.kind, new Set(versions)]).toEqual([as, new Set(['meta.k8s.io/v1beta1'])]);
});

test('a watch that requests YAML is refused with 406', async () => {
  const { send } = await forest();

  const { status, text } = await send('GET', `${CONFIG_MAPS}?watch=1`, undefined, {
    accept: 'application/yaml',
  });

  const { message } = parseYaml(text) as { message: string };
  expect([status, message]).toEqual([
    406,
    'only the following media types are accepted: application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch',
  ]);
});

test('discovery refuses an Accept header with as=Table, and error responses ignore this parameter', async () => {
  const { send } = await forest();
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';

  const discovery = await send('GET', '/apis/batch/v1', undefined, { accept });
  const missing = await send('GET', `${CONFIG_MAPS}/missing`, undefined, { accept });

  expect([discovery.status, missing.status]).toEqual([406, 404]);
  expect(missing.text).toMatch(/^\{\n {2}"kind": "Status"/);
});

test.each([
  ['?pretty=true', true],
  ['?pretty=T', true],
  ['?pretty=no', false],
  ['?pretty=', false],
  ['', false],
] as const)('an answer to a request with the query %s is indented: %s', async (query, indented) => {
  const { send } = await forest();

  const { text } = await send('GET', `${CONFIG_MAPS}/a${query}`);

  expect(text.startsWith('{\n')).toBe(indented);
});

test('the parameter pretty in an Accept header indents the answer', async () => {
  const { send } = await forest();

  const { text } = await send('GET', `${CONFIG_MAPS}/a`, undefined, {
    accept: 'application/json;pretty=1',
  });

  expect(text.startsWith('{\n')).toBe(true);
});

test('a request for a single custom object as PartialObjectMetadataList is answered 500', async () => {
  const { server, send } = await forest();
  server.create({
    apiVersion: 'wood.example/v1',
    kind: 'Tree',
    metadata: { name: 'oak' },
  } as never);

  const { status, body } = await send('GET', `${MANY}/oak`, undefined, {
    accept: 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io',
  });

  expect([status, body.message, body.reason]).toEqual([500, 'content is not a list', undefined]);
});

test.each([
  [
    '/version',
    'application/yaml',
    '406: Not Acceptable\n\nAvailable representations: application/json',
  ],
  ['/api', 'application/*', ROUTER],
  ['/apis/batch/v1', '*', ROUTER],
  ['/apis/batch', 'text/csv', HANDLER],
  ['/apis/wood.example/v1', 'text/csv', HANDLER],
])('a request to %s with Accept: %s is refused with the expected list of media types', async (path, accept, message) => {
  const { send } = await forest();

  const { status, text } = await send('GET', path, undefined, { accept });

  expect([status, (parseYaml(text) as { message: string }).message]).toEqual([406, message]);
});
