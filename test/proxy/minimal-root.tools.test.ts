/**
 * Every `kubectl proxy` here with nothing but itself and its credentials, as the image runs it.
 *
 * @module-tag kubectl
 * @module-tag strace
 * @module-tag unshare
 * @module-tag setpriv
 */
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { describe, expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';
import { type BareRoot, bareRoot, NO_BARE_ROOT, UID } from './support/bare-root.ts';
import { answer, openH2Upstream } from './support/h2-upstream.ts';
import { serving } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { filesOpenForWriting } from './support/open-files.ts';
import { send } from './support/send.ts';
import { shared } from './support/shared.ts';

const TOKEN = 'token-of-the-service-account';

const upstream = shared(() => openH2Upstream(({ stream }) => answer(stream, 200, {})));

/** What a Pod's environment says, and no more. */
function pod(): readonly string[] {
  const { hostname, port } = new URL(upstream().url);
  return [`KUBERNETES_SERVICE_HOST=${hostname}`, `KUBERNETES_SERVICE_PORT=${port}`];
}

function fieldsOf(pid: number, file: string): Readonly<Record<string, string>> {
  const lines = readFileSync(`/proc/${pid}/${file}`, 'utf8').split('\n');
  return Object.fromEntries(lines.map((line) => line.split(/:\s+/, 2)));
}

if (NO_BARE_ROOT !== '') {
  test('proxy 39: proxy 41: kubectl proxy in an empty root', ({ skip }) => skip(NO_BARE_ROOT));
}

describe.each(NO_BARE_ROOT === '' ? KUBECTLS : [])('kubectl $name', (kubectl) => {
  const root = shared<BareRoot>(async () =>
    bareRoot(kubectl, { ca: upstream().authority, token: TOKEN }),
  );
  const proxy = shared(() => {
    const [command, ...words] = root().command(pod(), 'proxy', '--port=0');
    return serving(command, words, { PATH: process.env.PATH ?? '' });
  });
  const pid = (): number => proxy().process.pid ?? 0;

  test('proxy 39: kubectl proxy in an empty root filesystem reaches the API server with TLS and its token', async () => {
    const { status } = await send(proxy().url, 'GET', '/version');

    expect(status).toBe(200);
    expect(upstream().requests.map(({ headers }) => headers.authorization)).toEqual([
      `Bearer ${TOKEN}`,
    ]);
    expect(proxy().log()).toBe('');
  });

  test('proxy 39: the root filesystem has nothing but kubectl and its credentials, and is read-only', () => {
    const found = readdirSync(`/proc/${pid()}/root`, { recursive: true, encoding: 'utf8' });
    const [mount] = readFileSync(`/proc/${pid()}/mountinfo`, 'utf8')
      .split('\n')
      .map((line) => line.split(' '))
      .filter(([, , , , path]) => path === '/');

    const secrets = 'var/run/secrets/kubernetes.io/serviceaccount';
    expect(found.filter((path) => !secrets.startsWith(path)).sort()).toEqual([
      'kubectl',
      `${secrets}/ca.crt`,
      `${secrets}/token`,
    ]);
    expect(mount?.[5]?.split(',')).toContain('ro');
  });

  test('proxy 39: kubectl proxy has no capabilities, can gain none, and its environment has only the address of the API server', () => {
    const { Uid, Gid, Groups, CapInh, CapPrm, CapEff, CapAmb, NoNewPrivs } = fieldsOf(
      pid(),
      'status',
    );
    const environment = readFileSync(`/proc/${pid()}/environ`, 'utf8').split('\0');

    const ids = Array(4).fill(UID).join('\t');
    const none = '0'.repeat(16);
    expect({ Uid, Gid, Groups: Groups?.trim() }).toEqual({ Uid: ids, Gid: ids, Groups: '' });
    expect([CapInh, CapPrm, CapEff, CapAmb]).toEqual([none, none, none, none]);
    expect(NoNewPrivs).toBe('1');
    expect(environment.filter((word) => word !== '')).toEqual(pod());
  });

  test('proxy 41: kubectl proxy keeps no file open for writing', async () => {
    await send(proxy().url, 'GET', '/version');

    expect(filesOpenForWriting(pid())).toEqual([]);
  });

  test('proxy 41: kubectl proxy never opens a file for writing, not even for a moment', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const trace = join(folder, 'trace');
    const calls = 'trace=execve,open,openat,openat2,creat';
    const strace = ['-f', '-qq', '-s', '256', '-e', calls, '-o', trace];
    const words = [...strace, ...root().command(pod(), 'proxy', '--port=0')];
    const traced = await serving(pathOf('strace'), words, { PATH: process.env.PATH ?? '' });
    const ended = once(traced.process, 'close');

    const { status } = await send(traced.url, 'GET', '/version');
    process.kill(childOf(traced.process.pid ?? 0));
    await ended;

    expect(status).toBe(200);
    const [, after = ''] = readFileSync(trace, 'utf8').split('execve("/kubectl"');
    expect(after).toContain('serviceaccount/token", O_RDONLY');
    expect(
      after.split('\n').filter((line) => /O_WRONLY|O_RDWR|O_CREAT|creat\(/.test(line)),
    ).toEqual([]);
  });
});

/** strace's own child: kubectl, after it has become several other programs. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim());
}
