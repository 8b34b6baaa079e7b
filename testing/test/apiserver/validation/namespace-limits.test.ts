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
    'a type that there is not',
    { [`${L}.type`]: 'Node' },
    [`${L}.type: Invalid value: "Node": must be a standard limit type or fully qualified`],
  ],
  [
    'a resource that a container has not, here as a ratio',
    { [`${L}.maxLimitRequestRatio`]: { pods: '3' } },
    [
      `${L}.maxLimitRequestRatio[pods]: Invalid value: "pods": must be a standard resource for containers`,
    ],
  ],
  [
    'a least amount above the greatest',
    { [`${L}.min`]: { cpu: '3' }, [`${L}.type`]: 'Pod' },
    [`${L}.min[cpu]: Invalid value: "3": min value 3 is greater than max value 2`],
  ],
  [
    'a default below the least amount',
    { [`${L}.default`]: { cpu: '50m' } },
    [
      // The default is the default request, too.
      `${L}.defaultRequest[cpu]: Invalid value: "50m": min value 100m is greater than default request value 50m`,
      `${L}.default[cpu]: Invalid value: "100m": min value 100m is greater than default value 50m`,
    ],
  ],
  [
    'a ratio that the bounds do not allow',
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
    'a type twice',
    { 'spec.limits': [{ type: 'Pod' }, { type: 'Pod' }] },
    ['spec.limits[1].type: Duplicate value: "Pod"'],
  ],
];

describe('LimitRange', () => {
  test.each(RANGES)('%s', (_, changes, expected) => {
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
    'a resource that there is not',
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
    'half a Pod, and less than nothing',
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
    'scopes that are selected without sense',
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

describe('ResourceQuota', () => {
  test.each(QUOTAS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(QUOTA, changes))).toEqual(expected);
  });

  test('its scopes stay as they are', () => {
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
  ['nothing wrong: its parameters are of the cluster', {}, []],
  [
    'a controller without a domain',
    { 'spec.controller': 'ingress' },
    [
      'spec.controller: Invalid value: "ingress": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
  ],
  ['no controller', { 'spec.controller': '' }, ['spec.controller: Required value']],
  [
    'parameters of a namespace that it does not name',
    { [`${P}.scope`]: 'Namespace' },
    [`${P}.namespace: Required value: \`parameters.scope\` is set to 'Namespace'`],
  ],
  [
    'parameters of the cluster in a namespace',
    { [`${P}.namespace`]: 'default' },
    [`${P}.namespace: Forbidden: \`parameters.scope\` is set to 'Cluster'`],
  ],
];

describe('IngressClass', () => {
  test.each(CLASSES)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CLASS, changes))).toEqual(expected);
  });

  test('its controller stays as it is', () => {
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
  ['nothing wrong: it selects what its template says', {}, []],
  ['an empty selector, which is as good as none', { 'spec.selector': {} }, []],
  [
    'no template',
    { 'spec.template': undefined },
    ['spec.selector: Required value', 'spec.template: Required value'],
  ],
  [
    'a selector of other Pods, and Pods that end',
    { 'spec.selector': { app: 'b' }, 'spec.template.spec.restartPolicy': 'Never' },
    [
      'spec.template.metadata.labels: Invalid value: {"app":"a"}: `selector` does not match template `labels`',
      'spec.template.spec.restartPolicy: Unsupported value: "Never": supported values: "Always"',
    ],
  ],
];

describe('ReplicationController', () => {
  test.each(CONTROLLERS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(CONTROLLER, changes))).toEqual(expected);
  });
});

test('a RuntimeClass has a handler, which is a label', () => {
  const runtime = { apiVersion: 'node.k8s.io/v1', kind: 'RuntimeClass', metadata: { name: 'r' } };

  expect(problemsOf(runtime)).toEqual(['handler: Required value']);
  expect(problemsOf({ ...runtime, handler: 'Run' })).toEqual([
    expect.stringContaining('handler: Invalid value: "Run": a lowercase RFC 1123 label'),
  ]);
});
