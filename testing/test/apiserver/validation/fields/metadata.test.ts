import { afterEach, describe, expect, test, vi } from 'vitest';
import { CONFIG_MAPS, configMap, startCluster } from '../../support/cluster.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

const LABEL_KEY =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const OWNER = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: 'u' };

const ROWS: readonly (readonly [what: string, metadata: object, problems: readonly string[]])[] = [
  [
    'a label key with a blank',
    { labels: { 'a b': '' } },
    [`metadata.labels: Invalid value: "a b": name part ${LABEL_KEY}`],
  ],
  [
    'a label key of two slashes',
    { labels: { 'a/b/c': '' } },
    [
      `metadata.labels: Invalid value: "a/b/c": a valid label key ${LABEL_KEY} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ],
  ],
  [
    'a label key without a name',
    { labels: { 'a/': '' } },
    [
      'metadata.labels: Invalid value: "a/": name part must be non-empty',
      `metadata.labels: Invalid value: "a/": name part ${LABEL_KEY}`,
    ],
  ],
  [
    'a long label',
    { labels: { a: 'x'.repeat(64) } },
    [`metadata.labels: Invalid value: "${'x'.repeat(64)}": must be no more than 63 bytes`],
  ],
  ['an annotation with capitals in its prefix', { annotations: { 'Example.com/a': '' } }, []],
  [
    'annotations of more than 256 KiB',
    { annotations: { a: 'x'.repeat(262_144) } },
    ['metadata.annotations: Too long: may not be more than 262144 bytes'],
  ],
  [
    'an owner without a uid',
    { ownerReferences: [{ ...OWNER, uid: '' }] },
    ['metadata.ownerReferences.uid: Invalid value: "": must not be empty'],
  ],
  [
    'two controllers',
    {
      ownerReferences: [
        { ...OWNER, controller: true },
        { ...OWNER, name: 'p', controller: true },
      ],
    },
    [
      expect.stringContaining(
        'Only one reference can have Controller set to true. Found "true" in references for ConfigMap/o and ConfigMap/p',
      ),
    ],
  ],
  [
    'an Event for an owner',
    { ownerReferences: [{ ...OWNER, kind: 'Event' }] },
    [expect.stringContaining('/v1, Kind=Event is disallowed from being an owner')],
  ],
  [
    'a finalizer with a blank',
    { finalizers: ['example.dev/a b'] },
    [`metadata.finalizers: Invalid value: "example.dev/a b": name part ${LABEL_KEY}`],
  ],
  [
    'finalizers without a domain',
    { finalizers: ['kubernetes', 'cleanup', 'orphan', 'done'] },
    [
      'metadata.finalizers[1]: Invalid value: "cleanup": name is neither a standard finalizer name nor is it fully qualified',
      'metadata.finalizers[3]: Invalid value: "done": name is neither a standard finalizer name nor is it fully qualified',
    ],
  ],
  [
    'finalizers that contradict each other',
    { finalizers: ['orphan', 'foregroundDeletion'] },
    [
      'metadata.finalizers: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and foregroundDeletion cannot be both set',
    ],
  ],
  [
    'a name of 254 characters',
    { name: 'a'.repeat(254) },
    [`metadata.name: Invalid value: "${'a'.repeat(254)}": must be no more than 253 characters`],
  ],
];

describe('[F-4] validation of metadata', () => {
  test.each(
    ROWS,
  )('metadata get the validation errors of Kubernetes: %s', async (_, metadata, expected) => {
    const { send } = await startCluster();

    const { body } = await send('POST', CONFIG_MAPS, configMap('a', metadata));

    expect(
      (body.details?.causes ?? []).map(
        (cause: Record<string, string>) => `${cause.field}: ${cause.message}`,
      ),
    ).toEqual(expected);
  });
});

const NAMES: readonly (readonly [path: string, object: object, problem: string | undefined])[] = [
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { kind: 'ClusterRole', metadata: { name: 'system:Me' } },
    undefined,
  ],
  [
    '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    { kind: 'ClusterRole', metadata: { name: 'a%b' } },
    `may not contain '%'`,
  ],
  ['/api/v1/namespaces', { kind: 'Namespace', metadata: { name: 'a.b' } }, 'must not contain dots'],
  [
    '/api/v1/namespaces',
    { kind: 'Namespace', metadata: { name: 'a'.repeat(64) } },
    'must be no more than 63 characters',
  ],
  [
    '/apis/batch/v1/namespaces/default/cronjobs',
    {
      kind: 'CronJob',
      metadata: { name: 'a'.repeat(53) },
      spec: {
        schedule: '@daily',
        jobTemplate: {
          spec: {
            template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
          },
        },
      },
    },
    'must be no more than 52 characters',
  ],
];

test.each(
  NAMES,
)('[F-4] a name must be valid for its kind: %s %j', async (path, object, problem) => {
  const { send } = await startCluster();

  const { status, body } = await send('POST', path, object);

  expect(status).toBe(problem === undefined ? 201 : 422);
  if (problem !== undefined) expect(body.message).toContain(problem);
});

test('[F-4] a generated name has the first 58 characters of generateName and five random characters', async () => {
  const { send } = await startCluster();
  const base = 'a'.repeat(62);

  const { body } = await send('POST', CONFIG_MAPS, configMap('', { generateName: base }));

  expect(body.metadata.name).toMatch(/^a{58}[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  expect(body.metadata.generateName).toBe(base);
});

test('[F-4] a generateName that results in an invalid name is reported for generateName and for name', async () => {
  const { send } = await startCluster();

  const { body } = await send('POST', CONFIG_MAPS, configMap('', { generateName: 'Ab-' }));

  expect(body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
    'metadata.generateName',
    'metadata.name',
  ]);
});

test('[F-4] a create with generateName fails after eight generated names that already exist', async () => {
  const { send } = await startCluster();
  const random = vi.spyOn(Math, 'random').mockReturnValue(0);
  await send('POST', CONFIG_MAPS, configMap('', { generateName: 'a-' }));
  random.mockClear();

  const { status, body } = await send('POST', CONFIG_MAPS, configMap('', { generateName: 'a-' }));

  expect(status).toBe(409);
  expect(body).toMatchObject({
    reason: 'AlreadyExists',
    message:
      'configmaps "a-bbbbb" already exists, the server was not able to generate a unique name for the object',
    details: { name: 'a-bbbbb', kind: 'configmaps', retryAfterSeconds: 1 },
  });
  expect(random).toHaveBeenCalledTimes(8 * 5);
});

test('[F-4] a create ignores the metadata fields that only the server sets', async () => {
  const { send } = await startCluster();
  const metadata = {
    uid: 'mine',
    creationTimestamp: '2001-01-01T00:00:00Z',
    deletionTimestamp: '2001-01-01T00:00:00Z',
    generation: 9,
    selfLink: '/me',
  };

  const { body } = await send('POST', CONFIG_MAPS, configMap('a', metadata));

  expect(body.metadata.uid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4/);
  expect(body.metadata.creationTimestamp).not.toBe(metadata.creationTimestamp);
  for (const field of ['deletionTimestamp', 'generation', 'selfLink']) {
    expect(body.metadata).not.toHaveProperty(field);
  }
});

describe('[F-4] metadata of a changed object', () => {
  test('an update keeps the uid and creationTimestamp of the object', async () => {
    const { send } = await startCluster();
    const { body: created } = await send('POST', CONFIG_MAPS, configMap('a'));

    const { body } = await send(
      'PUT',
      `${CONFIG_MAPS}/a`,
      configMap('a', { creationTimestamp: '2001-01-01T00:00:00Z' }),
    );

    expect(body.metadata).toMatchObject({
      uid: created.metadata.uid,
      creationTimestamp: created.metadata.creationTimestamp,
    });
  });

  test('a patch that sets deletionTimestamp is refused and deletes nothing', async () => {
    const { send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a'));

    const { status, body } = await send('PATCH', `${CONFIG_MAPS}/a`, {
      metadata: { deletionTimestamp: '2026-11-21T06:28:21Z' },
    });

    expect([status, body.details.causes[0]]).toEqual([
      422,
      {
        reason: 'FieldValueInvalid',
        message: 'Invalid value: "2026-11-21T06:28:21Z": field is immutable',
        field: 'metadata.deletionTimestamp',
      },
    ]);
  });

  test('a new finalizer on an object in deletion is refused, and the error has two causes', async () => {
    const { send } = await startCluster();
    await send('POST', CONFIG_MAPS, configMap('a', { finalizers: ['x.y/a'] }));
    await send('DELETE', `${CONFIG_MAPS}/a`);

    const { body } = await send('PATCH', `${CONFIG_MAPS}/a`, {
      metadata: { finalizers: ['x.y/b', 'x.y/a'] },
    });

    const text =
      'Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"x.y/b"}';
    expect(body.message).toBe(`ConfigMap "a" is invalid: metadata.finalizers: ${text}`);
    expect(body.details.causes.map(({ message }: { message: string }) => message)).toEqual([
      text,
      text,
    ]);
  });
});

describe('[F-4] the namespace of a new object', () => {
  test('a create whose namespace differs from the namespace of the path is refused', async () => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', CONFIG_MAPS, configMap('a', { namespace: 'b' }));

    expect([status, body.reason, body.message]).toEqual([
      400,
      'BadRequest',
      'the namespace of the provided object does not match the namespace sent on the request',
    ]);
  });

  test('a create in a namespace that does not exist is answered 404', async () => {
    const { send } = await startCluster();
    const path = '/api/v1/namespaces/nowhere/configmaps';

    const { status, body } = await send('POST', path, { metadata: { name: 'a' } });

    expect([status, body.message, body.details]).toEqual([
      404,
      'namespaces "nowhere" not found',
      { name: 'nowhere', kind: 'namespaces' },
    ]);
  });

  test('a create in a terminating namespace is forbidden', async () => {
    const { send } = await startCluster();
    await send('POST', '/api/v1/namespaces', { metadata: { name: 'short' } });
    await send('DELETE', '/api/v1/namespaces/short');

    const { status, body } = await send('POST', '/api/v1/namespaces/short/configmaps', {
      metadata: { name: 'late' },
    });

    expect(status).toBe(403);
    expect(body).toMatchObject({
      reason: 'Forbidden',
      message:
        'configmaps "late" is forbidden: unable to create new content in namespace short because it is being terminated',
      details: {
        name: 'late',
        kind: 'configmaps',
        causes: [
          {
            reason: 'NamespaceTerminating',
            message: 'namespace short is being terminated',
            field: 'metadata.namespace',
          },
        ],
      },
    });
  });

  test('a create of a cluster-scoped object drops metadata.namespace', async () => {
    const { send } = await startCluster();
    const path = '/apis/scheduling.k8s.io/v1/priorityclasses';

    const { status, body } = await send('POST', path, { metadata: { name: 'p', namespace: 'b' } });

    expect(status).toBe(201);
    expect(body.metadata).not.toHaveProperty('namespace');
  });
});

test('[F-4] a create with a resourceVersion is answered 500', async () => {
  const { send } = await startCluster();

  const { status, body } = await send(
    'POST',
    CONFIG_MAPS,
    configMap('a', { resourceVersion: '1' }),
  );

  expect([status, body.message]).toEqual([
    500,
    'resourceVersion should not be set on objects to be created',
  ]);
});

test('[F-4] the generation of an Ingress that was created with a status counts only changes of the spec', async () => {
  const { send } = await startCluster();
  const path = '/apis/networking.k8s.io/v1/namespaces/default/ingresses';
  const ingress = {
    metadata: { name: 'i' },
    spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.4' }] } },
  };

  const { body: created } = await send('POST', path, ingress);
  const { body: status } = await send('PATCH', `${path}/i/status`, {
    spec: { ingressClassName: 'x' },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.5' }] } },
  });
  const { body: spec } = await send('PATCH', `${path}/i`, {
    spec: { ingressClassName: 'y' },
    status: { loadBalancer: { ingress: [{ ip: '1.2.3.6' }] } },
  });

  expect([created, status, spec].map(({ metadata }) => metadata.generation)).toEqual([1, 1, 2]);
  expect(created.status).toEqual({ loadBalancer: {} });
  expect(status.spec).not.toHaveProperty('ingressClassName');
  expect(spec.status.loadBalancer.ingress).toEqual([{ ip: '1.2.3.5' }]);
});

describe('the metadata rules for updates and creates', () => {
  const LEASES = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
  const ROLES = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
  const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
  const ROLE = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', rules: [] };
  const BUDGET = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    spec: { minAvailable: 1 },
  };
  const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', spec: {} };
  const QUOTAS = '/api/v1/namespaces/default/resourcequotas';
  const QUOTA = { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { pods: '1' } } };

  async function fieldsRefused(path: string, body: object, metadata: object): Promise<string[]> {
    const { send } = await startCluster();
    await send('POST', path, { ...body, metadata: { name: 'x' } });
    const { body: answer } = await send('PATCH', `${path}/x`, { metadata });
    return (answer.details?.causes ?? []).map(({ field }: { field: string }) => field);
  }

  const labels = { 'a b': '' };
  const [L, F, K] = ['metadata.labels', 'metadata.finalizers', 'metadata.finalizers[0]'];

  test.each([
    [
      'a wrong label of a ConfigMap is reported four times',
      CONFIG_MAPS,
      configMap('x'),
      { labels },
      [L, L, L, L],
    ],
    [
      'a wrong label of a ResourceQuota is reported three times',
      QUOTAS,
      QUOTA,
      { labels },
      [L, L, L],
    ],
    [
      'a wrong label of a PodDisruptionBudget is reported twice',
      BUDGETS,
      BUDGET,
      { labels },
      [L, L],
    ],
    [
      'a wrong finalizer of a Role is reported four times',
      ROLES,
      ROLE,
      { finalizers: ['a b'] },
      [F, F, K, K],
    ],
    [
      'a finalizer without a domain is accepted for a Lease',
      LEASES,
      LEASE,
      { finalizers: ['cleanup'] },
      [],
    ],
    [
      'a finalizer without a domain is accepted for a PodDisruptionBudget',
      BUDGETS,
      BUDGET,
      { finalizers: ['cleanup'] },
      [],
    ],
  ])('an update with wrong metadata is validated as in Kubernetes: %s', async (_, path, body, metadata, expected) => {
    expect(await fieldsRefused(path, body, metadata)).toEqual(expected);
  });

  test('a create reports problems of its metadata only if its spec has no problems', async () => {
    const { send } = await startCluster();
    const spec = { minAvailable: 1, maxUnavailable: 1 };
    const both = { ...BUDGET, metadata: { name: 'x', labels }, spec };

    const { body } = await send('POST', BUDGETS, both);
    const { body: valid } = await send('POST', BUDGETS, { ...both, spec: { minAvailable: 1 } });

    expect(body.details.causes).toEqual([expect.objectContaining({ field: 'spec' })]);
    expect(valid.details.causes).toEqual([expect.objectContaining({ field: L })]);
  });
});
