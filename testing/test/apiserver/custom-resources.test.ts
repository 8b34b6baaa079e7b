import { beforeEach, describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from './support/cluster.ts';
import { summary, watch } from './support/watched.ts';

const DEFINITIONS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const WIDGETS = '/apis/example.dev/v1/namespaces/default/widgets';

const SCHEMA = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 9 },
        color: { type: 'string', enum: ['red', 'blue'], default: 'red' },
        tags: { type: 'object', additionalProperties: { type: 'string', minLength: 2 } },
        port: { 'x-kubernetes-int-or-string': true },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        code: { type: 'string', pattern: '^[A-Z]+$' },
      },
    },
    status: {
      type: 'object',
      properties: { phase: { type: 'string' }, size: { type: 'integer' } },
    },
  },
};

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { kind: 'Widget', plural: 'widgets', shortNames: ['wd'] },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: SCHEMA },
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.size', statusReplicasPath: '.status.size' },
        },
        additionalPrinterColumns: [
          { name: 'Color', type: 'string', jsonPath: '.spec.color' },
          {
            name: 'Ready',
            type: 'string',
            jsonPath: '.status.conditions[?(@.type=="Ready")].status',
          },
        ],
      },
    ],
  },
};

function widget(name: string, spec: object) {
  return { apiVersion: 'example.dev/v1', kind: 'Widget', metadata: { name }, spec };
}

let cluster: TestCluster;

beforeEach(async () => {
  cluster = await startCluster();
  await cluster.send('POST', DEFINITIONS, DEFINITION);
});

test('a new definition is established, served and discovered', async () => {
  const definition = await cluster.send('GET', `${DEFINITIONS}/widgets.example.dev`);
  const list = await cluster.send('GET', WIDGETS);
  const resources = await cluster.send('GET', '/apis/example.dev/v1');

  expect(definition.body.status.conditions).toMatchObject([
    { type: 'NamesAccepted', status: 'True' },
    { type: 'Established', status: 'True' },
  ]);
  expect(list.body).toMatchObject({ kind: 'WidgetList', items: [], metadata: { continue: '' } });
  expect(resources.body.resources.map(({ name }: { name: string }) => name)).toEqual([
    'widgets',
    'widgets/status',
    'widgets/scale',
  ]);
});

test('unknown fields of a custom resource are dropped with a warning, and defaults are set', async () => {
  const spec = { size: 1, unknown: true, free: { any: [1] }, tags: { ab: 'cd' } };

  const { body, headers } = await cluster.send('POST', WIDGETS, widget('a', spec));

  expect(body.spec).toEqual({ size: 1, color: 'red', free: { any: [1] }, tags: { ab: 'cd' } });
  expect(headers.get('warning')).toBe('299 - "unknown field \\"spec.unknown\\""');
});

test('an unknown field of a custom resource is refused with fieldValidation Strict', async () => {
  const path = `${WIDGETS}?fieldValidation=Strict`;

  const { status, body } = await cluster.send('POST', path, widget('a', { size: 1, unknown: 1 }));

  expect(status).toBe(400);
  expect(body.message).toContain('strict decoding error: unknown field "spec.unknown"');
});

describe.each([
  [{}, 'spec.size: Required value'],
  [
    { size: 10 },
    'spec.size: Invalid value: 10: spec.size in body should be less than or equal to 9',
  ],
  [
    { size: 0 },
    'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
  ],
  [
    { size: 1.5 },
    '[spec.size: Invalid value: "number": spec.size in body must be of type integer: "number", <nil>: Invalid value: "": Checked value must be of type integer (default format) in spec.size, .spec.size: Invalid value: 0: .spec.size accessor error: 1.5 is of the type float64, expected int64]',
  ],
  [
    { size: 1, color: 'green' },
    'spec.color: Unsupported value: "green": supported values: "red", "blue"',
  ],
  [
    { size: 1, tags: { a: 'b' } },
    'spec.tags.a: Invalid value: "b": spec.tags.a in body should be at least 2 chars long',
  ],
  [
    { size: 1, code: 'ab' },
    `spec.code: Invalid value: "ab": spec.code in body should match '^[A-Z]+$'`,
  ],
  [
    { size: 1, port: true },
    'spec.port: Invalid value: "boolean": spec.port in body must be of type integer,string: "boolean"',
  ],
])('a widget with spec %j', (spec, message) => {
  test('the invalid widget is refused with the message of its schema', async () => {
    const { status, body } = await cluster.send('POST', WIDGETS, widget('bad', spec));

    expect(status).toBe(422);
    expect(body.message).toBe(`Widget.example.dev "bad" is invalid: ${message}`);
  });
});

test('a PUT of a custom resource needs a resourceVersion', async () => {
  await cluster.send('POST', WIDGETS, widget('a', { size: 1 }));

  const { status, body } = await cluster.send('PUT', `${WIDGETS}/a`, widget('a', { size: 2 }));

  expect(status).toBe(422);
  expect(body.message).toContain('metadata.resourceVersion: Invalid value: 0: must be specified');
});

