import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const RANGE = {
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'r', namespace: 'default' },
  spec: { limits: [{ type: 'Container', min: { cpu: '100m' }, max: { cpu: '2' } }] },
};
const L = 'spec.limits[0]';

const RANGES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'an unknown type',
    { [`${L}.type`]: 'Node' },
    [`${L}.type: Invalid value: "Node": must be a standard limit type or fully qualified`],
  ],
  [
    'a ratio of a resource that containers do not have',
    { [`${L}.maxLimitRequestRatio`]: { pods: '3' } },
    [
      `${L}.maxLimitRequestRatio[pods]: Invalid value: "pods": must be a standard resource for containers`,
    ],
  ],
  [
    'a min above the max',
    { [`${L}.min`]: { cpu: '3' }, [`${L}.type`]: 'Pod' },
    [`${L}.min[cpu]: Invalid value: "3": min value 3 is greater than max value 2`],
  ],
  [
    'a default below the min',
    { [`${L}.default`]: { cpu: '50m' } },
    [
      // The default is the default request, too.
      `${L}.defaultRequest[cpu]: Invalid value: "50m": min value 100m is greater than default request value 50m`,
      `${L}.default[cpu]: Invalid value: "100m": min value 100m is greater than default value 50m`,
    ],
  ],
  [
    'a ratio that contradicts min and max',
    { [`${L}.maxLimitRequestRatio`]: { cpu: '40' } },
    [
      `${L}.maxLimitRequestRatio[cpu]: Invalid value: "40": ratio 40 is greater than max/min = 20.000000`,
    ],
  ],
  [
    'defaults of a Pod, and a claim without a size',
    {
      'spec.limits': [
        { type: 'Pod', default: { cpu: '1' } },
        { type: 'PersistentVolumeClaim', default: { storage: '1Gi' } },
      ],
    },
    [
      "spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'",
      'spec.limits[1].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'a duplicate type',
    { 'spec.limits': [{ type: 'Pod' }, { type: 'Pod' }] },
    ['spec.limits[1].type: Duplicate value: "Pod"'],
  ],
];

describe('validation of a LimitRange', () => {
  test.each(
    RANGES,
  )('a LimitRange gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(RANGE, changes))).toEqual(expected);
  });
});

const QUOTA = {
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'default' },
  spec: { hard: { pods: '4', 'requests.cpu': '2', 'count/jobs.batch': '3' } },
};
const SCOPES = 'spec.scopeSelector.matchExpressions';

const QUOTAS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'an unknown resource',
    { 'spec.hard': { coffee: '1' } },
    [
      'spec.hard[coffee]: Invalid value: "coffee": must be a standard resource type or fully qualified',
      'spec.hard[coffee]: Invalid value: "coffee": must be a standard resource for quota',
    ],
  ],
  [
    'a resource without a quota',
    { 'spec.hard': { storage: '1' } },
    ['spec.hard[storage]: Invalid value: "storage": must be a standard resource for quota'],
  ],
  [
    'half a Pod, and a negative amount of memory',
    { 'spec.hard': { pods: '500m', memory: '-1' } },
    [
      'spec.hard[memory]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[pods]: Invalid value: "500m": must be an integer',
    ],
  ],
  [
    'scopes that contradict each other, one of them unknown',
    { 'spec.hard': { pods: '1' }, 'spec.scopes': ['Terminating', 'NotTerminating', 'Sleeping'] },
    [
      'spec.scopes: Invalid value: ["Terminating","NotTerminating","Sleeping"]: unsupported scope',
      'spec.scopes: Invalid value: ["Terminating","NotTerminating","Sleeping"]: conflicting scopes',
    ],
  ],
  [
    'a scope of Pods for Services',
    { 'spec.hard': { services: '1' }, 'spec.scopes': ['BestEffort'] },
    ['spec.scopes: Invalid value: ["BestEffort"]: unsupported scope applied to resource'],
  ],
  [
    'a scope selector with wrong operators',
    {
      'spec.hard': { pods: '1' },
      'spec.scopeSelector': {
        matchExpressions: [
          { scopeName: 'PriorityClass', operator: 'In' },
          { scopeName: 'Terminating', operator: 'DoesNotExist' },
          { scopeName: 'PriorityClass', operator: 'Exists', values: ['a'] },
        ],
      },
    },
    [
      `${SCOPES}.values: Required value: must be at least one value when \`operator\` is 'In' or 'NotIn' for scope selector`,
      `${SCOPES}.operator: Invalid value: "DoesNotExist": must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity`,
      `${SCOPES}.values: Invalid value: ["a"]: must be no value when \`operator\` is 'Exist' or 'DoesNotExist' for scope selector`,
    ],
  ],
];

