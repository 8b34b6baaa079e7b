/** Certificates as Node reads them, and as a client of TLS takes them. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect, test } from 'vitest';
import { issueCertificate } from '../src/issue-certificate.ts';

const NAMES = ['site-gate.demo.svc', 'site-gate.demo.svc.cluster.local'];

function issued(changed: Partial<Parameters<typeof issueCertificate>[0]> = {}) {
  const now = Date.now();
  return issueCertificate({
    dnsNames: NAMES,
    validFrom: now - 60_000,
    validUntil: now + 86_400_000,
    ...changed,
  });
}

test('a client that trusts the authority accepts the certificate for its DNS names, and for no other name', async () => {
  const { key, certificate, authority } = issued();
  const server = createServer({ key, cert: certificate }, (socket) => socket.end()).listen(
    0,
    '127.0.0.1',
  );
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const ask = async (servername: string, ca: string): Promise<string> => {
    const socket: TLSSocket = connect({ port, host: '127.0.0.1', servername, ca });
    const result = new Promise<string>((resolve) => {
      socket.once('secureConnect', () => resolve('trusted'));
      socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
    });
    return result.finally(() => socket.destroy());
  };

  try {
    for (const name of NAMES) expect(await ask(name, authority)).toBe('trusted');
    expect(await ask('other-gate.demo.svc', authority)).toBe('ERR_TLS_CERT_ALTNAME_INVALID');
    expect(await ask(NAMES[0] ?? '', issued().authority)).not.toBe('trusted');
  } finally {
    server.close();
  }
});

test('a certificate is valid for exactly the requested time, even beyond the year 2049', () => {
  const validFrom = Date.parse('2049-12-01T00:00:00Z');
  const validUntil = Date.parse('2050-03-01T00:00:00Z');

  const { certificate, authority } = issued({ validFrom, validUntil });

  for (const text of [certificate, authority]) {
    const { validFromDate, validToDate } = new X509Certificate(text);
    expect([validFromDate.getTime(), validToDate.getTime()]).toEqual([validFrom, validUntil]);
  }
});

test('each issued certificate has a new key, a new serial number and a new authority', () => {
  const all = Array.from({ length: 20 }, () => issued());

  for (const part of ['key', 'certificate', 'authority'] as const) {
    expect(new Set(all.map((each) => each[part])).size).toBe(20);
  }
  const serials = all.flatMap(({ certificate, authority }) =>
    [certificate, authority].map((text) => new X509Certificate(text).serialNumber),
  );
  expect(new Set(serials).size).toBe(40);
});

test('the authority can sign certificates, and the certificates that it has signed cannot sign others', () => {
  const { certificate, authority } = issued();

  const [server, signer] = [new X509Certificate(certificate), new X509Certificate(authority)];
  expect([server.ca, signer.ca]).toEqual([false, true]);
  expect(server.verify(signer.publicKey)).toBe(true);
  expect(server.checkIssued(signer)).toBe(true);
  expect(signer.checkHost(NAMES[0] ?? '')).toBeUndefined();
});
