/** What `kubectl get` shows of each kind: columns held to recordings, cells to Kubernetes' rules. */
import { expect, test } from 'vitest';
import { recording } from '../../../../test/support/recorded-stream.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';
import { builtInColumns } from '../../../src/apiserver/tables/built-in-columns.ts';

const NOW = Date.UTC(2026, 10, 21, 6, 30);
const CREATED = '2026-11-21T06:28:00Z';

/** The cells of an object by the names of their columns. */
function row(kind: string, fields: object, metadata: object = {}): Record<string, unknown> {
  const object = {
    kind,
    metadata: { name: 'web', creationTimestamp: CREATED, ...metadata },
    ...fields,
  } as unknown as StoredObject;
  const cells = builtInColumns(kind).map(({ name, cell }) => [name, cell(object, NOW)]);
  return Object.fromEntries(cells);
}

interface Definition {
  readonly name: string;
  readonly type: string;
  readonly format: string;
  readonly priority: number;
}

function told({ name, type, format, priority }: Definition): Definition {
  return { name, type, format, priority };
}

/** The column definitions of each plural that a recording shows as a table. */
function recordedColumns(): ReadonlyMap<string, readonly Definition[]> {
  const found = new Map<string, readonly Definition[]>();
  for (const { request, response } of recording('kubectl-session')) {
    if (!response.body?.includes('"kind":"Table"')) continue;
    const { columnDefinitions } = JSON.parse(response.body);
    const [plural = ''] = request.path.replace(/^.*\/namespaces\/demo\//, '').split('?');
    const name = request.path.startsWith('/api/v1/namespaces/demo?') ? 'namespaces' : plural;
    found.set(name.replace(/^\/api\/v1\/namespaces.*/, 'namespaces'), columnDefinitions.map(told));
  }
  return found;
}

const KINDS: Readonly<Record<string, string>> = {
  configmaps: 'ConfigMap',
  cronjobs: 'CronJob',
  daemonsets: 'DaemonSet',
  deployments: 'Deployment',
  events: 'Event',
  horizontalpodautoscalers: 'HorizontalPodAutoscaler',
  jobs: 'Job',
  namespaces: 'Namespace',
  pods: 'Pod',
  replicasets: 'ReplicaSet',
  replicationcontrollers: 'ReplicationController',
  services: 'Service',
  statefulsets: 'StatefulSet',
};

test('[F-13] each recorded Table has the same columns as the Table of the embedded server', () => {
  const recorded = recordedColumns();

  expect([...recorded.keys()].toSorted()).toEqual(Object.keys(KINDS));
  for (const [plural, columns] of recorded) {
    expect(builtInColumns(KINDS[plural] ?? '').map(told), plural).toEqual(columns);
  }
});

const TEMPLATE = {
  metadata: { labels: { app: 'web' } },
  spec: {
    nodeSelector: { disk: 'ssd' },
    containers: [
      { name: 'app', image: 'nginx:1' },
      { name: 'log', image: 'busybox' },
    ],
  },
};

test('the rows of workloads show their replicas, containers and selectors', () => {
  const selector = {
    matchLabels: { tier: 'front', app: 'web' },
    matchExpressions: [
      { key: 'zone', operator: 'NotIn', values: ['b', 'a'] },
      { key: 'beta', operator: 'Exists' },
      { key: 'old', operator: 'DoesNotExist' },
      { key: 'env', operator: 'In', values: ['prod'] },
    ],
  };
  const spec = { replicas: 3, selector, template: TEMPLATE };

  const deployment = row('Deployment', { spec, status: { readyReplicas: 1, updatedReplicas: 2 } });
  const daemonSet = row('DaemonSet', { spec, status: { desiredNumberScheduled: 2 } });
  const replicaSet = row('ReplicaSet', { spec: { template: TEMPLATE }, status: {} });

  expect(deployment).toEqual({
    Name: 'web',
    Ready: '1/3',
    'Up-to-date': 2,
    Available: 0,
    Age: '2m',
    Containers: 'app,log',
    Images: 'nginx:1,busybox',
    Selector: 'app=web,beta,env in (prod),!old,tier=front,zone notin (a,b)',
  });
  expect(daemonSet).toMatchObject({ Desired: 2, Ready: 0, 'Node Selector': 'disk=ssd' });
  expect(replicaSet.Selector).toBe('<none>');
});

test.each([
  ['Complete', [{ type: 'Complete', status: 'True' }], {}, 'Complete'],
  ['Failed', [{ type: 'Failed', status: 'True' }], {}, 'Failed'],
  ['FailureTarget', [{ type: 'FailureTarget', status: 'True' }], {}, 'FailureTarget'],
  ['Suspended', [{ type: 'Suspended', status: 'True' }], {}, 'Suspended'],
  ['a condition that does not hold', [{ type: 'Suspended', status: 'False' }], {}, 'Running'],
  ['a deletion', [], { deletionTimestamp: CREATED }, 'Terminating'],
])('the row of a Job shows its status: %s', (_, conditions, metadata, status) => {
  expect(row('Job', { spec: {}, status: { conditions } }, metadata).Status).toBe(status);
});

test('the row of a Job shows its completions and duration', () => {
  const startTime = '2026-11-21T06:28:30Z';

  const running = row('Job', { spec: { parallelism: 4 }, status: { startTime, succeeded: 1 } });
  const done = row('Job', {
    spec: { completions: 5 },
    status: { startTime, completionTime: '2026-11-21T06:28:40Z', succeeded: 5 },
  });
  const waiting = row('Job', { spec: {}, status: {} });

  expect(running).toMatchObject({ Completions: '1/1 of 4', Duration: '90s' });
  expect(done).toMatchObject({ Completions: '5/5', Duration: '10s' });
  expect(waiting).toMatchObject({ Completions: '0/1', Duration: '' });
});

test('the row of a CronJob shows its schedule, and <none> or <unset> for missing fields', () => {
  const cronJob = row('CronJob', {
    spec: { schedule: '@daily', jobTemplate: { spec: { template: TEMPLATE } } },
    status: { active: [{}], lastScheduleTime: '2026-11-21T06:29:00Z' },
  });
  const suspended = row('CronJob', { spec: { suspend: true, timeZone: 'Etc/UTC' } });

  expect(cronJob).toMatchObject({
    Timezone: '<none>',
    Suspend: '<unset>',
    Active: 1,
    'Last Schedule': '60s',
    Containers: 'app,log',
    Selector: '<none>',
  });
  expect(suspended).toMatchObject({
    Suspend: 'True',
    Timezone: 'Etc/UTC',
    'Last Schedule': '<none>',
  });
});

test('the row of an autoscaler shows its first two metrics with current and target values', () => {
  const cpu = { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } };
  const memory = { name: 'memory', target: { type: 'AverageValue', averageValue: '1Gi' } };
  const pods = { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } };
  const queue = { metric: { name: 'jobs' }, target: { type: 'Value', value: '30' } };
  const spec = { scaleTargetRef: { kind: 'Deployment', name: 'web' }, maxReplicas: 4 };
  const targets = (metrics: readonly object[], currentMetrics: readonly object[] = []): unknown =>
    row('HorizontalPodAutoscaler', { spec: { ...spec, metrics }, status: { currentMetrics } })
      .Targets;

  expect(row('HorizontalPodAutoscaler', { spec, status: { currentReplicas: 2 } })).toEqual({
    Name: 'web',
    Reference: 'Deployment/web',
    Targets: '<none>',
    MinPods: '<unset>',
    MaxPods: 4,
    Replicas: 2,
    Age: '2m',
  });
  const resources = [
    { type: 'Resource', resource: cpu },
    { type: 'Resource', resource: memory },
  ];
  const current = [{ type: 'Resource', resource: { current: { averageUtilization: 40 } } }];
  expect(targets(resources, current)).toBe('cpu: 40%/80%, memory: <unknown>/1Gi');
  const others = [
    { type: 'Pods', pods },
    { type: 'External', external: queue },
    { type: 'Resource', resource: cpu },
  ];
  const measured = [{}, { type: 'External', external: { current: { value: '12' } } }];
  expect(targets(others, measured)).toBe('<unknown>/10, 12/30 + 1 more...');
});

