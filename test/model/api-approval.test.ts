import { expect, test } from 'vitest';
import { approvalOf, needsApproval } from '../../operator/model/custom-resource-definition.ts';

test.each([
  ['k8s.io', true],
  ['kubernetes.io', true],
  ['sigs.k8s.io', true],
  ['a.b.kubernetes.io', true],
  ['different.io', false],
  ['myk8s.io', false],
  ['k8s.io.example.dev', false],
  ['k8sxio', false],
])('a definition in the group %s needs an approval: %s', (group, needed) => {
  expect(needsApproval(group)).toBe(needed);
});

// What Kubernetes' own tests ask for, and what Go takes for a URL besides.
test.each([
  [undefined, 'missing'],
  ['', 'missing'],
  ['unapproved', 'unapproved'],
  ['unapproved, experimental-only', 'unapproved'],
  ['Unapproved', 'invalid'],
  [' unapproved', 'invalid'],
  ['valid', 'invalid'],
  ['https://github.com/kubernetes/kubernetes/pull/78458', 'approved'],
  ['HTTPS://me:secret@example.com:8443/a%20b?c d#e', 'approved'],
  ['http://[::1]:80', 'approved'],
  ['x://münchen.example', 'approved'],
  ['x://:80', 'approved'],
  ['github.com/kubernetes/kubernetes/pull/78458', 'invalid'],
  ['http:///kubernetes/kubernetes/pull/78458', 'invalid'],
  ['https:github.com', 'invalid'],
  ['//github.com/a', 'invalid'],
  ['/', 'invalid'],
  ['1x://a', 'invalid'],
  ['http://a b/', 'invalid'],
  ['http://a#b', 'invalid'],
  ['http://a:b/', 'invalid'],
  ['http://a/%zz', 'invalid'],
  ['http://%61/', 'invalid'],
  ['http://a/\n', 'invalid'],
  ['http://a/?\u007f', 'invalid'],
])('approvalOf reads the annotation %j as %s', (value, approval) => {
  expect(approvalOf(value)).toBe(approval);
});
