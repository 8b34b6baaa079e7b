/**
 * The sixty-line operator, tried with the commands that stand in its README.
 *
 * @module-tag kubectl
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { eventually } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { pathOf } from '../tools/tools.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const commandsIn = (document: string): readonly string[] =>
  document
    .split('\n')
    .flatMap((line) => (/^ {4}(?=npm |CHANCERY|kubectl )/.test(line) ? line.trim() : []));

const commands = commandsIn(read('examples/website/README.md'));

/** A folder in which `kubectl` is the real one, and the Node that runs the tests comes first. */
function environment(): NodeJS.ProcessEnv {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-website-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(pathOf('kubectl'), join(folder, 'kubectl'));
  const PATH = [folder, dirname(process.execPath), process.env.PATH].join(':');
  return { ...process.env, PATH, HOME: folder, KUBECONFIG: '/dev/null', CHANCERY_HEALTH_PORT: '0' };
}

/** In a process group of its own, so that its end ends all of it. */
function shell(
  script: string,
  env: NodeJS.ProcessEnv,
): ChildProcess & { stdout: NodeJS.ReadableStream } {
  const child = spawn('sh', ['-c', script], {
    cwd: root,
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  return child as ChildProcess & { stdout: NodeJS.ReadableStream };
}

test('the commands in the website README serve, change and delete a Website', {
  timeout: 120_000,
}, async () => {
  const env = environment();
  const [
    serve = '',
    run = '',
    apply = '',
    get = '',
    patch = '',
    describe = '',
    remove = '',
    look = '',
  ] = commands;
  expect(commands).toHaveLength(8);
  const server = shell(`${serve} --port 0`, env);
  let said = '';
  server.stdout.on('data', (chunk) => {
    said += chunk;
  });
  const url = await eventually(() => /http:\/\/127\.0\.0\.1:\d+/.exec(said)?.[0], {
    timeoutMs: 30_000,
  });
  const at = (command: string): string => command.replaceAll('http://127.0.0.1:8080', url);
  const kubectl = async (command: string): Promise<string> => {
    const child = shell(at(command), env);
    const [out, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
    expect({ command, code }).toEqual({ command, code: 0 });
    return out;
  };
  const shown = (command: string, ...wanted: readonly RegExp[]): Promise<string> =>
    eventually(
      async () => {
        const out = await kubectl(command);
        for (const each of wanted) expect(out).toMatch(each);
        return out;
      },
      { timeoutMs: 60_000 },
    );
  shell(at(run), env);

  await kubectl(apply);
  await shown(
    get,
    /website\.example\.dev\/hello +2/,
    /deployment\.apps\/hello +2\/2/,
    /(1\/1 +Running\s[\s\S]*){2}/,
  );
  await kubectl(patch);
  await shown(describe, /Observed Generation: +2/, /3 of 3 replicas are ready/, /Normal +Ready/);
  await kubectl(remove);
  const left = await eventually(
    async () => ((await kubectl(look)).trim() === '' ? 'nothing' : undefined),
    { timeoutMs: 30_000 },
  );

  expect(left).toBe('nothing');
});