test('[F-9] the subresource scale of a custom resource reads and writes the paths that its definition contains', async () => {
  await cluster.send('POST', WIDGETS, widget('a', { size: 1 }));

  await cluster.send('PATCH', `${WIDGETS}/a/status`, { status: { size: 4 } });
  const { body } = await cluster.send('PATCH', `${WIDGETS}/a/scale`, { spec: { replicas: 3 } });

  expect(body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 }, status: { replicas: 4 } });
  const scaled = await cluster.send('GET', `${WIDGETS}/a`);
  expect(scaled.body).toMatchObject({ spec: { size: 3 }, metadata: { generation: 2 } });
});

test('the Table of a custom resource has the columns of its definition', async () => {
  await cluster.send('POST', WIDGETS, widget('a', { size: 1 }));
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  const { body } = await cluster.send('GET', WIDGETS, undefined, { accept });

  expect(body.columnDefinitions.map(({ name }: { name: string }) => name)).toEqual([
    'Name',
    'Color',
    'Ready',
  ]);
  expect(body.rows[0].cells).toEqual(['a', 'red', null]);
});

test('when a definition is deleted, first its objects and then its resource disappear', async () => {
  await cluster.send('POST', WIDGETS, widget('a', { size: 1 }));
  const watched = await watch(cluster, `${WIDGETS}?watch=1`);
  await watched.next();

  const deleted = await cluster.send('DELETE', `${DEFINITIONS}/widgets.example.dev`);
  const list = await cluster.send('GET', WIDGETS);

  expect(deleted.body.status.conditions).toContainEqual(
    expect.objectContaining({ type: 'Terminating', status: 'True' }),
  );
  expect(list).toMatchObject({ status: 404, text: '404 page not found\n' });
  expect((await watched.rest()).map(summary)).toEqual(['DELETED a']);
});

test('an object with a finalizer delays the deletion of its definition', async () => {
  const object = widget('a', { size: 1 });
  Object.assign(object.metadata, { finalizers: ['example.dev/cleanup'] });
  await cluster.send('POST', WIDGETS, object);
  const path = `${DEFINITIONS}/widgets.example.dev`;

  await cluster.send('DELETE', path);
  const held = await cluster.send('GET', path);
  await cluster.send('PATCH', `${WIDGETS}/a`, { metadata: { finalizers: null } });
  const released = await cluster.send('GET', path);

  expect([held.status, released.status]).toEqual([200, 404]);
});

test('a change of a definition ends the watches of its resource', async () => {
  const watched = await watch(cluster, `${WIDGETS}?watch=1`);
  const path = `${DEFINITIONS}/widgets.example.dev`;

  await cluster.send('PATCH', path, { spec: { names: { shortNames: ['w'] } } });

  expect(await watched.rest()).toEqual([]);
  const resources = await cluster.send('GET', '/apis/example.dev/v1');
  expect(resources.body.resources[0].shortNames).toEqual(['w']);
});

test('an undeclared subresource is answered 404, as if the object did not exist', async () => {
  const [version] = DEFINITION.spec.versions;
  const bare = { ...version, subresources: {} };
  const definition = { ...DEFINITION, spec: { ...DEFINITION.spec, versions: [bare] } };
  await cluster.send('PATCH', `${DEFINITIONS}/widgets.example.dev`, {
    spec: definition.spec,
  });
  await cluster.send('POST', WIDGETS, widget('a', { size: 1 }));

  const there = await cluster.send('PATCH', `${WIDGETS}/a/status`, { status: { phase: 'x' } });
  const absent = await cluster.send('GET', `${WIDGETS}/b/status`);

  const details = { group: 'example.dev', kind: 'widgets' };
  expect([there.status, there.body]).toMatchObject([
    404,
    { message: 'widgets.example.dev "a" not found', details: { ...details, name: 'a' } },
  ]);
  expect([absent.status, absent.body]).toMatchObject([404, { details: { ...details, name: 'b' } }]);
});

describe('a custom resource that costs too much is refused', () => {
  const serveSpec = async (spec: object): Promise<void> => {
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const [version] = DEFINITION.spec.versions;
    const versions = [{ ...version, subresources: {}, schema }];
    await cluster.send('PATCH', `${DEFINITIONS}/widgets.example.dev`, { spec: { versions } });
  };
  const many = (count: number, value: unknown): object => ({ list: Array(count).fill(value) });

  test('a custom resource whose values take too many steps to validate is refused', async () => {
    const list = {
      type: 'array',
      items: { type: 'string', enum: Array.from({ length: 5_000 }, (_none, at) => `v${at}`) },
    };
    await serveSpec({ type: 'object', properties: { list } });

    const { status, body } = await cluster.send(
      'POST',
      WIDGETS,
      widget('a', many(20_000, 'v4999')),
    );

    expect([status, body.details.causes]).toMatchObject([
      422,
      [
        {
          reason: 'InternalError',
          message: expect.stringContaining('it takes more than 50000000 steps'),
        },
      ],
    ]);
  });

  test('a custom resource whose defaults would make it too large is refused', async () => {
    const fields = Array.from({ length: 500 }, (_none, at) => [
      `f${at}`,
      { type: 'string', default: '' },
    ]);
    const list = {
      type: 'array',
      items: { type: 'object', properties: Object.fromEntries(fields) },
    };
    await serveSpec({ type: 'object', properties: { list } });

    const { status, body } = await cluster.send('POST', WIDGETS, widget('a', many(20_000, {})));

    expect([status, body.message]).toEqual([
      500,
      'embedded API server: the defaults are too many: it takes more than 50000000 steps',
    ]);
  });
});
