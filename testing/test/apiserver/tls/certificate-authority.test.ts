import { X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { CertificateAuthority } from '../../../src/apiserver/tls/certificate-authority.ts';

test('a CertificateAuthority issues a certificate for names and addresses, and signs it', () => {
  const authority = new CertificateAuthority();

  const issued = new X509Certificate(authority.issue(['localhost', '127.0.0.1', '::1']).cert);

  const ca = new X509Certificate(authority.certificate);
  expect(issued.verify(ca.publicKey)).toBe(true);
  expect(issued.checkIssued(ca)).toBe(true);
  expect([ca.ca, issued.ca]).toEqual([true, false]);
  expect(issued.subjectAltName).toBe(
    'DNS:localhost, IP Address:127.0.0.1, IP Address:0:0:0:0:0:0:0:1',
  );
});

test('a certificate contains all bytes of an IPv6 address, however the address is abbreviated', () => {
  const names = ['fd00:10:96::a', '::ffff:10.0.0.1', '2001:db8:1:2:3:4:5:6'];

  const issued = new X509Certificate(new CertificateAuthority().issue(names).cert);

  expect(names.map((name) => issued.checkIP(name))).toEqual(names);
  expect(issued.checkIP('fd00:10:96::b')).toBeUndefined();
});

test('a second CertificateAuthority has the same name and another key', () => {
  const [one, two] = [new CertificateAuthority(), new CertificateAuthority()];

  const issued = new X509Certificate(one.issue(['localhost']).cert);

  const [mine, other] = [one, two].map(({ certificate }) => new X509Certificate(certificate));
  expect(mine?.subject).toBe(other?.subject);
  expect(issued.verify(other?.publicKey ?? expect.unreachable())).toBe(false);
});

test('serial numbers of certificates are positive and unique', () => {
  const authority = new CertificateAuthority();

  // Half of all random numbers of 16 bytes begin with a bit that DER reads as a minus.
  const serials = Array.from(
    { length: 32 },
    () => new X509Certificate(authority.issue(['localhost']).cert).serialNumber,
  );

  expect(serials.filter((serial) => !/^[0-9A-F]+$/.test(serial))).toEqual([]);
  expect(new Set(serials).size).toBe(serials.length);
});

test('a certificate can be used only by TLS servers, and is valid from 2020 to 9999', () => {
  const issued = new X509Certificate(new CertificateAuthority().issue(['localhost']).cert);

  expect(issued.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect([issued.validFrom, issued.validTo]).toEqual([
    'Jan  1 00:00:00 2020 GMT',
    'Dec 31 23:59:59 9999 GMT',
  ]);
});
