import { describe, expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const CORE = '/api/v1/namespaces/default';

const container = (resources: object, name = 'c', more: object = {}): object => ({
  name,
  image: 'nginx:1',
  resources,
  ...more,
});

const pod = (containers: readonly object[], initContainers: readonly object[] = []): object => ({
  metadata: { name: 'web' },
  spec: { containers, initContainers },
});

const claim = (storage: string): object => ({
  metadata: { name: 'disk' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage } } },
});

async function limited(...limits: readonly object[]): Promise<TestCluster> {
  const cluster = await startCluster();
  const range = { metadata: { name: 'lr' }, spec: { limits } };
  expect((await cluster.send('POST', `${CORE}/limitranges`, range)).status).toBe(201);
  return cluster;
}

describe('[F-17] admission by a LimitRange', () => {
  test('a LimitRange sets the missing requests and limits of containers, and lists them in an annotation', async () => {
    const { send } = await limited({
      type: 'Container',
      default: { memory: '64Mi', cpu: '1' },
      defaultRequest: { memory: '32Mi', cpu: '250m' },
    });

    const { status, body } = await send(
      'POST',
      `${CORE}/pods`,
      pod([container({}, 'a'), container({ limits: { memory: '1Gi' } }, 'b')], [container({})]),
    );

    expect(status).toBe(201);
    const all = [...body.spec.containers, ...body.spec.initContainers];
    const whole = {
      limits: { cpu: '1', memory: '64Mi' },
      requests: { cpu: '250m', memory: '32Mi' },
    };
    expect(all.map(({ resources }) => resources)).toEqual([
      whole,
      { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '250m', memory: '1Gi' } },
      whole,
    ]);
    expect(body.metadata.annotations['kubernetes.io/limit-ranger']).toBe(
      'LimitRanger plugin set: cpu, memory request for container a; cpu, memory limit for container a; ' +
        'cpu request for container b; cpu limit for container b; ' +
        'cpu, memory request for init container c; cpu, memory limit for init container c',
    );
    expect(body.status.qosClass).toBe('Burstable');
  });

  test('a LimitRange uses max as a missing default limit, and the default limit as a missing default request', async () => {
    const { send } = await limited(
      { type: 'Container', max: { cpu: '2' }, min: { memory: '8Mi' } },
      { type: 'Pod', max: { cpu: '4' } },
    );

    const { body } = await send('GET', `${CORE}/limitranges/lr`);

    expect(body.spec.limits).toEqual([
      {
        type: 'Container',
        max: { cpu: '2' },
        min: { memory: '8Mi' },
        default: { cpu: '2' },
        defaultRequest: { cpu: '2', memory: '8Mi' },
      },
      { type: 'Pod', max: { cpu: '4' } },
    ]);
  });

  const limits = (requests: object, own: object): object => container({ requests, limits: own });

  test.each([
    [
      { min: { cpu: '0.5' } },
      pod([limits({ cpu: '100m' }, {})]),
      'minimum cpu usage per Container is 500m, but request is 100m',
    ],
    [
      { max: { memory: '1Gi' } },
      pod([limits({}, { memory: '1025Mi' })]),
      'maximum memory usage per Container is 1Gi, but limit is 1025Mi',
    ],
    [
      { maxLimitRequestRatio: { cpu: '1500m' } },
      pod([limits({ cpu: '300m' }, { cpu: '500m' })]),
      'cpu max limit to request ratio per Container is 1500m, but provided ratio is 1.666667',
    ],
    [
      { maxLimitRequestRatio: { cpu: '2' } },
      pod([container({})]),
      'cpu max limit to request ratio per Container is 2, but no request is specified or request is 0',
    ],
    [
      { max: { cpu: '1', memory: '1Mi' } },
      pod([limits({}, { cpu: '2', memory: '2Mi' })]),
      '[maximum cpu usage per Container is 1, but limit is 2, maximum memory usage per Container is 1Mi, but limit is 2Mi]',
    ],
    [
      { type: 'Pod', max: { cpu: '1' } },
      pod([limits({}, { cpu: '600m' }), container({ limits: { cpu: '500m' } }, 'd')]),
      'maximum cpu usage per Pod is 1, but limit is 1100m',
    ],
    [
      { type: 'Pod', max: { cpu: '1' } },
      pod([container({})]),
      'maximum cpu usage per Pod is 1.  No limit is specified',
    ],
    [
      { type: 'Pod', min: { memory: '1Gi' } },
      pod([container({})]),
      'minimum memory usage per Pod is 1Gi.  No request is specified',
    ],
    [
      { type: 'Pod', max: { cpu: '1' } },
      pod(
        [limits({}, { cpu: '700m' })],
        [container({ limits: { cpu: '400m' } }, 'side', { restartPolicy: 'Always' })],
      ),
      'maximum cpu usage per Pod is 1, but limit is 1100m',
    ],
  ])('a LimitRange %j refuses a Pod with the message of Kubernetes', async (item, object, why) => {
    const { send } = await limited({ type: 'Container', ...item });

    const { status, body } = await send('POST', `${CORE}/pods`, object);

    expect([status, body.reason, body.details]).toEqual([
      403,
      'Forbidden',
      { name: 'web', kind: 'pods' },
    ]);
    expect(body.message).toBe(`pods "web" is forbidden: ${why}`);
  });

  test('a LimitRange limits the size of a claim', async () => {
    const { send } = await limited({
      type: 'PersistentVolumeClaim',
      min: { storage: '1Gi' },
      max: { storage: '10Gi' },
    });

    const small = await send('POST', `${CORE}/persistentvolumeclaims`, claim('500Mi'));
    const large = await send('POST', `${CORE}/persistentvolumeclaims`, claim('11Gi'));
    const fits = await send('POST', `${CORE}/persistentvolumeclaims`, claim('10Gi'));

    expect([small.status, small.body.message]).toEqual([
      403,
      'persistentvolumeclaims "disk" is forbidden: minimum storage usage per PersistentVolumeClaim is 1Gi, but request is 500Mi',
    ]);
    expect(large.body.message).toBe(
      'persistentvolumeclaims "disk" is forbidden: maximum storage usage per PersistentVolumeClaim is 10Gi, but request is 11Gi',
    );
    expect(fits.status).toBe(201);
  });

  test('a LimitRange sets its defaults, and refuses a Pod, before a quota is checked', async () => {
    const { send } = await limited({
      type: 'Container',
      max: { cpu: '1' },
      defaultRequest: { cpu: '100m' },
    });
    await send('POST', `${CORE}/resourcequotas`, {
      metadata: { name: 'rq' },
      spec: { hard: { 'requests.cpu': '150m' } },
    });

    const large = await send('POST', `${CORE}/pods`, pod([limits({}, { cpu: '2' })]));
    const fits = await send('POST', `${CORE}/pods`, pod([container({})]));
    const { body } = await send('GET', `${CORE}/resourcequotas/rq`);

    expect(large.body.message).toContain('maximum cpu usage per Container is 1, but limit is 2');
    expect(fits.status).toBe(201);
    expect(body.status.used).toEqual({ 'requests.cpu': '100m' });
  });

  test('a new LimitRange does not block updates of existing Pods', async () => {
    const { send } = await startCluster();
    await send('POST', `${CORE}/pods`, pod([limits({}, { cpu: '2' })]));
    const item = { type: 'Container', max: { cpu: '1' } };
    const range = { metadata: { name: 'lr' }, spec: { limits: [item] } };
    await send('POST', `${CORE}/limitranges`, range);

    const path = `${CORE}/pods/web`;
    const { body: found } = await send('GET', path);
    const metadata = { ...found.metadata, labels: { a: 'b' } };
    const { status } = await send('PUT', path, { ...found, metadata });

    expect(status).toBe(200);
  });
});
