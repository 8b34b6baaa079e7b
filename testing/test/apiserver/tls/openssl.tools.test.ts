/**
 * What OpenSSL says about the certificates of the embedded server.
 *
 * @module-tag openssl
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../../../../test/tools/tools.ts';
import { CertificateAuthority } from '../../../src/apiserver/tls/certificate-authority.ts';

test('OpenSSL accepts the certificate chain according to the strict rules of RFC 5280', () => {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-ca-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const authority = new CertificateAuthority();
  const [ca, cert] = [join(folder, 'ca.crt'), join(folder, 'server.crt')];
  writeFileSync(ca, authority.certificate);
  writeFileSync(cert, authority.issue(['localhost', '10.0.0.1']).cert);

  const checks = ['-x509_strict', '-purpose', 'sslserver', '-verify_ip', '10.0.0.1'];
  const said = execFileSync(pathOf('openssl'), ['verify', ...checks, '-CAfile', ca, cert]);

  expect(String(said)).toBe(`${cert}: OK\n`);
});
