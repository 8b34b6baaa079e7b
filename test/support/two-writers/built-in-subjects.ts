import * as resources from '../../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../../operator/model/resource.ts';
import type { Slot, Subject } from './slots.ts';

const words = (path: string, more: Partial<Slot> = {}): Slot => ({
  path,
  ours: ['o1', 'o2'],
  theirs: ['t1', 't2'],
  ...more,
});

const METADATA: readonly Slot[] = [
  words('metadata.labels.l'),
  words('metadata.labels.m'),
  words('metadata.annotations.a'),
];

const base64 = (value: unknown): string => Buffer.from(String(value)).toString('base64');

/** Quantities in the form in which the server shows them. */
const CANONICAL: Readonly<Record<string, string>> = {
  '1000m': '1',
  '0.5': '500m',
  '2000m': '2',
  '1024Mi': '1Gi',
  '0.5Gi': '512Mi',
  '1000': '1k',
  '3000': '3k',
};
const canonical = (value: unknown): unknown =>
  typeof value === 'string' ? (CANONICAL[value] ?? value) : value;
const withCanonical = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, part) => canonical(part));
const quantity = (path: string, ours: readonly string[], theirs: string): Slot => ({
  path,
  ours,
  theirs: [theirs],
  shownAs: canonical,
});

/** A time with microseconds, as a Lease has it. */
const microTime = (value: unknown): string =>
  new Date(String(value)).toISOString().replace('Z', '000Z');

/** What the server takes for absent. */
const nothing = (value: unknown): unknown =>
  value === null || JSON.stringify(value) === '{}' ? undefined : value;

/** A server stores no empty lists. */
const shownEndpoints = (value: unknown): unknown => {
  const endpoints = value as readonly object[];
  return endpoints.length === 0 ? null : endpoints.map((each) => ({ ...each, conditions: {} }));
};

const template = {
  metadata: { labels: { app: 'a' } },
  spec: { containers: [{ name: 'a', image: 'a' }] },
};
const workload = { selector: { matchLabels: { app: 'a' } }, template };
const podSlots = (spec: string): readonly Slot[] => {
  const container = `${spec}.containers[name=a]`;
  return [
    words(`${container}.env[name=A].value`),
    words(`${container}.env[name=B].value`),
    words(`${container}.env[name=C].value`, { theirs: [] }),
    words(`${container}.image`),
    { path: `${container}.args`, ours: [['o'], ['o', 'p']], theirs: [['t']] },
    { path: `${container}.command`, ours: [null, ['o']], theirs: [['t']], shownAs: nothing },
    quantity(`${container}.resources.limits.cpu`, ['1000m', '1', '0.5'], '2000m'),
    quantity(`${container}.resources.limits.memory`, ['1024Mi', '0.5Gi'], '3Gi'),
    { path: `${container}.ports[containerPort=81].name`, ours: ['o1', 'o2'], theirs: ['t1'] },
    { path: `${container}.ports[containerPort=82].hostPort`, ours: [82], theirs: [] },
    {
      path: `${container}.livenessProbe`,
      ours: [{ tcpSocket: { port: 80 } }, { tcpSocket: { port: 'o' } }],
      theirs: [],
      shownAs: (value) => ({ ...(value as object), ...PROBE_DEFAULTS }),
    },
    { path: `${spec}.volumes[name=o].emptyDir`, ours: [{}], theirs: [] },
    words(`${spec}.serviceAccount`, {
      shownAt: `${spec}.serviceAccountName`,
      mirror: `${spec}.serviceAccount`,
    }),
    words(`${spec}.nodeSelector.n`),
    { path: `${spec}.hostAliases[ip=10.0.0.1].hostnames`, ours: [['o']], theirs: [['t']] },
    { path: `${spec}.imagePullSecrets[name=o].name`, ours: ['o'], theirs: [] },
    {
      path: `${spec}.tolerations`,
      ours: [[{ key: 'o', operator: 'Exists' }]],
      theirs: [[{ key: 't', operator: 'Exists' }]],
    },
    { path: `${spec}.priorityClassName`, ours: [null], theirs: ['t'], shownAs: nothing },
  ];
};
const PROBE_DEFAULTS = {
  failureThreshold: 3,
  periodSeconds: 10,
  successThreshold: 1,
  timeoutSeconds: 1,
};

