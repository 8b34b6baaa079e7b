/** Values that the server sets or drops when it stores an object, as v1.36.2 does. */
import { describe, expect, test } from 'vitest';
import { type Answer, startCluster, type TestCluster } from '../../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';
const NETWORK = '/apis/networking.k8s.io/v1/namespaces/default';

const named = (apiVersion: string, kind: string, rest: object, metadata: object = {}): object => ({
  ...{ apiVersion, kind },
  metadata: { name: 'a', ...metadata },
  ...rest,
});

const containers = [{ name: 'c', image: 'i' }];
const pods = (labels?: object): object => ({ metadata: { labels }, spec: { containers } });

function patch({ send }: TestCluster, path: string, body: object, manager = 'm'): Promise<Answer> {
  const headers = { 'content-type': 'application/merge-patch+json' };
  return send('PATCH', `${path}?fieldManager=${manager}`, body, headers);
}

describe('an empty list that protobuf cannot store', () => {
  test.each([
    ['is null where Go always writes the field', { limits: [] }, { limits: null }, 'LimitRange'],
    [
      'is absent where Go omits the field, also inside items',
      { podSelector: {}, ingress: [{ from: [], ports: [] }], egress: [] },
      { podSelector: {}, ingress: [{}], policyTypes: ['Ingress'] },
      'NetworkPolicy',
    ],
  ])('an empty list %s', async (_, spec, shown, kind) => {
    const { send } = await startCluster();
    const core = kind === 'LimitRange';
    const path = core ? `${CORE}/limitranges` : `${NETWORK}/networkpolicies`;
    const object = named(core ? 'v1' : 'networking.k8s.io/v1', kind, { spec });

    const tried = await send('POST', `${path}?dryRun=All`, object);
    const created = await send('POST', path, object);
    const read = await send('GET', `${path}/a`);

    for (const answer of [tried, created, read]) expect(answer.body.spec).toEqual(shown);
  });

  test('writing the same empty list again changes nothing', async () => {
    const cluster = await startCluster();
    const object = named('rbac.authorization.k8s.io/v1', 'Role', { rules: [] });
    const path = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
    await cluster.send('POST', `${path}?fieldManager=m`, object);
    const before = await cluster.send('GET', `${path}/a`);

    const after = await cluster.send('PUT', `${path}/a?fieldManager=m`, object);

    expect(after.body.rules).toBeNull();
    expect(after.body.metadata.resourceVersion).toBe(before.body.metadata.resourceVersion);
  });
});

describe('metadata.generation', () => {
  const slice = { addressType: 'IPv4', endpoints: [{ addresses: ['10.1.2.3'] }], ports: [] };
  const webhooks = [
    {
      ...{ name: 'a.example.dev', sideEffects: 'None', admissionReviewVersions: ['v1'] },
      clientConfig: { url: 'https://example.dev' },
    },
  ];
  const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

  test.each<[string, string, object, readonly (readonly [object, number])[]]>([
    [
      'PodTemplate',
      `${CORE}/podtemplates`,
      { template: pods({ a: 'b' }) },
      [
        [{ metadata: { labels: { x: 'y' } } }, 1],
        [{ template: { spec: { nodeName: 'n' } } }, 2],
      ],
    ],
    [
      'EndpointSlice',
      '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices',
      slice,
      [
        [{ metadata: { annotations: { x: 'y' } } }, 1],
        [{ ports: [] }, 1],
        [{ metadata: { labels: { x: 'y' } } }, 2],
        [{ endpoints: [{ addresses: ['10.1.2.4'] }] }, 3],
      ],
    ],
    [
      'PriorityClass',
      '/apis/scheduling.k8s.io/v1/priorityclasses',
      { value: 7 },
      [[{ description: 'x' }, 1]],
    ],
    [
      'ValidatingWebhookConfiguration',
      `${ADMISSION}/validatingwebhookconfigurations`,
      { webhooks },
      [
        [{ metadata: { labels: { x: 'y' } } }, 1],
        [{ webhooks: [{ ...webhooks[0], timeoutSeconds: 3 }] }, 2],
      ],
    ],
  ])('the generation of a %s counts only changes that matter to its controllers', async (kind, path, rest, changes) => {
    const cluster = await startCluster();
    const [, group = '', version = ''] = /^\/apis\/([^/]+)\/([^/]+)/.exec(path) ?? [];
    const apiVersion = group === '' ? 'v1' : `${group}/${version}`;
    const created = await cluster.send('POST', path, named(apiVersion, kind, rest));
    const counted: number[] = [];

    for (const [change] of changes) {
      counted.push((await patch(cluster, `${path}/a`, change)).body.metadata.generation);
    }

    expect(created.body.metadata.generation).toBe(1);
    expect(counted).toEqual(changes.map(([, count]) => count));
  });
});

