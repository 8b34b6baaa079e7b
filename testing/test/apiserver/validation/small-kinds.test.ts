import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const metadata = { name: 'x', namespace: 'default' };
const AUTOSCALER = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata,
  spec: {
    maxReplicas: 3,
    scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
  },
};
const CPU = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } },
};

const AUTOSCALERS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no maxReplicas',
    { 'spec.maxReplicas': 0 },
    [
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
    ],
  ],
  [
    'minReplicas above maxReplicas',
    { 'spec.minReplicas': 5 },
    ['spec.maxReplicas: Invalid value: 3: must be greater than or equal to `minReplicas`'],
  ],
  [
    'minReplicas of 0',
    { 'spec.minReplicas': 0 },
    [
      'spec.minReplicas: Invalid value: 0: must be greater than or equal to 1',
      'spec.metrics: Forbidden: must specify at least one Object or External metric to support scaling to zero replicas',
    ],
  ],
  [
    'no target',
    { 'spec.scaleTargetRef': {} },
    [
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
      'spec.scaleTargetRef.apiVersion: Invalid value: "": apiVersion must specify API group',
    ],
  ],
  [
    'a target without a group that is a ReplicationController',
    { 'spec.scaleTargetRef': { apiVersion: 'v1', kind: 'ReplicationController', name: 'old' } },
    [],
  ],
  [
    'another target without a group',
    { 'spec.scaleTargetRef': { apiVersion: 'v1', kind: 'PodTemplate', name: 'old' } },
    ['spec.scaleTargetRef.apiVersion: Invalid value: "v1": apiVersion must specify API group'],
  ],
  [
    'a metric of an object without a group',
    {
      'spec.metrics': [
        {
          type: 'Object',
          object: {
            describedObject: { apiVersion: 'v1', kind: 'Service', name: 'queue' },
            metric: { name: 'length' },
            target: { type: 'Value', value: '30' },
          },
        },
      ],
    },
    [],
  ],
  [
    'a target with a malformed apiVersion',
    { 'spec.scaleTargetRef.apiVersion': 'a/b/c' },
    [
      'spec.scaleTargetRef.apiVersion: Invalid value: "a/b/c": unexpected GroupVersion string: a/b/c',
    ],
  ],
  [
    'a metric without its source',
    { 'spec.metrics': [{ type: 'Pods' }] },
    ['spec.metrics[0].pods: Required value: must populate information for the given metric source'],
  ],
  [
    'a metric with two sources',
    {
      'spec.metrics': [
        {
          ...CPU,
          pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } },
        },
      ],
    },
    ['spec.metrics[0].pods: Forbidden: must populate the given metric source only'],
  ],
  [
    'an unknown type of metric',
    { 'spec.metrics': [{ type: 'Mood' }] },
    [
      'spec.metrics[0].type: Unsupported value: "Mood": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
    ],
  ],
  [
    'a metric without a target',
    {
      'spec.metrics': [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
      ],
    },
    [
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
    ],
  ],
  [
    'a stabilization window above an hour',
    { 'spec.behavior': { scaleUp: { stabilizationWindowSeconds: 3_601 } } },
    [
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
    ],
  ],
  [
    'a scaling policy of 0 Pods',
    {
      'spec.behavior': { scaleDown: { policies: [{ type: 'Pods', value: 0, periodSeconds: 15 }] } },
    },
    ['spec.behavior.scaleDown.policies[0].value: Invalid value: 0: must be greater than zero'],
  ],
];

describe('[F-12] validation of a HorizontalPodAutoscaler', () => {
  test.each(
    AUTOSCALERS,
  )('a HorizontalPodAutoscaler gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(AUTOSCALER, changes))).toEqual(expected);
  });
});

const BUDGET = {
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata,
  spec: { minAvailable: 1, selector: { matchLabels: { a: 'b' } } },
};

const BUDGETS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'minAvailable and maxUnavailable together',
    { 'spec.maxUnavailable': 1 },
    [
      'spec: Invalid value: {"MinAvailable":1,"Selector":{"matchLabels":{"a":"b"}},"MaxUnavailable":1,"UnhealthyPodEvictionPolicy":null}: minAvailable and maxUnavailable cannot be both set',
    ],
  ],
  [
    'minAvailable above 100%',
    { 'spec.minAvailable': '200%' },
    ['spec.minAvailable: Invalid value: "200%": must not be greater than 100%'],
  ],
  [
    'a negative minAvailable',
    { 'spec.minAvailable': -1 },
    ['spec.minAvailable: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'an unknown unhealthyPodEvictionPolicy',
    { 'spec.unhealthyPodEvictionPolicy': 'Never' },
    [
      'spec.unhealthyPodEvictionPolicy: Unsupported value: "Never": supported values: "AlwaysAllow", "IfHealthyBudget"',
    ],
  ],
];

describe('[F-12] validation of a PodDisruptionBudget', () => {
  test.each(
    BUDGETS,
  )('a PodDisruptionBudget gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(BUDGET, changes))).toEqual(expected);
  });
});

const LEASE = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata, spec: {} };

const LEASES: readonly Row[] = [
  ['an empty spec', {}, []],
  [
    'a duration of 0 seconds',
    { 'spec.leaseDurationSeconds': 0 },
    ['spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0'],
  ],
  [
    'negative transitions',
    { 'spec.leaseTransitions': -1 },
    ['spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0'],
  ],
  [
    'a preferredHolder without a strategy',
    { 'spec.preferredHolder': 'me' },
    ['spec.preferredHolder: Forbidden: may only be specified if `strategy` is defined'],
  ],
  [
    'an unknown strategy',
    { 'spec.strategy': 'Youngest' },
    [
      'spec.strategy.strategy: Unsupported value: "Youngest": supported values: "OldestEmulationVersion"',
    ],
  ],
];

describe('[F-15] validation of a Lease', () => {
  test.each(
    LEASES,
  )('a Lease gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(LEASE, changes))).toEqual(expected);
  });
});

test('[F-12] the value of a PriorityClass is immutable and at most 1000000000', () => {
  const priority = {
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: 'p' },
    value: 5,
  };

  expect(problemsOf(changedBy(priority, { value: 6 }), priority)).toEqual([
    'value: Forbidden: may not be changed in an update.',
  ]);
  expect(problemsOf(changedBy(priority, { value: 2_000_000_000 }))).toEqual([
    'value: Forbidden: maximum allowed value of a user defined priority is 1000000000',
  ]);
});
