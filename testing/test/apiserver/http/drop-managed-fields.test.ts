/** The parameter `drop` of an Accept header, which 1.38 knows behind a gate (kubernetes/kubernetes#139561). */
import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster } from '../support/cluster.ts';
import { watch } from '../support/watched.ts';

const ON = { generation: '1.38', featureGates: { ManagedFieldsOptOut: true } } as const;
const DROP = 'application/json;drop=metadata.managedFields';
const FORM = 'v=v1;g=meta.k8s.io';

const WIDGETS = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.drop.example' },
  spec: {
    group: 'drop.example',
    scope: 'Cluster',
    names: { kind: 'Widget', plural: 'widgets' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
    ],
  },
};

/** Whether a value says anywhere who manages which field. */
function tellsManagers(value: unknown): boolean {
  return JSON.stringify(value).includes('"managedFields"');
}

describe('requests with drop=metadata.managedFields', () => {
  const requests: readonly (readonly [
    what: string,
    method: string,
    path: string,
    body?: object,
  ])[] = [
    ['a create', 'POST', CONFIG_MAPS, configMap('new')],
    ['a get', 'GET', `${CONFIG_MAPS}/a`],
    ['a list', 'GET', CONFIG_MAPS],
    ['an update', 'PUT', `${CONFIG_MAPS}/a`, configMap('a', {}, { k: 'w' })],
    ['a merge patch', 'PATCH', `${CONFIG_MAPS}/a`, { data: { k: 'x' } }],
    ['a deletion that waits', 'DELETE', `${CONFIG_MAPS}/held`],
    ['a deletion of a collection', 'DELETE', CONFIG_MAPS],
    ['a list of custom objects', 'GET', '/apis/drop.example/v1/widgets'],
    ['a custom object', 'GET', '/apis/drop.example/v1/widgets/w'],
  ];

  test.each(
    requests.map(([what, method, path, body]) => ({ what, method, path, body })),
  )('$what with `drop` is answered without managedFields', async ({ method, path, body }) => {
    const answers = [];
    for (const accept of ['application/json', DROP]) {
      const { server, send } = await startCluster(ON);
      server.create(configMap('a'));
      server.create(configMap('held', { finalizers: ['x.example/hold'] }));
      server.create(WIDGETS as never);
      server.create({
        apiVersion: 'drop.example/v1',
        kind: 'Widget',
        metadata: { name: 'w' },
        spec: { size: 1 },
      } as never);
      answers.push((await send(method, path, body, { accept })).body);
    }

    expect(answers.map(tellsManagers)).toEqual([true, false]);
  });

  test.each([
    ['Table', `${CONFIG_MAPS}?includeObject=Object`],
    ['Table', CONFIG_MAPS],
    ['PartialObjectMetadataList', CONFIG_MAPS],
    ['PartialObjectMetadata', `${CONFIG_MAPS}/a`],
  ])('a %s of %s with the parameter `drop` has no managedFields', async (form, path) => {
    const { server, send } = await startCluster(ON);
    server.create(configMap('a'));

    const whole = await send('GET', path, undefined, {
      accept: `application/json;as=${form};${FORM}`,
    });
    const dropped = await send('GET', path, undefined, {
      accept: `application/json;as=${form};${FORM};drop=metadata.managedFields`,
    });

    expect([whole, dropped].map(({ body }) => [body.kind, tellsManagers(body)])).toEqual([
      [form, true],
      [form, false],
    ]);
  });

  test('YAML with the parameter `drop` has no managedFields', async () => {
    const { server, send } = await startCluster(ON);
    server.create(configMap('a'));

    const { text, headers } = await send('GET', `${CONFIG_MAPS}/a`, undefined, {
      accept: 'application/yaml;drop=metadata.managedFields',
    });

    expect(headers.get('content-type')).toBe('application/yaml');
    expect(text).toContain('name: a');
    expect(text).not.toContain('managedFields');
  });

  test('a watch with the parameter `drop` gets events without managedFields, and other watches still get managedFields', async () => {
    const cluster = await startCluster(ON);
    const path = `${CONFIG_MAPS}?watch=1&resourceVersion=0`;
    const dropping = await watch(cluster, path, { accept: DROP });
    const whole = await watch(cluster, path);
    cluster.server.create(configMap('a'));

    expect([tellsManagers(await dropping.next()), tellsManagers(await whole.next())]).toEqual([
      false,
      true,
    ]);
  });

  test('an update without managedFields keeps the stored managedFields', async () => {
    const { server, send } = await startCluster(ON);
    server.create(configMap('a'));
    const { body } = await send('GET', `${CONFIG_MAPS}/a`, undefined, { accept: DROP });

    await send('PUT', `${CONFIG_MAPS}/a`, { ...body, data: { k: 'new' } }, { accept: DROP });

    const { body: stored } = await send('GET', `${CONFIG_MAPS}/a`);
    expect(stored.data).toEqual({ k: 'new' });
    expect(stored.metadata.managedFields.length).toBeGreaterThan(0);
  });
});

describe('requests with another value of the parameter `drop`', () => {
  test('an Accept clause with an unknown value of `drop` is skipped, and the next clause is used', async () => {
    const { server, send } = await startCluster(ON);
    server.create(configMap('a'));

    const { status, body } = await send('GET', `${CONFIG_MAPS}/a`, undefined, {
      accept: 'application/yaml;drop=spec, application/json',
    });

    expect([status, tellsManagers(body)]).toEqual([200, true]);
  });

  test('an unknown value of `drop` in the only Accept clause is answered 406', async () => {
    const { send } = await startCluster(ON);

    const { status } = await send('GET', CONFIG_MAPS, undefined, {
      accept: 'application/json;drop=metadata.labels',
    });

    expect(status).toBe(406);
  });
});

test.each([
  ['1.38 without the gate', { generation: '1.38' }],
  ['1.36', {}],
] as const)('a server of Kubernetes %s ignores the parameter `drop`', async (_, options) => {
  const { server, send } = await startCluster(options);
  server.create(configMap('a'));

  const known = await send('GET', `${CONFIG_MAPS}/a`, undefined, { accept: DROP });
  const unknown = await send('GET', `${CONFIG_MAPS}/a`, undefined, {
    accept: 'application/json;drop=spec',
  });

  expect([known, unknown].map(({ status, body }) => [status, tellsManagers(body)])).toEqual([
    [200, true],
    [200, true],
  ]);
});

test('the feature gate ManagedFieldsOptOut can be switched while the server runs', async () => {
  const { server, send } = await startCluster({ generation: '1.38' });
  server.create(configMap('a'));
  const tells = async () =>
    tellsManagers((await send('GET', `${CONFIG_MAPS}/a`, undefined, { accept: DROP })).body);

  const before = await tells();
  server.setFeatureGates({ ManagedFieldsOptOut: true });

  expect([before, await tells()]).toEqual([true, false]);
});
