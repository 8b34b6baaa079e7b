/**
 * What the self-test of an operator finds at a real gate.
 *
 * @module-tag nginx
 * @module-tag openssl
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { testGate } from '../../operator/manager/safety/gate-test.ts';
import { shared } from '../proxy/support/shared.ts';
import { pathOf } from '../tools/tools.ts';
import { GateProcess, SERVICE } from './support/gate-process.ts';
import { DECLARED } from './support/hostile-requests.ts';
import { PlainOperator } from './support/reviews.ts';

const NOW = new Date('2026-01-02T03:04:05Z');
const PATH = DECLARED[0].path;

const operator = shared(() => PlainOperator.start());

async function startGate(start: Partial<Parameters<typeof GateProcess.start>[0]> = {}) {
  const gate = await GateProcess.start({
    paths: DECLARED,
    operator: operator().address,
    ...start,
  });
  onTestFinished(() => gate.stop());
  return gate;
}

/** Code and message of each finding. */
async function found(port: number, { now = NOW, service = SERVICE } = {}) {
  const findings = await testGate(
    { service, port, path: PATH },
    { now, signal: new AbortController().signal },
  );
  return findings.map(({ code, message }) => `${code}: ${message}`);
}

/** A certificate that is valid for a day from now on, and its key. */
function validForADay(): { 'tls.crt': string; 'tls.key': string } {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-openssl-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const [key, crt] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  execFileSync(
    pathOf('openssl'),
    [
      ...['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '1', '-subj', '/CN=gate'],
      ...['-addext', `subjectAltName=DNS:${SERVICE}`, '-keyout', key, '-out', crt],
    ],
    { stdio: 'ignore' },
  );
  return { 'tls.crt': readFileSync(crt, 'utf8'), 'tls.key': readFileSync(key, 'utf8') };
}

test('the self-test finds no problem in a correct gate', async () => {
  const gate = await startGate();

  expect(await found(gate.port)).toEqual([]);
});

test.each([
  [
    'is for another name',
    { service: 'other.demo.svc' },
    `is not for other.demo.svc, but for ${SERVICE}`,
  ],
  ['has expired', { now: new Date('+010000-01-01T00:00:00Z') }, 'has expired on'],
  ['is not valid yet', { now: new Date('2019-12-31T00:00:00Z') }, 'is valid from'],
])('[security 42] [A-13] the self-test reports a certificate that %s, and the remedy', async (_what, options, words) => {
  const gate = await startGate();

  const [finding = '', ...others] = await found(gate.port, options);

  expect(others).toEqual([]);
  expect(finding).toContain('GATE_CERTIFICATE: the certificate of the gate ');
  expect(finding).toContain(words);
  expect(finding).toContain('look at the Secret that the container gate mounts at /tls');
});

test('[A-13] the self-test reports a certificate that is not renewed before it expires', async () => {
  const gate = await startGate();
  gate.volume.put(validForADay());

  const findings = await found(gate.port, { now: new Date() });

  expect(findings).toEqual([
    expect.stringMatching(/^GATE_CERTIFICATE_EXPIRES: .* nothing has renewed it/),
  ]);
});

test.each([
  ['no certificate', () => ({})],
  [
    'the key of another certificate',
    (gate: GateProcess) => ({ ...gate.certificate(), 'tls.key': gate.certificate()['tls.key'] }),
  ],
])('the self-test reports a gate with %s as running, but with a wrong certificate', async (_what, files) => {
  const gate = await startGate();
  gate.volume.put(files(gate));

  const [finding = ''] = await found(gate.port);

  expect(finding).toContain('GATE_CERTIFICATE: the gate ends every TLS connection');
  expect(finding).toContain('needs tls.crt and tls.key that belong together');
});

test('[A-13] the self-test reports a gate that does not run', async () => {
  expect(await found(await freePort())).toEqual([
    expect.stringMatching(/^GATE_UNREACHABLE: no gate listens on port /),
  ]);
});

test('[security 43] [A-13] if the gate does not reach the operator, the self-test reports what to set', async () => {
  const gate = await startGate({ operator: `127.0.0.1:${await freePort()}` });

  expect(await found(gate.port)).toEqual([
    expect.stringMatching(/^GATE_WITHOUT_OPERATOR: .*CHANCERY_WEBHOOK_LISTEN/),
  ]);
});

test("[A-13] the self-test reports that the declared path is missing in the gate's configuration", async () => {
  const gate = await startGate({ paths: [{ path: '/other', timeoutSeconds: 10 }] });

  expect(await found(gate.port)).toEqual([
    expect.stringMatching(/^GATE_WITHOUT_OPERATOR: the gate answers 404 to POST \/validate\//),
  ]);
});

test('the self-test reports a gate that passes every path', async () => {
  const gate = await startGate({
    change: (text) =>
      text
        .replace(/^ *if \([^}]*\}\n/gm, '')
        .replace('add_header Chancery-Gate refused always;', '')
        .replace(/location \/ \{[^}]*\}/, 'location / { proxy_pass http://operator; }'),
  });

  const findings = await found(gate.port);

  expect(findings).toEqual([
    expect.stringContaining(`GATE_OPEN: the gate passes POST /chancery-self-test and GET ${PATH}`),
  ]);
});
