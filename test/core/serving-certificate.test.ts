import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { certificateProblem } from '../../operator/core/serving-certificate.ts';
import { CertificateAuthority } from '../../testing/src/apiserver/tls/certificate-authority.ts';

/** From 2020 to the end of 9999. */
function certificateFor(...names: readonly string[]): X509Certificate {
  return new X509Certificate(new CertificateAuthority().issue(names).cert);
}

const NOW = new Date('2026-02-03T04:05:06Z');

test.each([
  [['op.demo.svc'], ['op.demo.svc']],
  [
    ['a.demo.svc', 'OP.demo.svc'],
    ['op.demo.svc', 'a.demo.svc'],
  ],
  [['*.demo.svc'], ['op.demo.svc']],
  [['op.demo.svc'], []],
])('a certificate for %j is valid for %j', (has, needs) => {
  expect(certificateProblem(certificateFor(...has), needs, NOW)).toBeUndefined();
});

test.each([
  [['op.demo.svc'], ['op.other.svc'], 'is not for op.other.svc, but for op.demo.svc'],
  [
    ['op.demo.svc', 'b.demo.svc'],
    ['op.demo.svc', 'c.demo.svc'],
    'is not for c.demo.svc, but for op.demo.svc, b.demo.svc',
  ],
  [['*.svc'], ['op.demo.svc'], 'is not for op.demo.svc, but for *.svc'],
  [
    ['kube-apiserver.example'],
    ['kube-apiserver'],
    'is not for kube-apiserver, but for kube-apiserver.example',
  ],
])('a certificate for %j is invalid for %j', (has, needs, problem) => {
  expect(certificateProblem(certificateFor(...has), needs, NOW)).toBe(problem);
});

test.each([
  ['2019-12-31T23:59:59Z', 'is valid from Jan  1 00:00:00 2020 GMT on'],
  ['+010000-01-01T00:00:00Z', 'has expired on Dec 31 23:59:59 9999 GMT'],
])('at the time %s the certificate has the problem that it %s', (now, problem) => {
  expect(certificateProblem(certificateFor('a.b.svc'), ['a.b.svc'], new Date(now))).toBe(problem);
});
