import { describe, expect, test } from 'vitest';
import { eventually } from '../../../src/time/eventually.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';
const pod = (name: string, resources: object = {}): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx:1', resources }] },
});
const named = (name: string, more: object = {}): object => ({ metadata: { name }, ...more });

async function quota({ send }: TestCluster, hard: object, more: object = {}): Promise<void> {
  await send('POST', `${CORE}/resourcequotas`, {
    metadata: { name: 'rq' },
    spec: { hard, ...more },
  });
}

async function used({ send }: TestCluster): Promise<unknown> {
  const { body } = await send('GET', `${CORE}/resourcequotas/rq`);
  return body.status.used;
}

describe('[F-17] admission by a ResourceQuota', () => {
  test('a ResourceQuota refuses a Pod beyond its limit with the message of Kubernetes', async () => {
    const cluster = await startCluster();
    await quota(cluster, { pods: '1', secrets: '1' });
    await cluster.send('POST', `${CORE}/pods`, pod('one'));

    const { status, body } = await cluster.send('POST', `${CORE}/pods`, pod('two'));

    expect([status, body.reason, body.details]).toEqual([
      403,
      'Forbidden',
      { name: 'two', kind: 'pods' },
    ]);
    expect(body.message).toBe(
      'pods "two" is forbidden: exceeded quota: rq, requested: pods=1, used: pods=1, limited: pods=1',
    );
  });

  test.each([
    ['configmaps', 'configmaps', named('b')],
    ['secrets', 'count/secrets', named('b')],
    ['services', 'services', named('b', { spec: { ports: [{ port: 80 }] } })],
    [
      'persistentvolumeclaims',
      'persistentvolumeclaims',
      named('b', {
        spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
      }),
    ],
    [
      'replicationcontrollers',
      'replicationcontrollers',
      named('b', {
        spec: {
          selector: { a: 'b' },
          template: {
            metadata: { labels: { a: 'b' } },
            spec: { containers: [{ name: 'c', image: 'i' }] },
          },
        },
      }),
    ],
  ])('a ResourceQuota counts %s as %s', async (plural, what, object) => {
    const cluster = await startCluster();
    await quota(cluster, { [what]: '0' });

    const { status, body } = await cluster.send('POST', `${CORE}/${plural}`, object);

    expect([status, body.message]).toEqual([
      403,
      `${plural} "b" is forbidden: exceeded quota: rq, requested: ${what}=1, used: ${what}=0, limited: ${what}=0`,
    ]);
  });

  test('a ResourceQuota adds up the resource requests of Pods, and refuses Pods without requests', async () => {
    const cluster = await startCluster();
    const hard = { 'requests.cpu': '300m', 'limits.memory': '2Gi' };
    await quota(cluster, hard);
    const resources = (cpu: string, memory: string): object => ({
      requests: { cpu, memory: '1Mi' },
      limits: { memory },
    });
    await cluster.send('POST', `${CORE}/pods`, pod('one', resources('100m', '1536Mi')));

    const silent = await cluster.send('POST', `${CORE}/pods`, pod('two'));
    const large = await cluster.send('POST', `${CORE}/pods`, pod('two', resources('0.25', '1Gi')));
    const small = await cluster.send('POST', `${CORE}/pods`, pod('two', resources('.2', '512Mi')));

    expect(silent.body.message).toBe(
      'pods "two" is forbidden: failed quota: rq: must specify limits.memory for: c; requests.cpu for: c',
    );
    expect(large.body.message).toBe(
      'pods "two" is forbidden: exceeded quota: rq, requested: limits.memory=1Gi,requests.cpu=250m, used: limits.memory=1536Mi,requests.cpu=100m, limited: limits.memory=2Gi,requests.cpu=300m',
    );
    expect(small.status).toBe(201);
    expect(await used(cluster)).toEqual({ 'requests.cpu': '300m', 'limits.memory': '2Gi' });
  });

  test('the deletion of a Pod frees its quota, and the status reports the usage', async () => {
    const cluster = await startCluster();
    await quota(cluster, { 'count/configmaps': '1' });
    await cluster.send('POST', `${CORE}/configmaps`, named('a'));
    const full = await used(cluster);
    await cluster.send('DELETE', `${CORE}/configmaps/a`);
    const empty = await used(cluster);

    const { status } = await cluster.send('POST', `${CORE}/configmaps`, named('b'));

    expect([full, empty, status]).toEqual([
      { 'count/configmaps': '1' },
      { 'count/configmaps': '0' },
      201,
    ]);
  });

  test('a ResourceQuota applies only to creates of its resources in its namespace', async () => {
    const cluster = await startCluster();
    await cluster.send('POST', `${CORE}/configmaps`, named('a'));
    await quota(cluster, { configmaps: '1' });

    const statuses = [
      await cluster.send('PATCH', `${CORE}/configmaps/a`, { data: { a: 'b' } }),
      await cluster.send('POST', `${CORE}/secrets`, named('s')),
      await cluster.send('POST', '/api/v1/namespaces/kube-system/configmaps', named('a')),
      await cluster.send('POST', `${CORE}/configmaps`, named('b')),
    ].map(({ status }) => status);

    expect(statuses).toEqual([200, 201, 201, 403]);
  });

  test('a ResourceQuota does not count a Pod that its scopes do not match', async () => {
    const cluster = await startCluster();
    await quota(cluster, { pods: '0' }, { scopes: ['BestEffort'] });

    const { status } = await cluster.send('POST', `${CORE}/pods`, pod('a'));

    expect(status).toBe(201);
  });

  test('the Pods of a Deployment wait until a used-up ResourceQuota is raised', async () => {
    const cluster = await startCluster({ workloads: {} });
    await quota(cluster, { pods: '1' });
    await cluster.send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'web' },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'web' } },
        template: {
          metadata: { labels: { app: 'web' } },
          spec: { containers: [{ name: 'c', image: 'nginx:1' }] },
        },
      },
    });
    const count = async (): Promise<number> =>
      (await cluster.send('GET', `${CORE}/pods`)).body.items.length;
    await eventually(async () => (await count()) === 1);

    await cluster.send('PATCH', `${CORE}/resourcequotas/rq`, { spec: { hard: { pods: '2' } } });

    await eventually(async () => (await count()) === 2);
    expect(await used(cluster)).toEqual({ pods: '2' });
  });
});
