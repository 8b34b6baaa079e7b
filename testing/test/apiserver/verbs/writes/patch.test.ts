/** F-8: what the server says of patches over HTTP. */
import { describe, expect, test } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster, type TestCluster } from '../../support/cluster.ts';

const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';
const APPLY = 'application/apply-patch+yaml';
const DEPLOYMENTS = '/apis/apps/v1/namespaces/default/deployments';

interface Sent {
  readonly type: string;
  readonly body: unknown;
  readonly query?: string;
  readonly path?: string;
}

function patch(cluster: TestCluster, { type, body, query = '', path = `${CONFIG_MAPS}/a` }: Sent) {
  return cluster.send('PATCH', path + query, body, { 'content-type': type });
}

async function withConfigMap(): Promise<TestCluster> {
  const cluster = await startCluster();
  cluster.server.create(configMap('a'));
  return cluster;
}

const DEPLOYMENT = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'd', namespace: 'default' },
  spec: {
    replicas: 1,
    selector: { matchLabels: { app: 'd' } },
    template: {
      metadata: { labels: { app: 'd' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

describe('[F-8] a malformed patch', () => {
  test.each([
    [MERGE, '{"a', 'error decoding patch: unexpected end of JSON input'],
    [
      MERGE,
      '[]',
      'error decoding patch: json: cannot unmarshal array into Go value of type map[string]interface {}',
    ],
    [STRATEGIC, '{"a', 'unexpected end of JSON input'],
    [
      STRATEGIC,
      '"x"',
      'json: cannot unmarshal string into Go value of type map[string]interface {}',
    ],
    [
      JSON_PATCH,
      '{}',
      'error decoding patch: json: cannot unmarshal object into Go value of type []handlers.jsonPatchOp',
    ],
    [
      JSON_PATCH,
      '["x"]',
      'error decoding patch: json: cannot unmarshal string into Go value of type handlers.jsonPatchOp',
    ],
    [
      JSON_PATCH,
      '[{"op":1}]',
      'error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string',
    ],
  ])('a malformed patch %s %s is answered 400', async (type, body, message) => {
    const cluster = await withConfigMap();

    const answer = await patch(cluster, { type, body });

    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ reason: 'BadRequest', message });
  });

  test('a JSON patch with more than 10,000 operations is answered 413', async () => {
    const cluster = await withConfigMap();
    const operations = (count: number): unknown[] =>
      Array.from({ length: count }, () => ({ op: 'add', path: '/data/x', value: '1' }));

    const many = await patch(cluster, { type: JSON_PATCH, body: operations(10_001) });
    const enough = await patch(cluster, { type: JSON_PATCH, body: operations(10_000) });

    expect(many.status).toBe(413);
    expect(many.body.message).toBe(
      'Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001',
    );
    expect(enough.status).toBe(200);
  });
});

describe('[F-8] a patch whose result does not fit the kind', () => {
  test('a patch with a value of the wrong type is answered 422, and the error quotes the whole result', async () => {
    const cluster = await withConfigMap();

    const answer = await patch(cluster, { type: MERGE, body: { data: { k: 1 } } });

    expect(answer.status).toBe(422);
    expect(answer.body.reason).toBe('Invalid');
    expect(answer.body.message).toMatch(
      /^ "" is invalid: patch: Invalid value: "\{\\"apiVersion\\":\\"v1\\",\\"data\\":\{\\"k\\":1\},\\"kind\\":\\"ConfigMap\\",\\"metadata\\":\{\\"name\\".*\}": json: cannot unmarshal number into Go struct field ConfigMap.data of type string$/,
    );
    expect(answer.body.details.causes).toMatchObject([
      { reason: 'FieldValueInvalid', field: 'patch' },
    ]);
  });

  test('a patch with unknown or duplicate fields causes warnings, or is answered 422 with Strict', async () => {
    const cluster = await withConfigMap();
    const body = '{"data":{"x":"1","x":"2"},"bogus":1,"metadata":{"labls":{}}}';

    const strict = await patch(cluster, { type: MERGE, body, query: '?fieldValidation=Strict' });
    const warned = await patch(cluster, { type: MERGE, body });

    expect(strict.status).toBe(422);
    expect(strict.body.message).toContain(
      'strict decoding error: duplicate field "data.x", unknown field "bogus", unknown field "metadata.labls"',
    );
    expect(warned.status).toBe(200);
    expect(warned.headers.get('warning')).toBe(
      '299 - "duplicate field \\"data.x\\"", 299 - "unknown field \\"bogus\\"", 299 - "unknown field \\"metadata.labls\\""',
    );
    expect(warned.body.data).toEqual({ k: 'v', x: '2' });
    expect(warned.body.bogus).toBeUndefined();
  });

  test('an unknown field of a JSON patch operation causes a warning', async () => {
    const cluster = await withConfigMap();
    const body = '[{"op":"add","path":"/data/x","value":"1","vlaue":"2"}]';

    const answer = await patch(cluster, { type: JSON_PATCH, body });

    expect(answer.headers.get('warning')).toBe('299 - "json patch unknown field \\"[0].vlaue\\""');
  });
});

describe('[F-8] server-side apply', () => {
  const path = `${DEPLOYMENTS}/d`;

  async function apply(spec: object, query = '?fieldManager=one') {
    const cluster = await startCluster();
    const body = JSON.stringify({ ...DEPLOYMENT, spec: { ...DEPLOYMENT.spec, ...spec } });
    return patch(cluster, { type: APPLY, body, path, query });
  }

  test.each([
    [{ replicsa: 1 }, '.spec.replicsa: field not declared in schema'],
    [{ replicas: 'two' }, '.spec.replicas: expected numeric (int or float), got string'],
    [{ paused: 'no' }, '.spec.paused: expected boolean, got &{no}'],
    [{ template: [] }, '.spec.template: expected map, got &{[]}'],
    [
      { template: { spec: { containers: [{ name: 'c' }, { name: 'c' }] } } },
      '.spec.template.spec.containers: duplicate entries for key [name="c"]',
    ],
    [
      { template: { spec: { containers: [null] } } },
      '.spec.template.spec.containers: element 0: associative list with keys may not have a null element',
    ],
    [
      { template: { spec: { containers: ['c'] } } },
      '.spec.template.spec.containers: element 0: associative list with keys may not have non-map elements',
    ],
    [{ selector: { matchLabels: 'all' } }, '.spec.selector.matchLabels: expected map, got &{all}'],
    [
      { template: { spec: { containers: [{ name: 'c', env: [{ name: 'E', value: 8080 }] }] } } },
      '.spec.template.spec.containers[name="c"].env[name="E"].value: expected string, got &value.valueUnstructured{Value:8080}',
    ],
  ])('an apply of %j does not fit the schema and is answered 500, as in Kubernetes', async (spec, problem) => {
    const answer = await apply(spec);

    expect(answer.status).toBe(500);
    expect(answer.body.message).toBe(
      `failed to create typed patch object (default/d; apps/v1, Kind=Deployment): ${problem}`,
    );
  });

  test('an apply with another API version than in the path is answered 400', async () => {
    const cluster = await startCluster();
    const body = JSON.stringify({ ...DEPLOYMENT, apiVersion: 'apps/v1beta1' });

    const answer = await patch(cluster, { type: APPLY, body, path, query: '?fieldManager=one' });

    expect(answer.status).toBe(400);
    expect(answer.body.message).toBe('invalid object type: apps/v1beta1, Kind=Deployment');
  });

  test('an apply with a duplicate key causes a warning, or is answered 400 with Strict', async () => {
    const cluster = await startCluster();
    const body =
      'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: a\ndata:\n  x: "1"\n  x: "2"\n';
    const query = '?fieldManager=one&fieldValidation=';

    const strict = await patch(cluster, { type: APPLY, body, query: `${query}Strict` });
    const warned = await patch(cluster, { type: APPLY, body, query: `${query}Warn` });

    expect(strict.status).toBe(400);
    expect(strict.body.message).toBe(
      'error strict decoding YAML: error converting YAML to JSON: yaml: unmarshal errors:\n  line 7: key "x" already set in map',
    );
    expect(warned.status).toBe(201);
    expect(warned.headers.get('warning')).toBe('299 - "line 7: key \\"x\\" already set in map"');
  });

  test('a strategic merge patch replaces the ports of an EndpointSlice as a whole', async () => {
    const cluster = await startCluster();
    const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
    const slice = {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { name: 's' },
      addressType: 'IPv4',
      endpoints: [],
      ports: [{ name: 'http', port: 80 }],
    };
    await cluster.send('POST', slices, slice);

    const answer = await patch(cluster, {
      type: STRATEGIC,
      body: { ports: [{ name: 'https', port: 443 }] },
      path: `${slices}/s`,
    });

    expect(answer.body.ports).toMatchObject([{ name: 'https', port: 443 }]);
  });
});

describe('[F-8] owners of fields after a patch', () => {
  test('a removed label leaves no trace in managedFields', async () => {
    const cluster = await startCluster();
    await cluster.send('POST', CONFIG_MAPS, configMap('a', { labels: { touched: 'yes' } }));

    const answer = await patch(cluster, {
      type: MERGE,
      body: { metadata: { labels: { touched: null } } },
    });

    const [entry] = answer.body.metadata.managedFields;
    expect(entry.fieldsV1).toEqual({ 'f:data': { '.': {}, 'f:k': {} } });
  });

  test('replicas that were changed through /scale are owned by the client that changed them', async () => {
    const cluster = await startCluster();
    await cluster.send('POST', `${DEPLOYMENTS}?fieldManager=creator`, DEPLOYMENT);

    await cluster.send(
      'PATCH',
      `${DEPLOYMENTS}/d/scale`,
      { spec: { replicas: 2 } },
      {
        'content-type': MERGE,
        'user-agent': 'kubectl/v1.33.0 (linux/amd64)',
      },
    );
    const { body } = await cluster.send('GET', `${DEPLOYMENTS}/d`);

    expect(body.metadata.managedFields[0]).toEqual({
      manager: 'kubectl',
      operation: 'Update',
      apiVersion: 'apps/v1',
      fieldsType: 'FieldsV1',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
      subresource: 'scale',
    });
    expect(body.metadata.managedFields[1].fieldsV1['f:spec']['f:replicas']).toBeUndefined();
  });

  test('an apply of a Scale has a conflict, and a forced apply of a Scale owns the replicas', async () => {
    const cluster = await startCluster();
    await cluster.send('POST', `${DEPLOYMENTS}?fieldManager=creator`, DEPLOYMENT);
    const scale = {
      apiVersion: 'autoscaling/v1',
      kind: 'Scale',
      metadata: { name: 'd', namespace: 'default' },
      spec: { replicas: 3 },
    };
    const sent = { type: APPLY, body: JSON.stringify(scale), path: `${DEPLOYMENTS}/d/scale` };

    const refused = await patch(cluster, { ...sent, query: '?fieldManager=hpa' });
    const forced = await patch(cluster, { ...sent, query: '?fieldManager=hpa&force=true' });
    const { body } = await cluster.send('GET', `${DEPLOYMENTS}/d`);

    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain(
      'conflict with "creator" using autoscaling/v1: .spec.replicas',
    );
    expect(forced.body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
    expect(body.metadata.managedFields[0]).toMatchObject({
      manager: 'hpa',
      operation: 'Apply',
      subresource: 'scale',
      fieldsV1: { 'f:spec': { 'f:replicas': {} } },
    });
    expect(body.spec.template.spec.containers).toHaveLength(1);
  });
});

describe('[F-8] options of a patch', () => {
  test.each([
    ['force=true', 'force: Forbidden: may not be specified for non-apply patch'],
    [`fieldManager=${'x'.repeat(129)}`, 'fieldManager: Too long: may not be more than 128 bytes'],
    [
      'fieldManager=a%0Ab',
      'fieldManager: Invalid value: "a\\nb": invalid character U+000A (at position 1)',
    ],
  ])('a patch with %s is answered 422', async (query, why) => {
    const cluster = await withConfigMap();

    const answer = await patch(cluster, { type: MERGE, body: {}, query: `?${query}` });

    expect(answer.status).toBe(422);
    expect(answer.body.message).toBe(`PatchOptions.meta.k8s.io "" is invalid: ${why}`);
  });
});

test('an apply with the uid of another object is refused and changes nothing', async () => {
  const cluster = await withConfigMap();
  const metadata = { name: 'a', uid: 'other' };
  const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { k: 'taken' } };

  const answer = await patch(cluster, { type: APPLY, body, query: '?fieldManager=m&force=true' });

  expect(answer.status).toBe(422);
  const cause = {
    reason: 'FieldValueInvalid',
    message: 'Invalid value: "other": field is immutable',
    field: 'metadata.uid',
  };
  // By the general rules and by those of the kind.
  expect(answer.body.details.causes).toEqual([cause, cause]);
  expect(cluster.server.get('v1', 'ConfigMap', 'default', 'a')).not.toMatchObject({
    data: { k: 'taken' },
  });
});

const LASTS: readonly (readonly [field: string, value: unknown])[] = [
  ['annotations', { 'example.dev/seen': 'yes' }],
  ['labels', { shelf: 'upper' }],
  ['finalizers', ['example.dev/drain']],
  ['ownerReferences', [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u-1' }]],
];

test.each(
  LASTS.flatMap(([field, value]) =>
    ['', '&dryRun=All'].map((query) => [field, query, value] as const),
  ),
)('an apply that omits the only %s of its manager keeps the object, with the query "%s"', async (field, query, value) => {
  const cluster = await startCluster();
  const sent = { type: APPLY, query: '?fieldManager=m' };
  const { body: created } = await patch(cluster, {
    ...sent,
    body: configMap('a', { [field]: value }),
  });

  const answer = await patch(cluster, {
    ...sent,
    body: configMap('a'),
    query: sent.query + query,
  });

  expect(created.metadata[field]).toEqual(value);
  expect(answer).toMatchObject({ status: 200, body: { data: { k: 'v' } } });
  expect(answer.body.metadata).toMatchObject({ name: 'a', uid: created.metadata.uid });
  expect(answer.body.metadata).not.toHaveProperty(field);
});

test('an apply with the resourceVersion of a deleted object creates the object again', async () => {
  const { server, send } = await startCluster();
  const body = configMap('gone', { resourceVersion: '41' });

  const answer = await send('PATCH', `${CONFIG_MAPS}/gone?fieldManager=m`, body, {
    'content-type': APPLY,
  });

  expect(answer.status).toBe(201);
  expect(server.get('v1', 'ConfigMap', 'default', 'gone')).toMatchObject({ data: { k: 'v' } });
});

test('a patch of managedFields changes the owner of fields', async () => {
  const cluster = await startCluster();
  await cluster.send('POST', `${CONFIG_MAPS}?fieldManager=m`, configMap('a'));
  const path = '/metadata/managedFields/0/operation';
  const body = [{ op: 'replace', path, value: 'Apply' }];

  await patch(cluster, { type: JSON_PATCH, body, query: '?fieldManager=m' });

  const { metadata } = cluster.server.get('v1', 'ConfigMap', 'default', 'a') ?? {};
  expect(metadata?.managedFields).toMatchObject([{ manager: 'm', operation: 'Apply' }]);
});
