/** What a real server hands on to a kubelet or a scheduler, or keeps nowhere. */
import { expect, test } from 'vitest';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const PODS = '/api/v1/namespaces/default/pods';

async function createPod({ send }: TestCluster, ...containers: readonly string[]): Promise<void> {
  const spec = { containers: containers.map((name) => ({ name, image: 'nginx:1' })) };
  const metadata = { name: 'web', namespace: 'default' };
  const created = await send('POST', PODS, { apiVersion: 'v1', kind: 'Pod', metadata, spec });
  expect(created.status).toBe(201);
}

function bind({ send }: TestCluster, path: string, target: object = { name: 'node-1' }) {
  const metadata = { name: 'web' };
  return send('POST', path, { apiVersion: 'v1', kind: 'Binding', metadata, target });
}

function setStatus({ server }: TestCluster, status: object): void {
  server.patch('v1', 'Pod', 'default', 'web', { status }, 'status');
}

test.each([
  [`${PODS}/web/binding`],
  ['/api/v1/namespaces/default/bindings'],
])('[F-9] a Binding sent to %s assigns the Pod to its node, and a second Binding is refused', async (path) => {
  const cluster = await startCluster();
  await createPod(cluster, 'app');

  const first = await bind(cluster, path);
  const second = await bind(cluster, path);

  expect([first.status, first.body.status]).toEqual([201, 'Success']);
  expect(cluster.server.get('v1', 'Pod', 'default', 'web')).toMatchObject({
    spec: { nodeName: 'node-1' },
    status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
  });
  expect([second.status, second.body.message]).toEqual([
    409,
    'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "node-1"',
  ]);
});

test('[F-9] a Binding without a node, or for a Pod that does not exist, is refused', async () => {
  const cluster = await startCluster();
  const absent = await bind(cluster, `${PODS}/web/binding`);
  await createPod(cluster, 'app');

  const nowhere = await bind(cluster, `${PODS}/web/binding`, {});

  expect(absent.status).toBe(404);
  expect([nowhere.status, nowhere.body.details.causes[0].field]).toEqual([422, 'target.name']);
});

test('the log of a running container is empty', async () => {
  const cluster = await startCluster();
  await createPod(cluster, 'app');
  await bind(cluster, `${PODS}/web/binding`);

  const log = await cluster.send('GET', `${PODS}/web/log`);

  expect([log.status, log.text, log.headers.get('content-type')]).toEqual([200, '', 'text/plain']);
});

test('a log request that no kubelet could answer is refused with the message of Kubernetes', async () => {
  const cluster = await startCluster();
  const log = async (query: string): Promise<unknown> => {
    const { status, body } = await cluster.send('GET', `${PODS}/web/log${query}`);
    return [status, body.message];
  };
  const absent = await log('');
  await createPod(cluster, 'app', 'side');

  const unnamed = await log('');
  const unknown = await log('?container=other');
  const unplaced = await log('?container=app');
  await bind(cluster, `${PODS}/web/binding`);
  setStatus(cluster, {
    containerStatuses: [{ name: 'app', state: { waiting: { reason: 'ContainerCreating' } } }],
  });
  const waiting = await log('?container=app');
  const previous = await log('?container=app&previous=true');

  expect([absent, unnamed, unknown, unplaced, waiting, previous]).toEqual([
    [404, 'pods "web" not found'],
    [400, 'a container name must be specified for pod web, choose one of: [app side]'],
    [400, 'container other is not valid for pod web'],
    [400, 'pod web does not have a host assigned'],
    [400, 'container "app" in pod "web" is waiting to start: ContainerCreating'],
    [400, 'previous terminated container "app" in pod "web" not found'],
  ]);
});

test('`exec` without an upgrade is answered 400, and `proxy` to a Pod is answered 501', async () => {
  const cluster = await startCluster();
  await createPod(cluster, 'app');
  await bind(cluster, `${PODS}/web/binding`);

  const plain = await cluster.send('POST', `${PODS}/web/exec?command=ls`);
  const proxied = await cluster.send('GET', `${PODS}/web/proxy/metrics`);

  expect([plain.status, plain.body.message]).toEqual([400, 'Upgrade request required']);
  expect([proxied.status, proxied.body.message]).toEqual([
    501,
    'pods/proxy is not implemented: the embedded API server runs no containers',
  ]);
});

