import { describe, expect, test } from 'vitest';
import { startCluster } from '../support/cluster.ts';

const PODS = '/api/v1/namespaces/default/pods';
const SERVICES = '/api/v1/namespaces/default/services';
const pod = (spec: object = {}, name = 'p'): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image: 'nginx:1' }], ...spec },
});
const service = (name: string, spec: object = {}): object => ({
  metadata: { name },
  spec: { ports: [{ port: 80 }], ...spec },
});

describe('[F-12] admission of a Pod', () => {
  test('admission gives a Pod a service account, and mounts its token into every container', async () => {
    const { send } = await startCluster();

    const { body } = await send('POST', PODS, pod({ initContainers: [{ name: 'i', image: 'i' }] }));

    const { spec } = body;
    const [{ name }] = spec.volumes;
    const mount = {
      name,
      readOnly: true,
      mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
    };
    expect(name).toMatch(/^kube-api-access-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    expect(spec.containers[0].volumeMounts).toEqual([mount]);
    expect(spec.initContainers[0].volumeMounts).toEqual([mount]);
    expect(spec.volumes[0].projected.sources[0]).toEqual({
      serviceAccountToken: { expirationSeconds: 3_607, path: 'token' },
    });
    expect([spec.serviceAccountName, spec.serviceAccount]).toEqual(['default', 'default']);
  });

  test('admission mounts no token when the Pod or its service account disables it', async () => {
    const { send } = await startCluster();
    await send('POST', '/api/v1/namespaces/default/serviceaccounts', {
      metadata: { name: 'silent' },
      automountServiceAccountToken: false,
      imagePullSecrets: [{ name: 's' }],
    });

    const { body: first } = await send('POST', PODS, pod({ automountServiceAccountToken: false }));
    const { body: second } = await send('POST', PODS, pod({ serviceAccountName: 'silent' }, 'q'));

    expect(first.spec).not.toHaveProperty('volumes');
    expect(second.spec).not.toHaveProperty('volumes');
    expect(second.spec.imagePullSecrets).toEqual([{ name: 's' }]);
  });

  test('admission lets a Pod tolerate a lost node for five minutes, unless the Pod has such a toleration itself', async () => {
    const { send } = await startCluster();
    const own = { key: 'node.kubernetes.io/not-ready', operator: 'Exists' };

    const { body } = await send('POST', PODS, pod({ tolerations: [own] }));

    expect(body.spec.tolerations).toEqual([
      own,
      {
        key: 'node.kubernetes.io/unreachable',
        operator: 'Exists',
        effect: 'NoExecute',
        tolerationSeconds: 300,
      },
    ]);
  });

  test('admission gives a Pod the priority of its class, and no manager owns the added fields', async () => {
    const { send } = await startCluster();
    await send('POST', '/apis/scheduling.k8s.io/v1/priorityclasses', {
      metadata: { name: 'high' },
      value: 100,
      preemptionPolicy: 'Never',
    });

    const { body } = await send('POST', PODS, pod({ priorityClassName: 'high' }));
    const owned = JSON.stringify(body.metadata.managedFields);

    expect([body.spec.priority, body.spec.preemptionPolicy]).toEqual([100, 'Never']);
    expect(owned).toContain('f:priorityClassName');
    for (const field of ['f:priority"', 'f:tolerations', 'f:volumes', 'f:serviceAccount']) {
      expect(owned).not.toContain(field);
    }
  });

  test.each([
    [
      { serviceAccountName: 'none' },
      'pods "p" is forbidden: error looking up service account default/none: serviceaccount "none" not found',
    ],
    [
      { priorityClassName: 'none' },
      'pods "p" is forbidden: no PriorityClass with name none was found',
    ],
    [
      { priority: 5 },
      'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
    ],
  ])('admission refuses a Pod with an unknown account or a wrong priority: %j', async (spec, message) => {
    const { send } = await startCluster();

    const { status, body } = await send('POST', PODS, pod(spec));

    expect([status, body.message]).toEqual([403, message]);
  });
});

describe('[F-12] admission of a Service', () => {
  test('a Service gets a unique address in 10.96.0.0/12, and keeps it', async () => {
    const { send } = await startCluster();

    const { body: first } = await send('POST', SERVICES, service('a'));
    const { body: second } = await send('POST', SERVICES, service('b'));
    const { body: changed } = await send(
      'PUT',
      `${SERVICES}/a`,
      service('a', { ports: [{ port: 81 }] }),
    );

    expect(first.spec).toMatchObject({
      clusterIPs: [first.spec.clusterIP],
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
    });
    expect(first.spec.clusterIP).toMatch(/^10\.(9[6-9]|10\d|11[01])\./);
    expect(second.spec.clusterIP).not.toBe(first.spec.clusterIP);
    expect(changed.spec.clusterIP).toBe(first.spec.clusterIP);
  });

  test('a Service gets the clusterIP that it requests, unless that address is taken or out of range', async () => {
    const { send } = await startCluster();

    const { body: first } = await send('POST', SERVICES, service('a', { clusterIP: '10.96.1.1' }));
    const { status, body } = await send('POST', SERVICES, service('b', { clusterIP: '10.96.1.1' }));
    const { body: outside } = await send('POST', SERVICES, service('b', { clusterIP: '10.1.1.1' }));

    expect(first.spec.clusterIP).toBe('10.96.1.1');
    expect([status, body.message]).toEqual([
      422,
      'Service "b" is invalid: spec.clusterIPs: Invalid value: ["10.96.1.1"]: failed to allocate IP 10.96.1.1: provided IP is already allocated',
    ]);
    expect(outside.message).toContain('The range of valid IPs is 10.96.0.0/12');
  });

  test('a NodePort Service gets node ports, keeps them, and loses them when its type becomes ClusterIP', async () => {
    const { send } = await startCluster();

    const { body: first } = await send('POST', SERVICES, service('a', { type: 'NodePort' }));
    const { body: again } = await send(
      'PUT',
      `${SERVICES}/a`,
      service('a', { type: 'NodePort', ports: [{ port: 80, targetPort: 8_080 }] }),
    );
    const { body: inner } = await send('PUT', `${SERVICES}/a`, {
      ...again,
      spec: { ...again.spec, type: 'ClusterIP' },
    });

    const port = first.spec.ports[0].nodePort;
    expect(port >= 30_000 && port <= 32_767).toBe(true);
    expect(again.spec.ports[0]).toMatchObject({ nodePort: port, targetPort: 8_080 });
    expect(inner.spec.ports[0]).not.toHaveProperty('nodePort');
    expect(inner.spec).not.toHaveProperty('externalTrafficPolicy');
  });

  test('a Service has an externalTrafficPolicy as long as it has external addresses', async () => {
    const { send } = await startCluster();
    const { body: first } = await send(
      'POST',
      SERVICES,
      service('a', { externalIPs: ['10.1.0.1'] }),
    );

    const { body: again } = await send('PUT', `${SERVICES}/a`, {
      ...first,
      spec: { ...first.spec, externalIPs: ['10.1.0.2'] },
    });
    const { body: inner } = await send('PUT', `${SERVICES}/a`, {
      ...again,
      spec: { ...again.spec, externalIPs: [] },
    });

    expect(first.spec.externalTrafficPolicy).toBe('Cluster');
    expect(again.spec).toMatchObject({
      externalIPs: ['10.1.0.2'],
      externalTrafficPolicy: 'Cluster',
    });
    expect(inner.spec).not.toHaveProperty('externalTrafficPolicy');
  });

  test.each([
    [80, 'provided port is not in the valid range. The range of valid ports is 30000-32767'],
    [30_080, 'provided port is already allocated'],
  ])('a Service cannot have node port %i', async (nodePort, why) => {
    const { send } = await startCluster();
    const of = (name: string, port: number): object =>
      service(name, { type: 'NodePort', ports: [{ port: 80, nodePort: port }] });
    await send('POST', SERVICES, of('a', 30_080));

    const { status, body } = await send('POST', SERVICES, of('b', nodePort));

    expect([status, body.message]).toEqual([
      422,
      `Service "b" is invalid: spec.ports[0].nodePort: Invalid value: ${nodePort}: ${why}`,
    ]);
  });

  test('a headless or ExternalName Service gets no address', async () => {
    const { send } = await startCluster();

    const { body: headless } = await send(
      'POST',
      SERVICES,
      service('a', { clusterIP: 'None', selector: { a: 'b' } }),
    );
    const { body: name } = await send('POST', SERVICES, {
      metadata: { name: 'b' },
      spec: { type: 'ExternalName', externalName: 'a.b' },
    });

    expect(headless.spec).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
      ipFamilies: ['IPv4'],
    });
    expect(name.spec).toEqual({
      type: 'ExternalName',
      externalName: 'a.b',
      sessionAffinity: 'None',
    });
  });
});

test('[F-12] a claim and an Ingress get the default class, or the newest default class if there are several', async () => {
  const { send } = await startCluster();
  const byDefault = (group: string): object => ({
    annotations: { [`${group}.kubernetes.io/is-default-class`]: 'true' },
  });
  await send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'a-slow-one' },
    provisioner: 'x',
  });
  await send('POST', '/apis/storage.k8s.io/v1/storageclasses', {
    metadata: { name: 'fast', ...byDefault('storageclass') },
    provisioner: 'x',
  });
  await send('POST', '/apis/networking.k8s.io/v1/ingressclasses', {
    metadata: { name: 'web', ...byDefault('ingressclass') },
    spec: { controller: 'x.y/z' },
  });

  const { body: claim } = await send('POST', '/api/v1/namespaces/default/persistentvolumeclaims', {
    metadata: { name: 'c' },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  });
  const { body: ingress } = await send(
    'POST',
    '/apis/networking.k8s.io/v1/namespaces/default/ingresses',
    {
      metadata: { name: 'i' },
      spec: { defaultBackend: { service: { name: 's', port: { number: 80 } } } },
    },
  );

  expect(claim.spec.storageClassName).toBe('fast');
  expect(ingress.spec.ingressClassName).toBe('web');
});
