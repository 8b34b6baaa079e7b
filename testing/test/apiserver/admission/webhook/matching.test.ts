import { describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../../support/cluster.ts';
import { configuration, type Review, startWebhook, webhook } from '../../support/webhook-server.ts';

const RULE = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*'] };

interface Asked extends TestCluster {
  /** What the webhook has been asked about, as `OPERATION resource/subresource name`. */
  readonly asked: () => readonly string[];
}

/** A server whose only webhook allows everything that it is asked about. */
async function askedAbout(more: object): Promise<Asked> {
  const cluster = await startCluster();
  const { url, reviews } = await startWebhook(() => ({ allowed: true }));
  cluster.server.create(
    configuration('Validating', 'w', [webhook('x.a.example', { url }, { rules: [RULE], ...more })]),
  );
  return { ...cluster, asked: () => reviews.map(shown) };
}

function shown({ operation, resource, subResource, name }: Review): string {
  return `${operation} ${resource.resource}${subResource ? `/${subResource}` : ''} ${name}`;
}

const FOOS = '/apis/a.example/v1/namespaces/default/foos';

/** A kind with a status, a scale and two versions. */
const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'foos.a.example' },
  spec: {
    group: 'a.example',
    scope: 'Namespaced',
    names: { plural: 'foos', singular: 'foo', kind: 'Foo', listKind: 'FooList' },
    versions: ['v1', 'v2'].map((name) => ({
      name,
      served: true,
      storage: name === 'v1',
      schema: {
        openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
      subresources: {
        status: {},
        scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
      },
    })),
  },
} as never;

/** Writes an object and both of its parts. */
async function writeAll({ server, send }: TestCluster): Promise<void> {
  server.create(DEFINITION);
  await send('POST', FOOS, {
    apiVersion: 'a.example/v1',
    kind: 'Foo',
    metadata: { name: 'a' },
    spec: { replicas: 1 },
  });
  await send('PATCH', `${FOOS}/a/status`, { status: { ready: true } });
  await send('PATCH', `${FOOS}/a/scale`, { spec: { replicas: 2 } });
  await send('DELETE', `${FOOS}/a`);
}

