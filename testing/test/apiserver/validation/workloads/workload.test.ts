import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../../support/validated.ts';

const TEMPLATE = {
  metadata: { labels: { app: 'x' } },
  spec: { containers: [{ name: 'c', image: 'nginx' }] },
};
const SPEC = { selector: { matchLabels: { app: 'x' } }, template: TEMPLATE };
const workload = (kind: string, spec: object = {}): object => ({
  apiVersion: 'apps/v1',
  kind,
  metadata: { name: 'x', namespace: 'default' },
  spec: { ...SPEC, ...spec },
});

const KINDS = ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet'];
const MISMATCH =
  'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`';

describe.each(KINDS)('[F-12] validation of a %s', (kind) => {
  const object = workload(kind);

  test('a workload with a selector and a template is valid', () => {
    expect(problemsOf(object)).toEqual([]);
  });

  test('a workload whose selector does not match its template is refused', () => {
    const other = changedBy(object, { 'spec.selector.matchLabels': { app: 'y' } });

    expect(problemsOf(other)).toEqual([MISMATCH]);
  });

  test('a workload whose Pods have restartPolicy Never is refused', () => {
    const ending = changedBy(object, { 'spec.template.spec.restartPolicy': 'Never' });

    expect(problemsOf(ending)).toContain(
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    );
  });
});

describe.each([
  'Deployment',
  'ReplicaSet',
  'DaemonSet',
])('[F-12] updates and Pods of a %s', (kind) => {
  test('the selector of a workload is immutable', () => {
    const changed = changedBy(workload(kind), {
      'spec.selector.matchLabels': { app: 'y' },
      'spec.template.metadata.labels': { app: 'y' },
    });

    expect(problemsOf(changed, workload(kind))).toEqual([
      'spec.selector: Invalid value: {"matchLabels":{"app":"y"}}: field is immutable',
    ]);
  });

  test('the template of a workload can change', () => {
    const changed = changedBy(workload(kind), { 'spec.template.spec.containers[0].image': 'y' });

    expect(problemsOf(changed, workload(kind))).toEqual([]);
  });

  test('the Pod template of a workload is validated like a Pod', () => {
    const empty = changedBy(workload(kind), { 'spec.template.spec.containers': [] });

    expect(problemsOf(empty)).toEqual(['spec.template.spec.containers: Required value']);
  });
});

const DEPLOYMENT: readonly Row[] = [
  [
    'no selector',
    { 'spec.selector': undefined },
    [
      'spec.selector: Required value',
      'spec.template.metadata.labels: Invalid value: {"app":"x"}: `selector` does not match template `labels`',
    ],
  ],
  [
    'an empty selector',
    { 'spec.selector': {} },
    ['spec.selector: Invalid value: {}: empty selector is invalid for deployment'],
  ],
  [
    'a selector with a bad operator',
    { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'Is', values: ['x'] }] },
    [
      'spec.selector.matchExpressions[0].operator: Invalid value: "Is": not a valid selector operator',
    ],
  ],
  [
    'a selector with operator In and no values',
    { 'spec.selector.matchExpressions': [{ key: 'app', operator: 'In' }] },
    [
      `spec.selector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
  ],
  [
    'negative replicas',
    { 'spec.replicas': -1 },
    ['spec.replicas: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'an unknown strategy',
    { 'spec.strategy': { type: 'Blue' } },
    [
      'spec.strategy: Unsupported value: {"Type":"Blue","RollingUpdate":null}: supported values: "Recreate", "RollingUpdate"',
    ],
  ],
  [
    'rollingUpdate with strategy Recreate',
    { 'spec.strategy': { type: 'Recreate', rollingUpdate: {} } },
    [
      `spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy \`type\` is 'Recreate'`,
    ],
  ],
  [
    'maxSurge and maxUnavailable of 0',
    { 'spec.strategy': { rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0',
    ],
  ],
  [
    'a percentage without a sign',
    { 'spec.strategy': { rollingUpdate: { maxSurge: 'half' } } },
    [
      `spec.strategy.rollingUpdate.maxSurge: Invalid value: "half": a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')`,
    ],
  ],
  [
    'maxUnavailable above 100%',
    { 'spec.strategy': { rollingUpdate: { maxUnavailable: '101%' } } },
    [
      'spec.strategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
    ],
  ],
  [
    'progressDeadlineSeconds below minReadySeconds',
    { 'spec.minReadySeconds': 10, 'spec.progressDeadlineSeconds': 10 },
    ['spec.progressDeadlineSeconds: Invalid value: 10: must be greater than minReadySeconds'],
  ],
  [
    'a label with a bad value',
    { 'spec.template.metadata.labels.b': '-' },
    [
      `spec.template.labels: Invalid value: "-": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
    ],
  ],
];

describe('[F-12] validation of a Deployment', () => {
  test.each(
    DEPLOYMENT,
  )('a Deployment gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(workload('Deployment'), changes))).toEqual(expected);
  });
});

const DAEMON_SET: readonly Row[] = [
  [
    'both maxSurge and maxUnavailable',
    { 'spec.updateStrategy': { rollingUpdate: { maxUnavailable: 1, maxSurge: 1 } } },
    [
      'spec.updateStrategy.rollingUpdate.maxSurge: Invalid value: 1: may not be set when maxUnavailable is non-zero',
    ],
  ],
  [
    'neither maxSurge nor maxUnavailable',
    { 'spec.updateStrategy': { rollingUpdate: { maxUnavailable: 0 } } },
    [
      'spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0',
    ],
  ],
  [
    'an empty selector',
    { 'spec.selector': {} },
    ['spec.selector: Invalid value: {}: empty selector is invalid for daemonset'],
  ],
];

describe('[F-12] validation of a DaemonSet', () => {
  test.each(
    DAEMON_SET,
  )('a DaemonSet gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(workload('DaemonSet'), changes))).toEqual(expected);
  });
});

const FIXED = `spec: Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden`;

const STATEFUL_CHANGES: readonly Row[] = [
  ['replicas', { 'spec.replicas': 3 }, []],
  ['the template', { 'spec.template.spec.containers[0].image': 'y' }, []],
  ['the update strategy', { 'spec.updateStrategy': { type: 'OnDelete' } }, []],
  ['the service name', { 'spec.serviceName': 'other' }, [FIXED]],
  ['the Pod management policy', { 'spec.podManagementPolicy': 'Parallel' }, [FIXED]],
  [
    'the volume claim templates',
    {
      'spec.volumeClaimTemplates': [
        { metadata: { name: 'v' }, spec: { accessModes: ['ReadWriteOnce'] } },
      ],
    },
    [FIXED],
  ],
];

describe('[F-12] updates of a StatefulSet', () => {
  test.each(
    STATEFUL_CHANGES,
  )('an update of a StatefulSet is validated as in Kubernetes: it changes %s', (_, changes, expected) => {
    const before = workload('StatefulSet', { serviceName: 's' });

    expect(problemsOf(changedBy(before, changes), before)).toEqual(expected);
  });
});

test('[F-12] an unknown policy of a StatefulSet is refused with the list of policies', () => {
  const object = workload('StatefulSet', { podManagementPolicy: 'Random' });

  expect(problemsOf(object)).toEqual([
    `spec.podManagementPolicy: Invalid value: "Random": must be 'OrderedReady' or 'Parallel'`,
  ]);
});
