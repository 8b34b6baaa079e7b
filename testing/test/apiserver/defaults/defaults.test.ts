import { describe, expect, test } from 'vitest';
import { asStored, changedBy } from '../support/validated.ts';

const metadata = { name: 'x', namespace: 'default', uid: 'u' };
const CONTAINER = { name: 'c', image: 'nginx' };
const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [CONTAINER] } };
const SELECTING = { selector: { matchLabels: { app: 'x' } }, template: TEMPLATE };
const pod = (spec: object): object => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata,
  spec: { containers: [CONTAINER], ...spec },
});

/** The whole template as it is read back. */
const DEFAULTED = {
  metadata: { labels: { app: 'x' } },
  spec: {
    containers: [
      {
        name: 'c',
        image: 'nginx',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ],
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
  },
};

const ROWS: readonly (readonly [apiVersion: string, kind: string, given: object, spec: object])[] =
  [
    [
      'apps/v1',
      'Deployment',
      SELECTING,
      {
        replicas: 1,
        template: DEFAULTED,
        strategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: '25%', maxSurge: '25%' },
        },
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
      },
    ],
    [
      'apps/v1',
      'Deployment',
      { ...SELECTING, strategy: { type: 'Recreate' } },
      { strategy: { type: 'Recreate' } },
    ],
    ['apps/v1', 'ReplicaSet', { ...SELECTING, replicas: 0 }, { replicas: 0, template: DEFAULTED }],
    [
      'apps/v1',
      'DaemonSet',
      SELECTING,
      {
        updateStrategy: {
          type: 'RollingUpdate',
          rollingUpdate: { maxUnavailable: 1, maxSurge: 0 },
        },
        revisionHistoryLimit: 10,
      },
    ],
    [
      'apps/v1',
      'StatefulSet',
      { ...SELECTING, volumeClaimTemplates: [{ metadata: { name: 'v' }, spec: {} }] },
      {
        podManagementPolicy: 'OrderedReady',
        updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
        persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain' },
        volumeClaimTemplates: [
          {
            kind: 'PersistentVolumeClaim',
            apiVersion: 'v1',
            spec: { volumeMode: 'Filesystem' },
            status: { phase: 'Pending' },
          },
        ],
      },
    ],
    [
      'batch/v1',
      'CronJob',
      { schedule: '@daily', jobTemplate: { spec: { template: TEMPLATE } } },
      {
        concurrencyPolicy: 'Allow',
        suspend: false,
        successfulJobsHistoryLimit: 3,
        failedJobsHistoryLimit: 1,
        jobTemplate: { spec: { template: DEFAULTED } },
      },
    ],
    [
      'v1',
      'Service',
      { ports: [{ port: 80 }] },
      {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        internalTrafficPolicy: 'Cluster',
        ports: [{ protocol: 'TCP', port: 80, targetPort: 80 }],
      },
    ],
    [
      'v1',
      'Service',
      { type: 'LoadBalancer', ports: [], sessionAffinity: 'ClientIP' },
      {
        externalTrafficPolicy: 'Cluster',
        allocateLoadBalancerNodePorts: true,
        sessionAffinityConfig: { clientIP: { timeoutSeconds: 10_800 } },
      },
    ],
    [
      'v1',
      'PersistentVolumeClaim',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'c' } },
      {
        volumeMode: 'Filesystem',
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'c' },
      },
    ],
    [
      'v1',
      'PersistentVolume',
      { hostPath: { path: '/x' } },
      {
        volumeMode: 'Filesystem',
        persistentVolumeReclaimPolicy: 'Retain',
        hostPath: { path: '/x', type: '' },
      },
    ],
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { podSelector: {}, ingress: [{ ports: [{ port: 80 }] }] },
      {
        policyTypes: ['Ingress'],
        ingress: [{ ports: [{ protocol: 'TCP', port: 80 }] }],
      },
    ],
    [
      'networking.k8s.io/v1',
      'NetworkPolicy',
      { podSelector: {}, egress: [{}] },
      { policyTypes: ['Ingress', 'Egress'] },
    ],
    [
      'autoscaling/v2',
      'HorizontalPodAutoscaler',
      { maxReplicas: 2, behavior: { scaleDown: { selectPolicy: 'Min' } } },
      {
        minReplicas: 1,
        metrics: [
          {
            type: 'Resource',
            resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
          },
        ],
        behavior: {
          scaleUp: {
            stabilizationWindowSeconds: 0,
            selectPolicy: 'Max',
            policies: [
              { type: 'Pods', value: 4, periodSeconds: 15 },
              { type: 'Percent', value: 100, periodSeconds: 15 },
            ],
          },
          scaleDown: {
            selectPolicy: 'Min',
            policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
          },
        },
      },
    ],
  ];