describe('the rules of a webhook', () => {
  test.each<[string, readonly string[]]>([
    ['foos', ['CREATE foos a', 'DELETE foos a']],
    ['foos/status', ['UPDATE foos/status a']],
    ['*/scale', ['UPDATE foos/scale a']],
    ['foos/*', ['CREATE foos a', 'UPDATE foos/status a', 'UPDATE foos/scale a', 'DELETE foos a']],
    ['*', ['CREATE foos a', 'DELETE foos a']],
    ['*/*', ['CREATE foos a', 'UPDATE foos/status a', 'UPDATE foos/scale a', 'DELETE foos a']],
    ['bars', []],
  ])('webhook rules match resources and subresources: %s', async (resource, expected) => {
    const rules = [{ ...RULE, apiGroups: ['a.example'], resources: [resource] }];
    const cluster = await askedAbout({ rules });

    await writeAll(cluster);

    expect(cluster.asked()).toEqual(expected);
  });

  test('a webhook whose rules match the subresource `scale` gets Scale objects', async () => {
    const cluster = await startCluster();
    const { url, reviews } = await startWebhook(() => ({ allowed: true }));
    const rules = [{ ...RULE, resources: ['foos/scale'] }];
    cluster.server.create(
      configuration('Validating', 'w', [webhook('x.a.example', { url }, { rules })]),
    );

    await writeAll(cluster);

    expect(reviews).toMatchObject([
      {
        kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' },
        object: { kind: 'Scale', spec: { replicas: 2 } },
        oldObject: { kind: 'Scale', spec: { replicas: 1 } },
      },
    ]);
  });

  test.each<[string, readonly string[]]>([
    ['*', ['CREATE namespaces n', 'CREATE configmaps c']],
    ['Cluster', ['CREATE namespaces n']],
    ['Namespaced', ['CREATE configmaps c']],
  ])('webhook rules match only their scope: %s', async (scope, expected) => {
    const { send, asked } = await askedAbout({ rules: [{ ...RULE, scope }] });

    await send('POST', '/api/v1/namespaces', { metadata: { name: 'n' } });
    await send('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'c' } });

    expect(asked()).toEqual(expected);
  });

  test.each([
    ['Equivalent', 1],
    ['Exact', 0],
  ])('with matchPolicy %s, a request in another version than the version of the webhook rule causes %i calls', async (matchPolicy, count) => {
    const cluster = await startCluster();
    const { url, reviews } = await startWebhook(() => ({ allowed: true }));
    const rules = [{ ...RULE, apiGroups: ['a.example'], apiVersions: ['v2'], resources: ['foos'] }];
    cluster.server.create(
      configuration('Validating', 'w', [webhook('x.a.example', { url }, { rules, matchPolicy })]),
    );
    cluster.server.create(DEFINITION);

    await cluster.send('POST', FOOS, {
      apiVersion: 'a.example/v1',
      kind: 'Foo',
      metadata: { name: 'a' },
    });

    expect(reviews).toHaveLength(count);
    if (count === 0) return;
    expect(reviews).toMatchObject([
      {
        kind: { version: 'v2' },
        resource: { version: 'v2' },
        requestKind: { version: 'v1' },
        requestResource: { version: 'v1' },
        object: { apiVersion: 'a.example/v2' },
      },
    ]);
  });
});

describe('the selectors of a webhook', () => {
  test('the namespaceSelector of a webhook filters namespaces and their objects, and other cluster-scoped objects always match', async () => {
    const namespaceSelector = { matchLabels: { team: 'blue' } };
    const { send, asked } = await askedAbout({ namespaceSelector });
    const blue = { labels: { team: 'blue' } };

    await send('POST', '/api/v1/namespaces', { metadata: { name: 'n', ...blue } });
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'm' } });
    await send('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'c' } });
    await send('POST', '/api/v1/namespaces/m/configmaps', { metadata: { name: 'd' } });
    await send('PATCH', '/api/v1/namespaces/m', { metadata: blue });
    await send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
      metadata: { name: 's' },
      provisioner: 'a.example/p',
    });

    expect(asked()).toEqual([
      'CREATE namespaces n',
      'CREATE configmaps c',
      'UPDATE namespaces m',
      'CREATE storageclasses s',
    ]);
  });

  test('the objectSelector of a webhook is compared with the labels before and after a change', async () => {
    const objectSelector = { matchExpressions: [{ key: 'guarded', operator: 'Exists' }] };
    const { send, asked } = await askedAbout({ objectSelector });
    const path = '/api/v1/namespaces/default/configmaps';
    const labelled = (value: string | null): object => ({
      metadata: { labels: { guarded: value } },
    });

    await send('POST', path, { metadata: { name: 'a' } });
    await send('PATCH', `${path}/a`, labelled('1'));
    await send('PATCH', `${path}/a`, labelled(null));
    await send('PATCH', `${path}/a`, { data: { k: 'v' } });

    expect(asked()).toEqual(['UPDATE configmaps a', 'UPDATE configmaps a']);
  });
});

describe('the match conditions of a webhook', () => {
  const path = '/api/v1/namespaces/default/configmaps';
  const create = (name: string): object => ({ metadata: { name }, data: { k: name } });
  const broken = { name: 'broken', expression: 'object.data.none == "x"' };

  test('a webhook is called only if all match conditions are true, which can use object, request, options and user', async () => {
    const { send, asked } = await askedAbout({
      matchConditions: [
        { name: 'data', expression: "object.data.k.startsWith('a')" },
        { name: 'user', expression: "request.userInfo.username == 'kubernetes-admin'" },
        { name: 'manager', expression: "request.options.?fieldManager.orValue('') == 'm'" },
      ],
    });

    await send('POST', `${path}?fieldManager=m`, create('ab'));
    await send('POST', `${path}?fieldManager=m`, create('b'));
    await send('POST', path, create('a'));

    expect(asked()).toEqual(['CREATE configmaps ab']);
  });

  test('a write is refused if a match condition fails, unless another condition is false or failures are ignored', async () => {
    const closed = await askedAbout({ matchConditions: [broken] });
    const open = await askedAbout({ matchConditions: [broken], failurePolicy: 'Ignore' });
    const decided = await askedAbout({
      matchConditions: [broken, { name: 'never', expression: 'false' }],
    });

    const refused = await closed.send('POST', path, create('a'));
    const ignored = await open.send('POST', path, create('a'));
    const skipped = await decided.send('POST', path, create('a'));

    expect([refused.status, ignored.status, skipped.status]).toEqual([403, 201, 201]);
    expect(refused.body.message).toBe(
      `configmaps "a" is forbidden: expression 'object.data.none == "x"' resulted in error: no such key: none`,
    );
    expect([closed.asked(), open.asked(), decided.asked()]).toEqual([[], [], []]);
  });
});
