/** What the server says of applies over HTTP. Each answer was compared with kube-apiserver v1.36.2. */
import { describe, expect, test } from 'vitest';
import { definition, withField } from '../../crd/definitions.ts';
import { type Answer, CONFIG_MAPS, startCluster, type TestCluster } from '../../support/cluster.ts';

const APPLY = { 'content-type': 'application/apply-patch+yaml' };
const SECRETS = '/api/v1/namespaces/default/secrets';

function apply(
  { send }: TestCluster,
  path: string,
  body: unknown,
  manager = 'editor',
): Promise<Answer> {
  return send('PATCH', `${path}?fieldManager=${manager}`, body, APPLY);
}

function configMap(name: string, rest: object, metadata: object = {}): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, ...rest };
}

describe('the body of an apply', () => {
  test.each([
    ['', '/, Kind='],
    ['null', '/, Kind='],
    ['kind: ConfigMap', '/, Kind=ConfigMap'],
    ['apiVersion: v1', '/v1, Kind='],
    ['apiVersion: v1\nkind: Pod', '/v1, Kind=Pod'],
    ['apiVersion: batch/v1\nkind: Job', 'batch/v1, Kind=Job'],
    ['apiVersion: a/b/c\nkind: ConfigMap', '/, Kind='],
    ['apiVersion: 1\nkind: ConfigMap', '/, Kind=ConfigMap'],
  ])('an apply with the body %j has the wrong kind and is refused', async (body, found) => {
    const answer = await apply(await startCluster(), `${CONFIG_MAPS}/a`, body);

    expect([answer.status, answer.body.message]).toEqual([400, `invalid object type: ${found}`]);
  });

  test.each([
    ['- a', 'array'],
    ['7', 'number'],
    ['"text"', 'string'],
    ['true', 'bool'],
  ])('an apply with the body %j, which is not an object, is refused', async (body, found) => {
    const { status, body: answer } = await apply(await startCluster(), `${CONFIG_MAPS}/a`, body);

    expect([status, answer.message]).toEqual([
      400,
      `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${found} into Go value of type map[string]interface {}`,
    ]);
  });

  test.each([
    ['kind: x\n\tdata: y', 'line 2: found a tab character that violates indentation'],
    ['data:\n\tx: y', 'line 2: found character that cannot start any token'],
    ['kind: x\ndata: y: z', 'line 2: mapping values are not allowed in this context'],
    ['data: *nobody', "unknown anchor 'nobody' referenced"],
    ['data: "\\z"', 'found unknown escape character'],
    ['data: [1, 2', "line 1: did not find expected ',' or ']'"],
    ['kind: x\ndata: {a: 1', "line 2: did not find expected ',' or '}'"],
    ['data: `x`', 'found character that cannot start any token'],
    ['a:\n  b: 1\n c: 2', 'line 2: did not find expected key'],
  ])('an apply with the body %j, which is not YAML, is refused', async (body, problem) => {
    const { status, body: answer } = await apply(await startCluster(), `${CONFIG_MAPS}/a`, body);

    expect([status, answer.message]).toEqual([
      400,
      `error decoding YAML: error converting YAML to JSON: yaml: ${problem}`,
    ]);
  });

  test('an apply reads only the first document of a YAML stream', async () => {
    const text =
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {k: v}\n---\nkind: [\n';

    const { status, body } = await apply(await startCluster(), `${CONFIG_MAPS}/a`, text);

    expect([status, body.data]).toEqual([201, { k: 'v' }]);
  });
});

describe('name, resourceVersion and uid in an applied configuration', () => {
  test('an apply that creates an object needs a name in its body', async () => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', data: {} };

    const answer = await apply(await startCluster(), `${CONFIG_MAPS}/fresh`, body);

    expect([answer.status, answer.body.message]).toEqual([
      400,
      'the name of the object (fresh based on URL) was undeterminable: name must be provided',
    ]);
  });

  test.each([
    true,
    false,
  ])('an apply whose body has another name is refused, whether the object exists (%s) or not', async (isThere) => {
    const cluster = await startCluster();
    if (isThere) await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', {}));

    const { status, body } = await apply(cluster, `${CONFIG_MAPS}/a`, configMap('b', {}));

    expect([status, body.message]).toEqual([
      400,
      'the name of the object (b) does not match the name on the URL (a)',
    ]);
  });

  test('an apply with a conflict and a wrong name reports the conflict', async () => {
    const cluster = await startCluster();
    await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1' } }), 'first');

    const { status } = await apply(
      cluster,
      `${CONFIG_MAPS}/a`,
      configMap('b', { data: { k: '2' } }),
    );

    expect(status).toBe(409);
  });

  test.each([
    ['0', 200],
    ['', 200],
    ['12x', 500],
    ['1', 409],
  ])('an apply with resourceVersion %j to an existing object is answered %d', async (resourceVersion, expected) => {
    const cluster = await startCluster();
    await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1' } }));

    const body = configMap('a', { data: { k: '2' } }, { resourceVersion });

    expect((await apply(cluster, `${CONFIG_MAPS}/a`, body)).status).toBe(expected);
  });

  test('an apply of a custom resource with an empty resourceVersion is refused', async () => {
    const cluster = await startCluster();
    const { plural, group } = await defined(cluster);
    const path = `/apis/${group}/v1/namespaces/default/${plural}/x`;
    const body = (metadata: object): object => ({ ...FOO, metadata: { name: 'x', ...metadata } });
    await apply(cluster, path, body({}));

    const { status, body: answer } = await apply(cluster, path, body({ resourceVersion: '' }));

    expect([status, answer.message]).toEqual([
      422,
      `${plural}.${group} "x" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
    ]);
  });
});

const FOO = { apiVersion: 'a.example/v1', kind: 'Foo' };

async function defined({ send }: TestCluster): Promise<{ plural: string; group: string }> {
  const { body } = await send(
    'POST',
    '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    definition(withField({ type: 'string' })),
  );
  return { plural: body.spec.names.plural, group: body.spec.group };
}

describe('a null in an applied configuration', () => {
  test('an applied null in a map of strings is stored as the empty string', async () => {
    const cluster = await startCluster();

    const { body } = await apply(cluster, `${SECRETS}/s`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 's', annotations: { a: null } },
      stringData: { b: null },
    });

    expect([body.metadata.annotations, body.data]).toEqual([{ a: '' }, { b: '' }]);
  });

  test('an applied null conflicts with another manager, even where no value is stored', async () => {
    const cluster = await startCluster();
    await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', { immutable: null }), 'first');

    const { status, body } = await apply(
      cluster,
      `${CONFIG_MAPS}/a`,
      configMap('a', { immutable: null }),
    );

    expect([status, body.message]).toEqual([
      409,
      'Apply failed with 1 conflict: conflict with "first": .immutable',
    ]);
  });

  test('an applied null is refused if the schema of the custom resource does not allow it', async () => {
    const cluster = await startCluster();
    const { plural, group } = await defined(cluster);
    const body = { ...FOO, metadata: { name: 'x' }, x: null };

    const { status, body: answer } = await apply(
      cluster,
      `/apis/${group}/v1/namespaces/default/${plural}/x`,
      body,
    );

    expect([status, answer.details.causes[0].field]).toEqual([422, 'x']);
  });
});

test('a second manager adds owners and finalizers, and each manager removes only those that it added', async () => {
  const cluster = await startCluster();
  const path = `${SECRETS}/s`;
  const held = (by: string): object => ({
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: by, uid: `uid-of-${by}` }],
    finalizers: [`a.example/${by}`],
  });
  const secret = (metadata: object): object => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', ...metadata },
  });
  const left = ({ status, body: { metadata } }: Answer): unknown => [
    status,
    metadata.ownerReferences.map(({ name }: { name: string }) => name),
    metadata.finalizers,
  ];

  await apply(cluster, path, secret(held('one')), 'first');
  const both = await apply(cluster, path, secret(held('two')), 'second');
  const second = await apply(cluster, path, secret({}), 'first');

  expect(left(both)).toEqual([200, ['one', 'two'], ['a.example/one', 'a.example/two']]);
  expect(left(second)).toEqual([200, ['two'], ['a.example/two']]);
});

test('an applied list item without its key is treated as an item with the empty key, and is refused', async () => {
  const cluster = await startCluster();
  const owner = { apiVersion: 'v1', kind: 'Node', name: 'n' };

  const { status, body } = await apply(
    cluster,
    `${CONFIG_MAPS}/a`,
    configMap('a', {}, { ownerReferences: [owner] }),
  );

  expect([status, body.message]).toEqual([
    422,
    'ConfigMap "a" is invalid: metadata.ownerReferences.uid: Invalid value: "": must not be empty',
  ]);
});

test.each([
  [{ binaryData: { x: '*' } }, 'error decoding from json: illegal base64 data at input byte 0'],
  [
    { metadata: { name: 'a', creationTimestamp: 'noon' } },
    'parsing time "noon" as "2006-01-02T15:04:05Z07:00": cannot parse "noon" as "2006"',
  ],
])('an applied %j that fits the schema but not the Go type is answered 500', async (rest, problem) => {
  const { status, body } = await apply(await startCluster(), `${CONFIG_MAPS}/a`, {
    ...configMap('a', {}),
    ...rest,
  });

  expect([status, body.message]).toEqual([
    500,
    `failed to convert new object (/a; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured object to /v1, Kind=ConfigMap: ${problem}`,
  ]);
});

test.each([
  ['4294967297', 1],
  ['9223372036854775808', 0],
  ['5.0', 5],
])('an applied integer is cut to 32 bits: %s is accepted', async (replicas, expected) => {
  const text = `{"apiVersion":"apps/v1","kind":"ReplicaSet","metadata":{"name":"r"},"spec":{"replicas":${replicas},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`;

  const { status, body } = await apply(
    await startCluster(),
    '/apis/apps/v1/namespaces/default/replicasets/r',
    text,
  );

  expect([status, body.spec.replicas]).toEqual([201, expected]);
});

test('a manager that only shares existing fields gets a managedFields entry without a time', async () => {
  const cluster = await startCluster();
  await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', { data: { k: '1', l: '2' } }), 'first');

  const shared = await apply(cluster, `${CONFIG_MAPS}/a`, configMap('a', { data: { l: '2' } }));
  const more = await apply(
    cluster,
    `${CONFIG_MAPS}/a`,
    configMap('a', { data: { l: '2', m: '3' } }),
  );

  const timeOf = ({ body }: Answer): unknown =>
    body.metadata.managedFields.find(({ manager }: { manager: string }) => manager === 'editor')
      .time;
  expect([timeOf(shared), timeOf(more)]).toEqual([undefined, expect.any(String)]);
});

test('a dry run of an apply that would create an object returns no resourceVersion', async () => {
  const { send } = await startCluster();

  const { status, body } = await send(
    'PATCH',
    `${CONFIG_MAPS}/a?fieldManager=editor&dryRun=All`,
    configMap('a', {}),
    APPLY,
  );

  expect([status, body.metadata.resourceVersion]).toEqual([201, undefined]);
});

describe('an apply of a Scale', () => {
  const DEPLOYMENT = '/apis/apps/v1/namespaces/default/deployments/d';
  const template = {
    metadata: { labels: { a: 'b' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  const spec = { replicas: 2, selector: { matchLabels: { a: 'b' } }, template };

  async function scaled(...applies: readonly [manager: string, spec: object, query?: string][]) {
    const cluster = await startCluster();
    const body = { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'd' }, spec };
    await apply(cluster, DEPLOYMENT, body, 'owner');
    let last: Answer | undefined;
    for (const [manager, wanted, query = ''] of applies) {
      const scale = {
        apiVersion: 'autoscaling/v1',
        kind: 'Scale',
        metadata: { name: 'd' },
        spec: wanted,
      };
      last = await apply(cluster, `${DEPLOYMENT}/scale`, scale, `${manager}${query}`);
    }
    const { body: deployment } = await cluster.send('GET', DEPLOYMENT);
    const owners = deployment.metadata.managedFields
      .filter(
        ({ fieldsV1 }: { fieldsV1: Record<string, object> }) =>
          'f:replicas' in (fieldsV1['f:spec'] ?? {}),
      )
      .map(({ manager }: { manager: string }) => manager);
    return { last, owners, replicas: deployment.spec.replicas };
  }

  test('an apply of a Scale conflicts with the owner of the replicas', async () => {
    const { last, owners, replicas } = await scaled(['scaler', { replicas: 3 }]);

    expect(last?.body.message).toBe(
      'Apply failed with 1 conflict: conflict with "owner": .spec.replicas',
    );
    expect([owners, replicas]).toEqual([['owner'], 2]);
  });

  test('a forced apply of a Scale takes over the replicas', async () => {
    const { owners, replicas } = await scaled(['scaler', { replicas: 3 }, '&force=true']);

    expect([owners, replicas]).toEqual([['scaler'], 3]);
  });

  test('an apply of a Scale with equal replicas shares the field, and a later apply without replicas keeps its value', async () => {
    const { owners, replicas } = await scaled(['scaler', { replicas: 2 }], ['scaler', {}]);

    expect([owners.sort(), replicas]).toEqual([['owner', 'scaler'], 2]);
  });

  test.each([
    [
      { replicas: 'two' },
      500,
      'failed to create typed patch object (/d; autoscaling/v1, Kind=Scale): .spec.replicas: expected numeric (int or float), got string',
    ],
    [
      { replicas: -3 },
      422,
      'Scale.autoscaling "d" is invalid: spec.replicas: Invalid value: -3: must be greater than or equal to 0',
    ],
  ])('an apply of a Scale with %j is answered %d', async (wanted, status, message) => {
    const { last } = await scaled(['scaler', wanted, '&force=true']);

    expect([last?.status, last?.body.message]).toEqual([status, message]);
  });
});