test('a proxy request to a Service without endpoints is answered 503', async () => {
  const { send } = await startCluster();
  const metadata = { name: 'web', namespace: 'default' };
  const spec = { type: 'ExternalName', externalName: 'web.example.dev' };
  const services = '/api/v1/namespaces/default/services';
  await send('POST', services, { apiVersion: 'v1', kind: 'Service', metadata, spec });

  const answer = await send('GET', `${services}/http:web:80/proxy/healthz`);
  const absent = await send('GET', `${services}/other/proxy`);

  expect([answer.status, answer.body.message]).toEqual([
    503,
    'no endpoints available for service "web"',
  ]);
  expect(absent.status).toBe(404);
});

test('objects of a kind that is not stored can be created but not listed', async () => {
  const { send } = await startCluster();

  const list = await send('GET', '/apis/authentication.k8s.io/v1/tokenreviews');
  const bindings = await send('GET', '/api/v1/namespaces/default/bindings');

  expect([list.status, bindings.status]).toEqual([405, 405]);
});

test('deprecated kinds are answered with a warning', async () => {
  const { send } = await startCluster();

  const statuses = await send('GET', '/api/v1/componentstatuses');
  const endpoints = await send('GET', '/api/v1/endpoints');
  const slices = await send('GET', '/apis/discovery.k8s.io/v1/endpointslices');

  expect(statuses.headers.get('warning')).toBe(
    '299 - "v1 ComponentStatus is deprecated in v1.19+"',
  );
  expect(endpoints.headers.get('warning')).toContain('v1 Endpoints is deprecated in v1.33+');
  expect(slices.headers.get('warning')).toBeNull();
});

test('a signing request is approved through /approval, which changes nothing else', async () => {
  const { send } = await startCluster();
  const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const csr = '-----BEGIN CERTIFICATE REQUEST-----\n-----END CERTIFICATE REQUEST-----\n';
  const created = await send('POST', requests, {
    apiVersion: 'certificates.k8s.io/v1',
    kind: 'CertificateSigningRequest',
    metadata: { name: 'web' },
    spec: {
      request: Buffer.from(csr).toString('base64'),
      signerName: 'example.dev/web',
      usages: ['client auth'],
    },
  });
  const conditions = [{ type: 'Approved', status: 'True', reason: 'Reviewed', message: 'fine' }];

  const approved = await send('PUT', `${requests}/web/approval`, {
    ...created.body,
    spec: { ...created.body.spec, signerName: 'example.dev/other' },
    status: { conditions },
  });

  expect(created.status).toBe(201);
  expect(approved.body).toMatchObject({
    spec: { signerName: 'example.dev/web' },
    status: { conditions: [{ type: 'Approved', reason: 'Reviewed' }] },
  });
});

test('a running Pod can be resized only through /resize', async () => {
  const cluster = await startCluster();
  await createPod(cluster, 'app');
  const resources = { requests: { cpu: '200m' } };
  const containers = [{ name: 'app', image: 'other:2', resources }];

  const directly = await cluster.send('PATCH', `${PODS}/web`, { spec: { containers } });
  const resized = await cluster.send('PATCH', `${PODS}/web/resize`, { spec: { containers } });

  expect(directly.status).toBe(422);
  expect(resized.status).toBe(200);
  expect(resized.body.spec.containers).toMatchObject([
    { name: 'app', image: 'nginx:1', resources },
  ]);
  expect(resized.body.metadata.generation).toBe(2);
});

test('an ephemeral container can be added to a Pod, but not changed or removed', async () => {
  const cluster = await startCluster();
  await createPod(cluster, 'app');
  const path = `${PODS}/web/ephemeralcontainers`;
  const pod = (await cluster.send('GET', path)).body;
  const debug = { name: 'debug', image: 'busybox', terminationMessagePolicy: 'File' };
  const put = (ephemeralContainers: readonly object[]) =>
    cluster.send('PUT', path, {
      ...pod,
      metadata: { ...pod.metadata, resourceVersion: undefined },
      spec: { ...pod.spec, nodeName: 'node-9', ephemeralContainers },
    });

  const added = await put([debug]);
  const changed = await put([{ ...debug, image: 'alpine' }]);
  const removed = await put([]);

  expect(added.body.spec.ephemeralContainers).toMatchObject([{ name: 'debug', image: 'busybox' }]);
  expect(added.body.spec.nodeName).toBeUndefined();
  expect([changed.status, removed.status]).toEqual([422, 422]);
  expect(removed.body.message).toContain(
    'existing ephemeral containers "debug" may not be removed',
  );
});
