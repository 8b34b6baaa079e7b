/** What webhooks and policies match: pkg/apis/admissionregistration/validation of Kubernetes has rules and words. */
import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const RULE = {
  operations: ['DELETE'],
  apiGroups: ['mill.example'],
  apiVersions: ['v1'],
  resources: ['wheels'],
};
const WEBHOOKS = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'MutatingWebhookConfiguration',
  metadata: { name: 'w' },
  webhooks: [
    {
      name: 'turn.mill.example',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      clientConfig: { service: { namespace: 'mill', name: 'gate', port: 443 } },
      rules: [RULE],
    },
  ],
};
const POLICY = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: {
    matchConstraints: { resourceRules: [RULE] },
    validations: [{ expression: 'object.spec.teeth > 3' }],
  },
};
const AT = 'webhooks[0]';
const RULES = `${AT}.rules[0]`;
const NOT_A_SUBDOMAIN =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

const OF_WEBHOOKS: readonly Row[] = [
  ['nothing wrong', {}, []],
  ['no name', { 'webhooks.0.name': '' }, [`${AT}.name: Required value`]],
  [
    'an unknown failurePolicy',
    { 'webhooks.0.failurePolicy': 'Retry' },
    [`${AT}.failurePolicy: Unsupported value: "Retry": supported values: "Fail", "Ignore"`],
  ],
  [
    'an unknown matchPolicy and an unknown reinvocationPolicy',
    { 'webhooks.0.matchPolicy': 'Near', 'webhooks.0.reinvocationPolicy': 'Always' },
    [
      `${AT}.matchPolicy: Unsupported value: "Near": supported values: "Equivalent", "Exact"`,
      `${AT}.reinvocationPolicy: Unsupported value: "Always": supported values: "IfNeeded", "Never"`,
    ],
  ],
  [
    'an unknown operation beside the wildcard',
    { 'webhooks.0.rules.0.operations': ['*', 'PATCH'] },
    [
      `${RULES}.operations: Invalid value: ["*","PATCH"]: if '*' is present, must not specify other operations`,
      `${RULES}.operations[1]: Unsupported value: "PATCH": supported values: "*", "CONNECT", "CREATE", "DELETE", "UPDATE"`,
    ],
  ],
  [
    'a group beside the wildcard, and an empty version',
    { 'webhooks.0.rules.0.apiGroups': ['', '*'], 'webhooks.0.rules.0.apiVersions': ['v1', ''] },
    [
      `${RULES}.apiGroups: Invalid value: ["","*"]: if '*' is present, must not specify other API groups`,
      `${RULES}.apiVersions[1]: Required value`,
    ],
  ],
  [
    'subresources that a wildcard already covers',
    { 'webhooks.0.rules.0.resources': ['wheels/*', 'wheels/status', '*/scale', 'gears/scale', ''] },
    [
      `${RULES}.resources[1]: Invalid value: "wheels/status": if 'wheels/*' is present, must not specify wheels/status`,
      `${RULES}.resources[3]: Invalid value: "gears/scale": if '*/scale' is present, must not specify gears/scale`,
      `${RULES}.resources[4]: Required value`,
    ],
  ],
  [
    'wildcards and single resources in one rule',
    { 'webhooks.0.rules.0.resources': ['*/*', '*', 'wheels'] },
    [
      `${RULES}.resources: Invalid value: ["*/*","*","wheels"]: if '*/*' is present, must not specify other resources`,
      `${RULES}.resources: Invalid value: ["*/*","*","wheels"]: if '*' is present, must not specify other resources without subresources`,
    ],
  ],
  [
    'an unknown scope',
    { 'webhooks.0.rules.0.scope': 'Galaxy' },
    [`${RULES}.scope: Unsupported value: "Galaxy": supported values: "*", "Cluster", "Namespaced"`],
  ],
  [
    'an invalid selector',
    { 'webhooks.0.objectSelector': { matchExpressions: [{ key: 'a', operator: 'In' }] } },
    [
      `${AT}.objectSelector.matchExpressions[0].values: Required value: must be specified when \`operator\` is 'In' or 'NotIn'`,
    ],
  ],
  [
    'a service port above 65535',
    { 'webhooks.0.clientConfig.service.port': 70_000 },
    [
      `${AT}.clientConfig.service.port: Invalid value: 70000: port is not valid: must be between 1 and 65535, inclusive`,
    ],
  ],
  [
    'a path that does not begin with a slash',
    { 'webhooks.0.clientConfig.service.path': 'v1' },
    [`${AT}.clientConfig.service.path: Invalid value: "v1": must start with a '/'`],
  ],
  [
    'a path with empty segments',
    { 'webhooks.0.clientConfig.service.path': '/review//Pods/' },
    [
      `${AT}.clientConfig.service.path: Invalid value: "/review//Pods/": segment[1] may not be empty`,
      `${AT}.clientConfig.service.path: Invalid value: "/review//Pods/": segment[2]: ${NOT_A_SUBDOMAIN}`,
    ],
  ],
];

describe.each(OF_WEBHOOKS)('a webhook with %s', (_what, change, problems) => {
  test('the API server reports exactly the expected problems of the webhook configuration', () => {
    expect(problemsOf(changedBy(WEBHOOKS, change))).toEqual(problems);
  });
});

const CONSTRAINTS = 'spec.matchConstraints';

const OF_POLICIES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'a failurePolicy that is empty',
    { 'spec.failurePolicy': '' },
    ['spec.failurePolicy: Unsupported value: "": supported values: "Fail", "Ignore"'],
  ],
  ['no matchConstraints', { [CONSTRAINTS]: undefined }, [`${CONSTRAINTS}: Required value`]],
  [
    'no rule',
    { [`${CONSTRAINTS}.resourceRules`]: [] },
    [`${CONSTRAINTS}.resourceRules: Required value`],
  ],
  [
    'an invalid and a duplicate resource name',
    { [`${CONSTRAINTS}.resourceRules.0.resourceNames`]: ['a', 'a/b', 'a'] },
    [
      `${CONSTRAINTS}.resourceRules[0].resourceNames[1]: Invalid value: "a/b": may not contain '/'`,
      `${CONSTRAINTS}.resourceRules[0].resourceNames[2]: Duplicate value: "a"`,
    ],
  ],
  [
    'an empty excluded rule',
    { [`${CONSTRAINTS}.excludeResourceRules`]: [{}] },
    ['operations', 'apiGroups', 'apiVersions', 'resources'].map(
      (part) => `${CONSTRAINTS}.excludeResourceRules[0].${part}: Required value`,
    ),
  ],
  [
    'no validations',
    { 'spec.validations': [] },
    ['validations', 'auditAnnotations'].map(
      (part) =>
        `spec.${part}: Required value: validations or auditAnnotations must contain at least one item`,
    ),
  ],
];

test('a MutatingAdmissionPolicy that matches DELETE is refused', () => {
  const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression: '[]' } }];
  const spec = { ...POLICY.spec, validations: undefined, reinvocationPolicy: 'Never', mutations };

  expect(problemsOf({ ...POLICY, kind: 'MutatingAdmissionPolicy', spec })).toContain(
    'spec.matchConstraints.resourceRules.operations: Unsupported value: "DELETE": supported values: "*", "CREATE", "UPDATE"',
  );
});

describe.each(OF_POLICIES)('an admission policy with %s', (_what, change, problems) => {
  test('the API server reports exactly the expected problems of the admission policy', () => {
    expect(problemsOf(changedBy(POLICY, change))).toEqual(problems);
  });
});