const subject = (resource: unknown, always: object, slots: readonly Slot[]): Subject => ({
  resource: resource as Resource,
  always,
  slots: [...METADATA, ...slots],
});

const rule = { apiGroups: [''], resources: ['pods'], verbs: ['get'] };
const withVerb = (verb: string): object => ({ ...rule, verbs: [verb] });
const ingress = (host: string): object => ({
  host,
  http: {
    paths: [
      { path: '/', pathType: 'Prefix', backend: { service: { name: 'a', port: { number: 80 } } } },
    ],
  },
});
const externalMetric = (value: string): object => ({
  type: 'External',
  external: { metric: { name: 'm' }, target: { type: 'Value', value } },
});

/** Built-in kinds in a namespace, with each form of field that they have. */
export const BUILT_IN: readonly Subject[] = [
  subject(resources.configMaps, {}, [
    words('data.a'),
    words('data.b'),
    words('data.c'),
    { path: 'binaryData', ours: [{}], theirs: [], shownAs: nothing },
    { path: 'immutable', ours: [false], theirs: [] },
  ]),
  subject(resources.secrets, {}, [
    words('stringData.a', { shownAt: 'data.a', shownAs: base64 }),
    words('stringData.b', { shownAt: 'data.b', shownAs: base64 }),
    { path: 'data.c', ours: [base64('o')], theirs: [base64('t')] },
  ]),
  subject(resources.services, { spec: { ports: [{ name: 'a', port: 80, targetPort: 80 }] } }, [
    words('spec.selector.a'),
    words('spec.ports[port=80].name'),
    { path: 'spec.ports[port=80].targetPort', ours: [81, 'o'], theirs: [83] },
    { path: 'spec.ports[port=81].name', ours: ['o3', 'o4'], theirs: [] },
    { path: 'spec.sessionAffinity', ours: ['ClientIP'], theirs: [] },
    { path: 'spec.externalIPs', ours: [['10.1.0.1']], theirs: [['10.1.0.2']] },
  ]),
  subject(resources.serviceAccounts, {}, [
    { path: 'imagePullSecrets', ours: [[{ name: 'o' }]], theirs: [[{ name: 't' }]] },
    { path: 'automountServiceAccountToken', ours: [true], theirs: [false] },
  ]),
  subject(resources.deployments, { spec: workload }, [
    ...podSlots('spec.template.spec'),
    { path: 'spec.replicas', ours: [2, 0], theirs: [4] },
    { path: 'spec.paused', ours: [true], theirs: [] },
    { path: 'spec.strategy.type', ours: ['Recreate'], theirs: [] },
  ]),
  subject(resources.daemonSets, { spec: workload }, [
    ...podSlots('spec.template.spec'),
    {
      path: 'spec.updateStrategy.rollingUpdate.maxUnavailable',
      ours: [2, '30%'],
      theirs: ['40%'],
    },
  ]),
  subject(
    resources.statefulSets,
    { spec: { ...workload, serviceName: 'a' } },
    podSlots('spec.template.spec'),
  ),
  subject(resources.replicaSets, { spec: workload }, [
    { path: 'spec.replicas', ours: [2, 3], theirs: [4] },
  ]),
  subject(resources.replicationControllers, { spec: { selector: { app: 'a' }, template } }, [
    ...podSlots('spec.template.spec'),
    { path: 'spec.minReadySeconds', ours: [1], theirs: [2] },
  ]),
  subject(resources.podTemplates, { template }, podSlots('template.spec')),
  subject(
    resources.cronJobs,
    {
      spec: {
        schedule: '* * * * *',
        jobTemplate: {
          spec: { template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } } },
        },
      },
    },
    [
      ...podSlots('spec.jobTemplate.spec.template.spec'),
      { path: 'spec.concurrencyPolicy', ours: ['Forbid'], theirs: ['Replace'] },
      { path: 'spec.startingDeadlineSeconds', ours: [10], theirs: [20] },
    ],
  ),
  subject(
    resources.jobs,
    {
      spec: {
        suspend: true,
        template: { ...template, spec: { ...template.spec, restartPolicy: 'Never' } },
      },
    },
    [
      { path: 'spec.parallelism', ours: [2, 0], theirs: [] },
      { path: 'spec.activeDeadlineSeconds', ours: [10], theirs: [20] },
      { path: 'spec.ttlSecondsAfterFinished', ours: [10, 0], theirs: [20] },
      words('spec.template.spec.nodeSelector.n'),
    ],
  ),
  subject(resources.roles, { rules: [rule] }, [
    {
      path: 'rules',
      ours: [[withVerb('list')], [withVerb('watch')]],
      theirs: [[withVerb('patch')]],
    },
  ]),
  subject(
    resources.roleBindings,
    { roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'a' } },
    [
      {
        path: 'subjects',
        ours: [[{ kind: 'ServiceAccount', name: 'o', namespace: 'default' }]],
        theirs: [[{ kind: 'ServiceAccount', name: 't', namespace: 'default' }]],
      },
    ],
  ),
  subject(resources.ingresses, { spec: { rules: [ingress('a.example')] } }, [
    { path: 'spec.rules', ours: [[ingress('o.example')]], theirs: [[ingress('t.example')]] },
    words('spec.ingressClassName'),
    { path: 'spec.tls', ours: [[{ hosts: ['o.example'], secretName: 'o' }]], theirs: [] },
  ]),
  subject(resources.networkPolicies, { spec: { podSelector: {} } }, [
    { path: 'spec.policyTypes', ours: [['Egress']], theirs: [['Ingress', 'Egress']] },
    { path: 'spec.ingress', ours: [[{}]], theirs: [[{ ports: [{ port: 80, protocol: 'TCP' }] }]] },
  ]),
  subject(resources.podDisruptionBudgets, { spec: { selector: { matchLabels: { a: 'b' } } } }, [
    { path: 'spec.minAvailable', ours: [1, '20%'], theirs: [3] },
    { path: 'spec.unhealthyPodEvictionPolicy', ours: ['AlwaysAllow'], theirs: [] },
  ]),
  subject(resources.resourceQuotas, {}, [
    quantity('spec.hard.pods', ['1000', '200k'], '3000'),
    // No kind of this list: without a controller a real server does not know how much is used, and refuses the next one.
    quantity('spec.hard.persistentvolumeclaims', ['1000', '200k'], '3000'),
  ]),
  subject(resources.limitRanges, { spec: { limits: [{ type: 'Pod', max: { cpu: '1000m' } }] } }, [
    {
      path: 'spec.limits',
      ours: [[{ type: 'Pod', max: { cpu: '1000m' } }], [{ type: 'Pod', min: { cpu: '0.5' } }]],
      theirs: [[{ type: 'Pod', max: { memory: '1024Mi' } }]],
      shownAs: withCanonical,
    },
  ]),
  subject(resources.leases, {}, [
    words('spec.holderIdentity'),
    { path: 'spec.leaseDurationSeconds', ours: [5, 6], theirs: [7] },
    {
      path: 'spec.acquireTime',
      ours: [
        '2026-01-01T01:00:00.000000+01:00',
        '2026-01-01T00:00:00.000000Z',
        '2026-01-01T00:00:00.500000Z',
      ],
      theirs: ['2026-02-01T00:00:00.000000Z'],
      shownAs: microTime,
    },
  ]),
  subject(
    resources.horizontalPodAutoscalers,
    {
      spec: {
        maxReplicas: 9,
        scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'a' },
      },
    },
    [
      { path: 'spec.maxReplicas', ours: [10, 11], theirs: [] },
      { path: 'spec.minReplicas', ours: [2], theirs: [3] },
      {
        path: 'spec.metrics',
        ours: [[externalMetric('1000m')], [externalMetric('0.5')]],
        theirs: [[externalMetric('2000m')]],
        shownAs: withCanonical,
      },
    ],
  ),
  subject(resources.endpointSlices, { addressType: 'IPv4', endpoints: [], ports: [] }, [
    {
      path: 'endpoints',
      ours: [[{ addresses: ['10.0.0.1', '10.0.0.2'] }], [{ addresses: ['10.0.0.2'] }]],
      theirs: [[{ addresses: ['10.0.0.3'] }]],
      shownAs: shownEndpoints,
    },
  ]),
];