test('the field templateGeneration of a DaemonSet keeps its first field manager, and clients cannot set the field', async () => {
  const cluster = await startCluster();
  const path = '/apis/apps/v1/namespaces/default/daemonsets';
  const spec = { selector: { matchLabels: { a: 'b' } }, template: pods({ a: 'b' }) };
  const count = 'deprecated.daemonset.template.generation';
  await cluster.send('POST', `${path}?fieldManager=one`, named('apps/v1', 'DaemonSet', { spec }));

  const changed = await patch(
    cluster,
    `${path}/a`,
    { spec: { template: { spec: { hostNetwork: true } } } },
    'two',
  );
  const written = await patch(
    cluster,
    `${path}/a`,
    { metadata: { annotations: { [count]: '9' } } },
    'three',
  );

  const ownersOf = ({ body }: Answer): readonly string[] =>
    body.metadata.managedFields
      .filter((entry: object) => JSON.stringify(entry).includes(`f:${count}`))
      .map(({ manager }: { manager: string }) => manager);
  expect(changed.body.metadata.annotations).toEqual({ [count]: '2' });
  expect(ownersOf(changed)).toEqual(['one']);
  expect(written.body.metadata.annotations).toEqual({ [count]: '2' });
  expect(ownersOf(written)).toEqual(['three']);
});

describe('the labels of a new Job', () => {
  const PATH = '/apis/batch/v1/namespaces/default/jobs';
  const job = (template: object | undefined, metadata: object = {}): object => {
    const spec = { restartPolicy: 'Never', containers };
    return named(
      'batch/v1',
      'Job',
      { spec: { suspend: true, template: { metadata: { labels: template }, spec } } },
      metadata,
    );
  };
  const OWN = ['batch.kubernetes.io/controller-uid', 'batch.kubernetes.io/job-name'];

  test.each([
    ['whose Pods have labels', { team: 'x' }],
    ['whose Pods have no labels', undefined],
  ])('a Job without labels, %s, gets the labels of its Pod template', async (_, labels) => {
    const { send } = await startCluster();

    const { body } = await send('POST', PATH, job(labels));

    expect(body.metadata.labels).toEqual(body.spec.template.metadata.labels);
    expect(Object.keys(body.metadata.labels)).toEqual(expect.arrayContaining(OWN));
    expect(body.metadata.labels).toMatchObject(labels ?? {});
  });

  test('a Job with a generated name gets only the labels that the client gave to its Pods', async () => {
    const { send } = await startCluster();
    const generated = job({ team: 'x' }, { name: undefined, generateName: 'j-' });

    const { body } = await send('POST', PATH, generated);

    expect(body.metadata.labels).toEqual({ team: 'x' });
    expect(Object.keys(body.spec.template.metadata.labels)).toEqual(expect.arrayContaining(OWN));
  });

  test('a Job with labels keeps them, even if its Pods have the same labels', async () => {
    const { send } = await startCluster();

    const { body } = await send('POST', PATH, job({ team: 'x' }, { labels: { team: 'x' } }));

    expect(body.metadata.labels).toEqual({ team: 'x' });
  });
});

test('when a Service loses its externalTrafficPolicy, managedFields still lists the field under its owner', async () => {
  const cluster = await startCluster();
  const path = `${CORE}/services/a`;
  const spec = { ports: [{ port: 8080 }], externalIPs: ['10.1.0.3'] };
  await cluster.send('POST', `${CORE}/services?fieldManager=one`, named('v1', 'Service', { spec }));

  const { body } = await patch(cluster, path, { spec: { externalIPs: null } }, 'two');

  expect(body.spec).not.toHaveProperty('externalTrafficPolicy');
  expect(JSON.stringify(body.metadata.managedFields)).toContain('f:externalTrafficPolicy');
  expect(body.spec.clusterIP).toMatch(/^10\./);
});

test('a Service without session affinity loses its sessionAffinityConfig', async () => {
  const cluster = await startCluster();
  const spec = {
    ports: [{ port: 8080 }],
    sessionAffinity: 'ClientIP',
    sessionAffinityConfig: { clientIP: { timeoutSeconds: 30 } },
  };
  await cluster.send('POST', `${CORE}/services`, named('v1', 'Service', { spec }));

  const { status, body } = await patch(cluster, `${CORE}/services/a`, {
    spec: { sessionAffinity: null },
  });

  expect(status).toBe(200);
  expect(body.spec.sessionAffinity).toBe('None');
  expect(body.spec).not.toHaveProperty('sessionAffinityConfig');
});