test('the row of a disruption budget shows the limit that is set', () => {
  const budget = row('PodDisruptionBudget', {
    spec: { maxUnavailable: '50%' },
    status: { disruptionsAllowed: 1 },
  });

  expect(budget).toMatchObject({
    'Min Available': 'N/A',
    'Max Unavailable': '50%',
    'Allowed Disruptions': 1,
  });
});

test.each([
  ['ClusterIP', {}, {}, '<none>'],
  ['NodePort', { externalIPs: ['192.0.2.1', '192.0.2.2'] }, {}, '192.0.2.1,192.0.2.2'],
  ['LoadBalancer', {}, {}, '<pending>'],
  [
    'LoadBalancer',
    { externalIPs: ['192.0.2.1'] },
    { loadBalancer: { ingress: [{ hostname: 'b.dev' }, { ip: '198.51.100.1' }] } },
    '198.51.100.1,b.dev,192.0.2.1',
  ],
  ['ExternalName', { externalName: 'db.example.dev' }, {}, 'db.example.dev'],
])('the row of a Service of type %s with %o shows its external address', (type, spec, status, shown) => {
  expect(row('Service', { spec: { type, ...spec }, status })['External-IP']).toBe(shown);
});

test('the row of a Service shows its address, ports and selector', () => {
  const ports = [
    { port: 80, protocol: 'TCP' },
    { port: 53, nodePort: 30053, protocol: 'UDP' },
  ];

  const service = row('Service', {
    spec: { type: 'NodePort', clusterIPs: ['10.0.0.1'], ports, selector: { b: '2', a: '1' } },
  });
  const headless = row('Service', { spec: { type: 'ClusterIP', clusterIP: 'None' } });

  expect(service).toMatchObject({
    'Cluster-IP': '10.0.0.1',
    'Port(s)': '80/TCP,53:30053/UDP',
    Selector: 'a=1,b=2',
  });
  expect(headless).toMatchObject({ 'Cluster-IP': 'None', 'Port(s)': '<none>', Selector: '<none>' });
});

