/** The two ways out of the process: a program and a URL, by one contract. */
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually, FakeClock } from '@chancery/testing';
import { systemClock } from 'chancery/low-level';
import { expect, onTestFinished, test } from 'vitest';
import { execProvisioner } from '../provisioner/exec.ts';
import { FakeProvisioner } from '../provisioner/fake.ts';
import { type HostRequest, ProvisionerError } from '../provisioner/provisioner.ts';
import { webhookProvisioner } from '../provisioner/webhook.ts';
import { provisionerFrom } from '../settings.ts';
import { ProvisionerServer } from './provisioner-server.ts';

const PROGRAM = fileURLToPath(new URL('provision.mjs', import.meta.url));

const program = (kind: string, ...words: string[]) =>
  execProvisioner([process.execPath, PROGRAM, kind, ...words]);

const call = () => ({ clock: systemClock, signal: new AbortController().signal });

const REQUEST: HostRequest = {
  uid: 'u-1',
  namespace: 'demo',
  name: 'nginx-1-tunnel',
  token: 'very-secret',
  controlPort: 8123,
  ports: [80],
};

/** A URL that is served as the test says, until it ends. */
async function served(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

test('a program gets the request on standard input, and its arguments unchanged, without a shell', async () => {
  const provisioner = program('echo', '$(id)', ';ls');

  const found = await provisioner.find('u-1', call());
  const unknown = await provisioner.find('unknown', call());
  const made = await provisioner.create(REQUEST, call());
  await provisioner.remove('u-1', call());

  expect(found).toEqual({ id: 'find u-1 $(id) ;ls', status: 'active', ip: '192.0.2.9' });
  expect(unknown).toBeUndefined();
  expect(made.id).toBe('create u-1 $(id) ;ls');
});

test('a program gets only the environment variables that are configured for it', async () => {
  const provisioner = provisionerFrom({
    PATH: '/usr/bin:/bin',
    PROVIDER_TOKEN: 'x',
    OTHER_SECRET: 'y',
    TUNNEL_PROVISIONER: 'exec',
    TUNNEL_PROVISIONER_COMMAND: JSON.stringify([process.execPath, PROGRAM, 'environment']),
    TUNNEL_PROVISIONER_ENV: 'PROVIDER_TOKEN, NOT_SET',
  });

  const found = await provisioner.find('u-1', call());

  expect(found?.id).toBe('CHANCERY_RUN,PATH,PROVIDER_TOKEN');
});

test.each([
  ['complain', 'the provisioner says: no quota for ***'],
  ['crash', 'the provisioner failed: exit code 4'],
  [
    'flood',
    `the provisioner failed: ${process.execPath} was ended: it wrote more than 65536 bytes of output`,
  ],
  ['silent', 'the provisioner did not answer in JSON'],
  ['wrong', 'the provisioner answered with a host of unusable status or address'],
])('the error about a failing program gives the reason, and no secret: %s', async (kind, message) => {
  const error = await program(kind)
    .create(REQUEST, call())
    .catch((reason: unknown) => reason);

  expect(error).toBeInstanceOf(ProvisionerError);
  expect(error).toMatchObject({ message });
  expect(String((error as Error).cause)).not.toContain('very-secret');
});

test('a missing program causes an error that contains the reason', async () => {
  const found = execProvisioner(['/does/not/exist']).find('u-1', call());

  await expect(found).rejects.toThrow(
    'the provisioner failed: /does/not/exist cannot be started: it does not exist',
  );
});

test("a hanging program is ended at its time limit, by the operator's clock", async () => {
  const clock = new FakeClock();
  const note = join(await mkdtemp(join(tmpdir(), 'tunnel-')), 'pid');
  onTestFinished(() => rm(dirname(note), { recursive: true }));
  const words = [process.execPath, PROGRAM, 'hang', note] as const;
  const provisioner = execProvisioner(words, { timeoutMs: 30_000 });

  const found = provisioner.find('u-1', { clock, signal: new AbortController().signal });
  const refused = expect(found).rejects.toThrow('the provisioner did not answer within 30000 ms');
  const pid = Number(await eventually(() => readFile(note, 'utf8')));
  clock.advance(30_000);

  await refused;
  await eventually(() => !isRunning(pid));
  await eventually(() => clock.pending === 0);
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('if the operator stops, a running call ends with the reason for stopping', async () => {
  const stop = new AbortController();
  const url = await served(() => {}); // never answers

  const found = webhookProvisioner(url).find('u-1', { clock: systemClock, signal: stop.signal });
  const refused = expect(found).rejects.toThrow('stopping');
  stop.abort(new Error('stopping'));

  await refused;
});

test('a webhook can find, create and delete hosts', async () => {
  const provider = new FakeProvisioner();
  const server = new ProvisionerServer(provider);
  await server.start();
  onTestFinished(() => server.stop());
  const provisioner = webhookProvisioner(server.url);

  const before = await provisioner.find('u-1', call());
  const made = await provisioner.create(REQUEST, call());
  const found = await provisioner.find('u-1', call());
  await provisioner.remove('u-1', call());

  expect(before).toBeUndefined();
  expect(made).toEqual({ id: 'host-1', status: 'provisioning' });
  expect(found).toEqual({ id: 'host-1', status: 'active', ip: '203.0.113.1' });
  expect(provider.hosts).toEqual([]);
});

test('a webhook that fails, redirects or sends too long a response causes an error', async () => {
  const failing = await served((_, response) => response.writeHead(503).end('<html>'));
  const redirecting = await served((_, response) =>
    response.writeHead(307, { location: 'http://198.51.100.1/' }).end(),
  );
  const flooding = await served((_, response) => response.end('x'.repeat(200_000)));

  const ask = (url: string) => webhookProvisioner(url).create(REQUEST, call());

  await expect(ask(failing)).rejects.toThrow('the provisioner failed: HTTP 503');
  await expect(ask(redirecting)).rejects.toThrow('the provisioner cannot be reached');
  await expect(ask(flooding)).rejects.toThrow('the provisioner answered too much');
});
