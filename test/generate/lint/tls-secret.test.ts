import { expect, test } from 'vitest';
import { tlsSecretProblem } from '../../../operator/generate/lint/tls-secret.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { CertificateAuthority } from '../../../testing/src/apiserver/tls/certificate-authority.ts';

const authority = new CertificateAuthority();
const NAMES = ['op-gate.demo.svc'];
const NOW = new Date('2026-01-02T03:04:05Z');

/** As `kubectl get` shows it. */
function secret(crt: string, key: string): KubernetesObject {
  const data = {
    'tls.crt': Buffer.from(crt).toString('base64'),
    'tls.key': Buffer.from(key).toString('base64'),
  };
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, ...{ data } };
}

function problem(object: KubernetesObject, now = NOW) {
  const found = tlsSecretProblem(object, NAMES, now);
  return found && `${found.path} ${found.wrong}`;
}

test('a certificate for the Service with its key is accepted, and so is an empty Secret', () => {
  const { cert, key } = authority.issue(NAMES);

  expect(problem(secret(cert, key))).toBeUndefined();
  expect(problem(secret('', ''))).toBeUndefined();
  expect(problem({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' } })).toBeUndefined();
});

test('a Secret with only a certificate or only a key, or with other content, is refused', () => {
  const { cert, key } = authority.issue(NAMES);

  expect(problem(secret(cert, ''))).toBe('data[tls.key] is not the key of tls.crt');
  expect(problem(secret('', key))).toBe('data[tls.crt] is no certificate');
  expect(problem(secret(key, cert))).toBe('data[tls.crt] is no certificate');
  expect(problem(secret(cert, authority.issue(NAMES).key))).toBe(
    'data[tls.key] is not the key of tls.crt',
  );
});

test('an expired certificate is refused, whatever its key', () => {
  const { cert, key } = authority.issue(NAMES);

  expect(problem(secret(cert, key), new Date('+010000-01-01T00:00:00Z'))).toContain(
    'data[tls.crt] has expired on',
  );
});