test('the row of an Ingress shows its first hosts', () => {
  const hosts = (...names: string[]): unknown =>
    row('Ingress', { spec: { rules: names.map((host) => ({ host })) } }).Hosts;

  expect(hosts()).toBe('*');
  expect(hosts('a', 'b', 'c')).toBe('a,b,c');
  expect(hosts('a', 'b', 'c', 'd')).toBe('a,b,c + 1 more...');
  expect(hosts('', 'a', 'b', 'c')).toBe('a,b,c');
  const secure = row('Ingress', {
    spec: { ingressClassName: 'nginx', tls: [{}] },
    status: { loadBalancer: { ingress: [{ ip: '192.0.2.1' }] } },
  });
  expect(secure).toMatchObject({ Class: 'nginx', Address: '192.0.2.1', Ports: '80, 443' });
  expect(row('Ingress', {})).toMatchObject({ Class: '<none>', Address: '', Ports: '80' });
});

test('the rows of Endpoints and EndpointSlices show the first three addresses with ports', () => {
  const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8::1', '192.0.2.4'].map((ip) => ({ ip }));
  const subsets = [{ addresses, ports: [{ port: 80 }] }];
  const slice = {
    addressType: 'IPv4',
    ports: [{ port: 80 }, { name: 'metrics' }, {}],
    endpoints: [
      { addresses: ['192.0.2.1', '192.0.2.2'] },
      { addresses: ['192.0.2.3', '192.0.2.4'] },
    ],
  };

  expect(row('Endpoints', { subsets }).Endpoints).toBe(
    '192.0.2.1:80,192.0.2.2:80,[2001:db8::1]:80 + 1 more...',
  );
  expect(row('Endpoints', {}).Endpoints).toBe('<none>');
  expect(row('EndpointSlice', slice)).toMatchObject({
    AddressType: 'IPv4',
    Ports: '80,metrics,*',
    Endpoints: '192.0.2.1,192.0.2.2,192.0.2.3 + 1 more...',
  });
  expect(row('EndpointSlice', {})).toMatchObject({ Ports: '<unset>', Endpoints: '<unset>' });
});

