import { describe, expect, test } from 'vitest';
import { changedBy, problemsOf, type Row } from '../support/validated.ts';

const RBAC = 'rbac.authorization.k8s.io';
const role = (kind: string): object => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name: 'r', namespace: 'default' },
  rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
});
const binding = (kind: string): object => ({
  apiVersion: `${RBAC}/v1`,
  kind,
  metadata: { name: 'r', namespace: 'default' },
  roleRef: { kind: 'ClusterRole', name: 'r' },
  subjects: [{ kind: 'ServiceAccount', name: 'a', namespace: 'default' }],
});

const RULES: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'no verbs',
    { 'rules[0].verbs': [] },
    ['rules[0].verbs: Required value: verbs must contain at least one value'],
  ],
  [
    'no groups',
    { 'rules[0].apiGroups': [] },
    ['rules[0].apiGroups: Required value: resource rules must supply at least one api group'],
  ],
  [
    'no resources',
    { 'rules[0].resources': [] },
    ['rules[0].resources: Required value: resource rules must supply at least one resource'],
  ],
];

describe.each(['Role', 'ClusterRole'])('[F-12] validation of the rules of a %s', (kind) => {
  test.each(
    RULES,
  )('the rules of a role get the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(role(kind), changes))).toEqual(expected);
  });
});

test('[F-12] a Role cannot grant non-resource URLs', () => {
  const urls = changedBy(role('Role'), { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] });

  expect(problemsOf(urls)).toEqual([
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
  ]);
});

const BINDINGS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'a roleRef of another API group',
    { 'roleRef.apiGroup': 'x' },
    [`roleRef.apiGroup: Unsupported value: "x": supported values: "${RBAC}"`],
  ],
  ['a roleRef without a name', { 'roleRef.name': '' }, ['roleRef.name: Required value']],
  ['a subject without a name', { 'subjects[0].name': '' }, ['subjects[0].name: Required value']],
  [
    'a subject of an unknown kind',
    { 'subjects[0].kind': 'Robot' },
    [
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    'a user of another API group',
    { subjects: [{ kind: 'User', name: 'u', apiGroup: 'x' }] },
    [`subjects[0].apiGroup: Unsupported value: "x": supported values: "${RBAC}"`],
  ],
];

describe.each(['RoleBinding', 'ClusterRoleBinding'])('[F-12] validation of a %s', (kind) => {
  test.each(
    BINDINGS,
  )('a role binding gets the validation errors of Kubernetes: %s', (_, changes, expected) => {
    expect(problemsOf(changedBy(binding(kind), changes))).toEqual(expected);
  });

  test('the roleRef of a binding is immutable, and the error prints the value as Go does', () => {
    const other = changedBy(binding(kind), { 'roleRef.name': 'admin' });

    expect(problemsOf(other, binding(kind))).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${RBAC}","Kind":"ClusterRole","Name":"admin"}: cannot change roleRef`,
    ]);
  });
});

test('[F-12] a ClusterRoleBinding needs a ClusterRole and a namespace for each ServiceAccount', () => {
  const wrong = changedBy(binding('ClusterRoleBinding'), {
    'roleRef.kind': 'Role',
    'subjects[0].namespace': undefined,
  });

  expect(problemsOf(wrong)).toEqual([
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    'subjects[0].namespace: Required value',
  ]);
});
