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

describe.each(['Role', 'ClusterRole'])('[F-12] %s', (kind) => {
  test.each(RULES)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(role(kind), changes))).toEqual(expected);
  });
});

test('[F-12] a Role has no right to paths that are no resources', () => {
  const urls = changedBy(role('Role'), { rules: [{ verbs: ['get'], nonResourceURLs: ['/x'] }] });

  expect(problemsOf(urls)).toEqual([
    'rules[0].nonResourceURLs: Invalid value: ["/x"]: namespaced rules cannot apply to non-resource URLs',
  ]);
});

const BINDINGS: readonly Row[] = [
  ['nothing wrong', {}, []],
  [
    'another group',
    { 'roleRef.apiGroup': 'x' },
    [`roleRef.apiGroup: Unsupported value: "x": supported values: "${RBAC}"`],
  ],
  ['no name', { 'roleRef.name': '' }, ['roleRef.name: Required value']],
  ['somebody without a name', { 'subjects[0].name': '' }, ['subjects[0].name: Required value']],
  [
    'a machine',
    { 'subjects[0].kind': 'Robot' },
    [
      'subjects[0].kind: Unsupported value: "Robot": supported values: "ServiceAccount", "User", "Group"',
    ],
  ],
  [
    'a user of another group',
    { subjects: [{ kind: 'User', name: 'u', apiGroup: 'x' }] },
    [`subjects[0].apiGroup: Unsupported value: "x": supported values: "${RBAC}"`],
  ],
];

describe.each(['RoleBinding', 'ClusterRoleBinding'])('[F-12] %s', (kind) => {
  test.each(BINDINGS)('%s', (_, changes, expected) => {
    expect(problemsOf(changedBy(binding(kind), changes))).toEqual(expected);
  });

  test('its role stays, shown as Go has it', () => {
    const other = changedBy(binding(kind), { 'roleRef.name': 'admin' });

    expect(problemsOf(other, binding(kind))).toEqual([
      `roleRef: Invalid value: {"APIGroup":"${RBAC}","Kind":"ClusterRole","Name":"admin"}: cannot change roleRef`,
    ]);
  });
});

test('[F-12] a ClusterRoleBinding binds a ClusterRole, and an account of a namespace', () => {
  const wrong = changedBy(binding('ClusterRoleBinding'), {
    'roleRef.kind': 'Role',
    'subjects[0].namespace': undefined,
  });

  expect(problemsOf(wrong)).toEqual([
    'roleRef.kind: Unsupported value: "Role": supported values: "ClusterRole"',
    'subjects[0].namespace: Required value',
  ]);
});