test('the row of a claim shows capacity and access modes only with a volume', () => {
  const spec = { accessModes: ['ReadWriteMany'], storageClassName: 'fast', volumeMode: 'Block' };
  const status = {
    phase: 'Bound',
    capacity: { storage: '2Gi' },
    accessModes: ['ReadWriteMany', 'ReadWriteOnce'],
  };

  const pending = row('PersistentVolumeClaim', { spec, status: { phase: 'Pending' } });
  const bound = row('PersistentVolumeClaim', { spec: { ...spec, volumeName: 'pv-1' }, status });
  const leaving = row('PersistentVolumeClaim', { spec, status }, { deletionTimestamp: CREATED });

  expect(pending).toMatchObject({
    Status: 'Pending',
    Volume: '',
    Capacity: '',
    'Access Modes': '',
  });
  expect(bound).toMatchObject({
    Volume: 'pv-1',
    Capacity: '2Gi',
    'Access Modes': 'RWO,RWX',
    StorageClass: 'fast',
    VolumeAttributesClass: '<unset>',
    VolumeMode: 'Block',
  });
  expect(leaving.Status).toBe('Terminating');
});

test('the rows of volumes and storage classes show their capacity, claim and policies', () => {
  const volume = row('PersistentVolume', {
    spec: {
      accessModes: ['ReadOnlyMany'],
      capacity: { storage: '5Gi' },
      claimRef: { namespace: 'demo', name: 'data' },
      persistentVolumeReclaimPolicy: 'Retain',
    },
    status: { phase: 'Bound' },
  });
  const annotations = { 'storageclass.kubernetes.io/is-default-class': 'true' };

  expect(volume).toMatchObject({
    Capacity: '5Gi',
    'Access Modes': 'ROX',
    'Reclaim Policy': 'Retain',
    Claim: 'demo/data',
    VolumeMode: '<unset>',
  });
  expect(row('StorageClass', { provisioner: 'x.dev' }, { annotations })).toMatchObject({
    Name: 'web (default)',
    ReclaimPolicy: 'Delete',
    VolumeBindingMode: 'Immediate',
    AllowVolumeExpansion: false,
  });
  expect(row('CSIDriver', { spec: {} })).toMatchObject({
    AttachRequired: true,
    TokenRequests: '<unset>',
    Modes: '<none>',
  });
});