describe('[F-12] the defaults of a spec', () => {
  test.each(ROWS)('a stored %s %s has its defaults: %j', (apiVersion, kind, spec, expected) => {
    const stored = asStored({ apiVersion, kind, metadata, spec });

    expect(stored.spec).toMatchObject(expected);
  });

  test.each(
    ROWS,
  )('a stored %s %s does not change when a client writes it back', (apiVersion, kind, spec) => {
    const made = asStored({ apiVersion, kind, metadata, spec });
    const stored = { ...made, metadata: { ...made.metadata, resourceVersion: '1' } };

    expect(asStored(stored, stored)).toEqual(stored);
  });
});

const PODS: readonly (readonly [what: string, given: object, expected: object])[] = [
  [
    'an image with a tag is pulled once',
    { containers: [{ name: 'c', image: 'r.io:5000/nginx:1' }] },
    { containers: [{ imagePullPolicy: 'IfNotPresent' }] },
  ],
  [
    'an image with the tag latest is always pulled',
    { containers: [{ name: 'c', image: 'nginx:latest' }] },
    { containers: [{ imagePullPolicy: 'Always' }] },
  ],
  [
    'the port of a registry is not a tag',
    { containers: [{ name: 'c', image: 'r.io:5000/nginx' }] },
    { containers: [{ imagePullPolicy: 'Always' }] },
  ],
  [
    'an image with a digest is pulled once',
    { containers: [{ name: 'c', image: 'nginx@sha256:0' }] },
    { containers: [{ imagePullPolicy: 'IfNotPresent' }] },
  ],
  [
    'a probe',
    { containers: [{ ...CONTAINER, livenessProbe: { httpGet: { port: 80 }, timeoutSeconds: 0 } }] },
    {
      containers: [
        {
          livenessProbe: {
            httpGet: { path: '/', port: 80, scheme: 'HTTP' },
            timeoutSeconds: 1,
            periodSeconds: 10,
            successThreshold: 1,
            failureThreshold: 3,
          },
        },
      ],
    },
  ],
  [
    'a hook',
    { containers: [{ ...CONTAINER, lifecycle: { preStop: { httpGet: { port: 80 } } } }] },
    {
      containers: [{ lifecycle: { preStop: { httpGet: { path: '/', scheme: 'HTTP' } } } }],
    },
  ],
  [
    'a port',
    { containers: [{ ...CONTAINER, ports: [{ containerPort: 80 }] }] },
    { containers: [{ ports: [{ containerPort: 80, protocol: 'TCP' }] }] },
  ],
  [
    'a port of the host',
    { hostNetwork: true, containers: [{ ...CONTAINER, ports: [{ containerPort: 80 }] }] },
    { containers: [{ ports: [{ hostPort: 80 }] }] },
  ],
  [
    'a field of the Pod',
    {
      containers: [
        {
          ...CONTAINER,
          env: [{ name: 'A', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        },
      ],
    },
    {
      containers: [{ env: [{ valueFrom: { fieldRef: { apiVersion: 'v1' } } }] }],
    },
  ],
  [
    'a limit is a request',
    {
      containers: [
        {
          ...CONTAINER,
          resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '500m' } },
        },
      ],
    },
    {
      containers: [{ resources: { requests: { cpu: '500m', memory: '1Gi' } } }],
    },
  ],
  [
    'a volume without a source',
    { volumes: [{ name: 'v' }] },
    { volumes: [{ name: 'v', emptyDir: {} }] },
  ],
  [
    'volumes with file modes',
    {
      volumes: [
        { name: 'a', configMap: { name: 'm' } },
        { name: 'b', secret: { secretName: 's' } },
      ],
    },
    {
      volumes: [{ configMap: { defaultMode: 420 } }, { secret: { defaultMode: 420 } }],
    },
  ],
  [
    'a projected volume',
    { volumes: [{ name: 'v', projected: { sources: [{ serviceAccountToken: { path: 't' } }] } }] },
    {
      volumes: [
        {
          projected: {
            defaultMode: 420,
            sources: [{ serviceAccountToken: { expirationSeconds: 3_600 } }],
          },
        },
      ],
    },
  ],
  [
    'a file about the Pod',
    {
      volumes: [
        {
          name: 'v',
          downwardAPI: { items: [{ path: 'n', fieldRef: { fieldPath: 'metadata.name' } }] },
        },
      ],
    },
    {
      volumes: [{ downwardAPI: { defaultMode: 420, items: [{ fieldRef: { apiVersion: 'v1' } }] } }],
    },
  ],
  [
    'an ephemeral container',
    { ephemeralContainers: [CONTAINER] },
    { ephemeralContainers: [{ terminationMessagePolicy: 'File' }] },
  ],
  ['links to services', {}, { enableServiceLinks: true }],
  ['an empty string counts as missing', { restartPolicy: '' }, { restartPolicy: 'Always' }],
];

