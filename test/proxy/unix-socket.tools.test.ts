/**
 * An ambassador that listens on a unix socket, as every `kubectl proxy` here does.
 *
 * @module-tag kubectl
 */
import { execFile } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { request, transportTo } from '../transport/raw-server.ts';
import { end, type KubectlProcess, serving, untilTestEnds } from './support/kubectl-process.ts';
import { KUBECTLS } from './support/kubectls.ts';
import { run } from './support/run-kubectl.ts';
import { shared } from './support/shared.ts';
import { openUpstream, startUpstream } from './support/upstream.ts';

/** Only root may act as somebody else. */
const IS_ROOT = process.getuid?.() === 0;
const NOBODY = 65_534;

const DIAL = `
  const socket = require('node:net').connect(process.argv[1]);
  socket.on('connect', () => { console.log('connected'); process.exit(); });
  socket.on('error', ({ code }) => { console.log(code); process.exit(); });
`;

function socketPath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return join(folder, 'proxy.sock');
}

/** What becomes of a connection that this user makes. */
async function dial(path: string): Promise<string> {
  const socket = connect(path);
  onTestFinished(() => {
    socket.destroy();
  });
  return new Promise((resolve) => {
    socket.on('connect', () => resolve('connected'));
    socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code ?? ''));
  });
}

/** The same of one that another user makes. */
async function dialAs(uid: number, path: string): Promise<string> {
  return new Promise((resolve) => {
    const child = [process.execPath, ['-e', DIAL, path], { uid, gid: uid }] as const;
    execFile(...child, (_error, stdout) => resolve(stdout.trim()));
  });
}

describe.each(KUBECTLS)('kubectl $name', (kubectl) => {
  /** Without `--port`: it and a socket exclude each other. */
  const listen = async (path: string) => {
    const upstream = await startUpstream();
    const flags = [`--server=${upstream.url}`, `--unix-socket=${path}`];
    const proxy = await untilTestEnds<KubectlProcess>(serving(kubectl.path, ['proxy', ...flags]));
    return { upstream, ...proxy };
  };

  describe('with one socket for several tests', () => {
    const upstream = shared(openUpstream);
    const folder = shared(async () => {
      const path = mkdtempSync(join(tmpdir(), 'chancery-'));
      chmodSync(path, 0o755); // lets everybody in: the socket itself does not
      return { path, stop: async () => rmSync(path, { recursive: true }) };
    });
    const pathOf = () => join(folder().path, 'proxy.sock');
    const proxy = shared(() =>
      serving(kubectl.path, ['proxy', `--server=${upstream().url}`, `--unix-socket=${pathOf()}`]),
    );

    test('[P-2] proxy 38: calls and watches work over a unix socket, with a Host that the filter accepts', async () => {
      const transport = transportTo(`unix:${pathOf()}`);

      const call = await transport.send(request());
      const watch = await transport.send(request({ purpose: 'watch', path: '/watch' }));

      expect(proxy().serves).toBe(pathOf());
      expect([await text(call.body), await text(watch.body)]).toEqual(['{}', '{}']);
      expect(upstream().seen).toEqual(['GET /version', 'GET /watch']);
    });

    test(`[security 8] proxy 38: the socket has mode 700${IS_ROOT ? ', and another user cannot connect' : ' (only root can try to connect as another user)'}`, async () => {
      const { mode } = statSync(pathOf());

      expect((mode & 0o777).toString(8)).toBe('700');
      expect(await dial(pathOf())).toBe('connected');
      if (IS_ROOT) expect(await dialAs(NOBODY, pathOf())).toBe('EACCES');
    });
  });

  test('proxy 38: a new kubectl proxy replaces the socket that a crash left, and the next call succeeds', async () => {
    const path = socketPath();
    const first = await listen(path);
    const transport = transportTo(`unix:${path}`);
    await text((await transport.send(request())).body);
    await end(first.process, 'SIGKILL');
    const meanwhile = await transport.send(request()).catch((error: unknown) => error);

    const second = await listen(path);
    await transport.send(request());

    expect(meanwhile).toMatchObject({
      code: 'AMBASSADOR_UNREACHABLE',
      fate: 'not-sent',
      context: { cause: 'ECONNREFUSED' },
    });
    expect(second.upstream.seen).toEqual(['GET /version']);
  });

  test('proxy 38: kubectl proxy leaves its socket behind after SIGTERM', async () => {
    const path = socketPath();
    const { process: proxy } = await listen(path);

    await end(proxy, 'SIGTERM');

    expect(existsSync(path)).toBe(true);
    expect(await dial(path)).toBe('ECONNREFUSED');
  });

  test('proxy 38: kubectl proxy does not replace a file at the path of its socket, and refuses --port with --unix-socket', async () => {
    const path = socketPath();
    writeFileSync(path, 'mine');

    await expect(listen(path)).rejects.toThrow(/address already in use/);
    const both = await run([kubectl.path, 'proxy', '--port=0', `--unix-socket=${path}`]);

    expect(readFileSync(path, 'utf8')).toBe('mine');
    expect(both).toMatchObject({
      exitCode: 1,
      stderr: expect.stringContaining('cannot set --unix-socket and --port at the same time'),
    });
  });

  test('proxy 38: canary: a second kubectl proxy takes over the socket of a running one, and logs nothing', async () => {
    const path = socketPath();
    const first = await listen(path);
    const second = await listen(path);

    await transportTo(`unix:${path}`).send(request());

    expect(first.upstream.seen).toEqual([]);
    expect(second.upstream.seen).toEqual(['GET /version']);
    expect(second.log()).toBe('');
  });
});