test('the row of a node shows its status, roles and addresses', () => {
  const labels = { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/role': 'edge' };
  const status = {
    conditions: [{ type: 'Ready', status: 'True' }],
    addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
    nodeInfo: { kubeletVersion: 'v1.36.2', osImage: '' },
  };

  const node = row('Node', { spec: { unschedulable: true }, status }, { labels });

  expect(node).toEqual({
    Name: 'web',
    Status: 'Ready,SchedulingDisabled',
    Roles: 'edge,worker',
    Age: '2m',
    Version: 'v1.36.2',
    'Internal-IP': '10.0.0.1',
    'External-IP': '<none>',
    'OS-Image': '<unknown>',
    'Kernel-Version': '<unknown>',
    'Container-Runtime': '<unknown>',
  });
  const lost = { conditions: [{ type: 'Ready', status: 'Unknown' }] };
  expect(row('Node', { status: lost }).Status).toBe('NotReady');
  expect(row('Node', {})).toMatchObject({ Status: 'Unknown', Roles: '<none>' });
});

test('the row of an Event shows when it was last seen, in both APIs', () => {
  const involvedObject = { kind: 'Pod', name: 'a', fieldPath: 'spec.containers{app}' };
  const core = row('Event', {
    involvedObject,
    source: { component: 'kubelet', host: 'node-1' },
    message: ' started \n',
    firstTimestamp: '2026-11-21T06:20:00Z',
    lastTimestamp: '2026-11-21T06:29:30Z',
    count: 3,
  });
  const series = row('Event', {
    involvedObject: { kind: 'Node' },
    reportingComponent: 'example.dev/op',
    eventTime: '2026-11-21T06:29:00.000000Z',
    firstTimestamp: null,
    lastTimestamp: null,
    series: { count: 7, lastObservedTime: '2026-11-21T06:29:55.000000Z' },
  });
  const single = row('Event', { eventTime: '2026-11-21T06:29:00.000000Z', firstTimestamp: null });

  expect(core).toMatchObject({
    'Last Seen': '30s',
    Object: 'pod/a',
    Subobject: 'spec.containers{app}',
    Source: 'kubelet, node-1',
    Message: 'started',
    'First Seen': '10m',
    Count: 3,
  });
  expect(series).toMatchObject({
    'Last Seen': '5s',
    'First Seen': '60s',
    Object: 'node',
    Source: 'example.dev/op',
    Count: 7,
  });
  expect(single).toMatchObject({ 'Last Seen': '60s', Count: 1 });
});

test('the row of a binding shows its role and its subjects in separate columns', () => {
  const subjects = [
    { kind: 'User', name: 'ann' },
    { kind: 'ServiceAccount', namespace: 'demo', name: 'op' },
    { kind: 'ServiceAccount', name: 'lost' },
    { kind: 'Group', name: 'ops' },
    { kind: 'User', name: 'bob' },
  ];

  expect(row('RoleBinding', { roleRef: { kind: 'Role', name: 'edit' }, subjects })).toMatchObject({
    Role: 'Role/edit',
    Users: 'ann, bob',
    Groups: 'ops',
    ServiceAccounts: 'demo/op, /lost',
  });
});

test('the row of a quota shows used and hard amounts, and has a separate column for limits', () => {
  const status = { hard: { pods: '4', 'limits.cpu': '2', cpu: '1' }, used: { pods: '1' } };

  expect(row('ResourceQuota', { status })).toMatchObject({
    Request: 'cpu: 0/1, pods: 1/4',
    Limit: 'limits.cpu: 0/2',
  });
});

test.each([
  [[], undefined, 'Pending'],
  [[{ type: 'Approved' }], 'Y2VydA==', 'Approved,Issued'],
  [[{ type: 'Approved' }, { type: 'Denied' }], undefined, 'Denied'],
  [[{ type: 'Approved' }, { type: 'Failed' }], undefined, 'Approved,Failed'],
])('the row of a signing request with the conditions %o shows its condition', (conditions, certificate, shown) => {
  const request = row('CertificateSigningRequest', {
    spec: { expirationSeconds: 3600, username: 'ann' },
    status: { conditions, certificate },
  });

  expect(request).toMatchObject({ Condition: shown, RequestedDuration: '60m', Requestor: 'ann' });
});

test('the row of a revision shows its controller with the API group', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent', controller: true };

  const revision = row('ControllerRevision', { revision: 2 }, { ownerReferences: [owner] });

  expect(revision).toMatchObject({ Controller: 'daemonset.apps/agent', Revision: 2 });
  expect(row('ControllerRevision', { revision: 1 }).Controller).toBe('<none>');
});

test('the rows of control plane kinds have the columns of their kinds', () => {
  const priority = row('PriorityLevelConfiguration', {
    spec: { type: 'Limited', limited: { nominalConcurrencyShares: 5 } },
  });
  const address = row('IPAddress', {
    spec: { parentRef: { resource: 'services', namespace: 'demo', name: 'web' } },
  });
  const unavailable = [{ type: 'Available', status: 'False', reason: 'MissingEndpoints' }];
  const service = row('APIService', {
    spec: { service: { namespace: 'demo', name: 'api' } },
    status: { conditions: unavailable },
  });
  const claim = row('ResourceClaim', { status: { allocation: {}, reservedFor: [{}] } });

  expect(priority).toMatchObject({ NominalConcurrencyShares: 5, Queues: '<none>' });
  expect(address).toEqual({ Name: 'web', ParentRef: 'services/demo/web' });
  expect(service).toMatchObject({ Service: 'demo/api', Available: 'False (MissingEndpoints)' });
  expect(row('APIService', { spec: {} })).toMatchObject({ Service: 'Local', Available: 'Unknown' });
  expect(claim.State).toBe('allocated,reserved');
  expect(row('FlowSchema', { spec: { matchingPrecedence: 9 } })).toMatchObject({
    MatchingPrecedence: 9,
    DistinguisherMethod: '<none>',
    MissingPL: '?',
  });
});

test('the row of a kind without special columns shows the creation time', () => {
  for (const kind of ['Role', 'LimitRange', 'CustomResourceDefinition']) {
    expect(row(kind, {})).toEqual({ Name: 'web', 'Created At': CREATED });
  }
});