describe('validation of a ResourceQuota', () => {
  test.each(
    QUOTAS,
  )('a ResourceQuota gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(QUOTA, changes))).toEqual(expected);
  });

  test('the scopes of a ResourceQuota are immutable', () => {
    const before = changedBy(QUOTA, { 'spec.hard': { pods: '1' }, 'spec.scopes': ['BestEffort'] });

    expect(problemsOf(changedBy(before, { 'spec.scopes': [] }), before)).toEqual([
      'spec.scopes: Invalid value: []: field is immutable',
    ]);
  });
});

const CLASS = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'IngressClass',
  metadata: { name: 'c' },
  spec: { controller: 'shop.dev/ingress', parameters: { kind: 'Settings', name: 's' } },
};
const P = 'spec.parameters';

const CLASSES: readonly Row[] = [
  ['nothing wrong, with cluster-scoped parameters', {}, []],
  [
    'a controller without a domain',
    { 'spec.controller': 'ingress' },
    [
      'spec.controller: Invalid value: "ingress": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ],
  ['no controller', { 'spec.controller': '' }, ['spec.controller: Required value']],
  [
    'namespaced parameters without the namespace',
    { [`${P}.scope`]: 'Namespace' },
    [`${P}.namespace: Required value: \`parameters.scope\` is set to 'Namespace'`],
  ],
  [
    'cluster-scoped parameters with a namespace',
    { [`${P}.namespace`]: 'default' },
    [`${P}.namespace: Forbidden: \`parameters.scope\` is set to 'Cluster'`],
  ],
];

describe('validation of an IngressClass', () => {
  test.each(
    CLASSES,
  )('an IngressClass gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CLASS, changes))).toEqual(expected);
  });

  test('the controller of an IngressClass is immutable', () => {
    expect(problemsOf(changedBy(CLASS, { 'spec.controller': 'shop.dev/other' }), CLASS)).toEqual([
      'spec.controller: Invalid value: "shop.dev/other": field is immutable',
    ]);
  });
});

const CONTROLLER = {
  apiVersion: 'v1',
  kind: 'ReplicationController',
  metadata: { name: 'c', namespace: 'default' },
  spec: {
    template: {
      metadata: { labels: { app: 'a' } },
      spec: { containers: [{ name: 'c', image: 'i' }] },
    },
  },
};

const CONTROLLERS: readonly Row[] = [
  ['nothing wrong, with the selector taken from the template', {}, []],
  ['an empty selector, which counts as no selector', { 'spec.selector': {} }, []],
  [
    'no template',
    { 'spec.template': undefined },
    ['spec.selector: Required value', 'spec.template: Required value'],
  ],
  [
    'a selector that does not match the template, and restartPolicy Never',
    { 'spec.selector': { app: 'b' }, 'spec.template.spec.restartPolicy': 'Never' },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ],
];

describe('validation of a ReplicationController', () => {
  test.each(
    CONTROLLERS,
  )('a ReplicationController gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CONTROLLER, changes))).toEqual(expected);
  });
});

test('a RuntimeClass needs a handler that is a DNS label', () => {
  const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' } };

  expect(problemsOf(runtime)).toEqual(['handler: Required value']);
  expect(problemsOf({ ...runtime, handler: 'Run' })).toEqual([
    expect.stringContaining('handler: Invalid value: "Run": a lowercase RFC 1123 label'),
  ]);
});