describe('[F-12] the defaults of a Pod', () => {
  test.each(PODS)('a Pod gets the defaults of Kubernetes: %s', (_, given, expected) => {
    expect(asStored(pod(given)).spec).toMatchObject(expected);
  });
});

const OF = (requests: object, limits: object): object => ({
  ...CONTAINER,
  resources: { requests, limits },
});
const BOTH = { cpu: '1', memory: '1Gi' };

test.each([
  ['BestEffort', [CONTAINER]],
  ['BestEffort', [OF({ 'ephemeral-storage': '1Gi' }, {})]],
  ['Burstable', [OF({ cpu: '1' }, {})]],
  ['Burstable', [OF(BOTH, BOTH), { ...CONTAINER, name: 'd' }]],
  ['Burstable', [OF({ cpu: '500m', memory: '1Gi' }, BOTH)]],
  ['Guaranteed', [OF(BOTH, BOTH)]],
  ['Guaranteed', [OF({}, BOTH)]],
])('[F-12] the QoS class of a Pod is %s: %j', (expected, containers) => {
  expect(asStored(pod({ containers })).status).toEqual({ phase: 'Pending', qosClass: expected });
});

test('[F-12] the QoS class of a Pod follows its Pod-level resources, even if its containers have resources', () => {
  const whole = pod({ resources: { limits: BOTH }, containers: [OF({ cpu: '1' }, {})] });

  expect(asStored(whole).status).toMatchObject({ qosClass: 'Guaranteed' });
});

test('[F-12] a Job selects its Pods by a label with its uid, and has the labels of the Pods', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [CONTAINER] } };

  const job = asStored({ apiVersion: 'batch/v1', kind: 'Job', metadata, spec: { template } });

  const labels = {
    'batch.kubernetes.io/controller-uid': 'u',
    'batch.kubernetes.io/job-name': 'x',
    'controller-uid': 'u',
    'job-name': 'x',
  };
  expect(job.metadata.labels).toEqual(labels);
  expect(job.spec).toMatchObject({
    parallelism: 1,
    completions: 1,
    backoffLimit: 6,
    completionMode: 'NonIndexed',
    suspend: false,
    manualSelector: false,
    podReplacementPolicy: 'TerminatingOrFailed',
    selector: { matchLabels: { 'batch.kubernetes.io/controller-uid': 'u' } },
    template: { metadata: { labels } },
  });
});

test('[F-12] a Job with parallelism and without completions gets no default for completions', () => {
  const template = { spec: { restartPolicy: 'Never', containers: [CONTAINER] } };

  const job = asStored({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata,
    spec: { parallelism: 2, template },
  });

  expect(job.spec).not.toHaveProperty('completions');
});

test('[F-12] kinds that have no spec get defaults, too', () => {
  const RBAC = 'rbac.authorization.k8s.io';
  const stored = (apiVersion: string, kind: string, rest: object): object =>
    asStored({ apiVersion, kind, metadata, ...rest });

  expect(stored('v1', 'Secret', { stringData: { a: 'b' } })).toMatchObject({
    type: 'Opaque',
    data: { a: 'Yg==' },
  });
  expect(stored('storage.k8s.io/v1', 'StorageClass', {})).toMatchObject({
    reclaimPolicy: 'Delete',
    volumeBindingMode: 'Immediate',
  });
  expect(stored('scheduling.k8s.io/v1', 'PriorityClass', {})).toMatchObject({
    preemptionPolicy: 'PreemptLowerPriority',
  });
  expect(
    stored(`${RBAC}/v1`, 'RoleBinding', {
      roleRef: { kind: 'Role', name: 'r' },
      subjects: [{ kind: 'User', name: 'u' }],
    }),
  ).toMatchObject({ roleRef: { apiGroup: RBAC }, subjects: [{ apiGroup: RBAC }] });
  expect(stored('v1', 'Namespace', {})).toMatchObject({
    metadata: { labels: { 'kubernetes.io/metadata.name': 'x' } },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  });
  expect(stored('coordination.k8s.io/v1', 'Lease', { spec: {} })).toMatchObject({ spec: {} });
});

test('[F-12] a DaemonSet counts how often its template has changed', () => {
  const daemonSet = { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata, spec: SELECTING };
  const count = 'deprecated.daemonset.template.generation';

  const first = asStored(daemonSet);
  const same = asStored(changedBy(daemonSet, { 'spec.minReadySeconds': 5 }), first);
  const next = asStored(
    changedBy(daemonSet, { 'spec.template.spec.containers[0].image': 'y' }),
    same,
  );

  expect([first, same, next].map((one) => one.metadata.annotations?.[count])).toEqual([
    '1',
    '1',
    '2',
  ]);
});
