/** What the README tells people to type and to write, taken from its text and run. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test } from 'vitest';
import { ApiServer } from '../../operator/testing/apiserver/api-server.ts';
import { eventually } from '../../operator/testing/eventually.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const readme = readFileSync(join(root, 'README.md'), 'utf8');
const packageJson = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
  bin: Record<string, string>;
};

/** The fenced code of a section, block by block. */
function fencedIn(heading: string): string[] {
  const section = readme.split(/^## /m).find((text) => text.startsWith(heading)) ?? '';
  return [...section.matchAll(/^```\w*\n(.*?)^```/gms)].map(([, code]) => code ?? '');
}

/** A folder in which `chancery` is a command, as after an installation. */
function folderWithChancery(): string {
  const folder = mkdtempSync(join(tmpdir(), 'chancery-readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, packageJson.bin.chancery ?? ''), join(folder, 'chancery'));
  return folder;
}

interface Running {
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly child: ChildProcess;
}

/** A command line under `sh`, in a process group of its own so that its end ends all of it. */
function shell(script: string, env: Record<string, string | undefined> = {}): Running {
  const child = spawn('sh', ['-c', script], {
    cwd: root,
    detached: true,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => stdout.push(line));
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return;
    const gone = once(child, 'exit');
    process.kill(-child.pid, 'SIGKILL');
    await gone;
  });
  return { stdout, stderr, child };
}

/** PATH with `folder` first, and the Node that runs the tests before any other. */
const pathWith = (folder: string): string =>
  [folder, dirname(process.execPath), process.env.PATH].join(':');

test('every npm script that a document names exists', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'docs/dependencies.md'];
  const text = documents.map((file) => readFileSync(join(root, file), 'utf8')).join('\n');
  const named = [...text.matchAll(/npm (?:run )?(start|test|(?<=run )[\w:]+)/g)].map(
    ([, name]) => name,
  );

  expect(new Set(named).size).toBeGreaterThan(3);
  expect(named.filter((name) => packageJson.scripts[name ?? ''] === undefined)).toEqual([]);
});

test('the operator of the README runs as it stands there', async () => {
  const server = await ApiServer.start();
  onTestFinished(() => server.close());
  const [code = ''] = fencedIn('Write an operator');
  const folder = folderWithChancery();
  writeFileSync(join(folder, 'greeter.ts'), code);
  server.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', namespace: 'default', labels: { greet: 'yes' } },
  });

  shell('exec chancery run greeter.ts'.replace('greeter.ts', join(folder, 'greeter.ts')), {
    PATH: pathWith(folder),
    CHANCERY_API_URL: server.url,
    CHANCERY_HEALTH_PORT: '0',
    CHANCERY_METRICS_PORT: '0',
  });

  await eventually(() => {
    expect(server.get('v1', 'ConfigMap', 'default', 'a')).toMatchObject({
      data: { greeting: 'hello' },
    });
    return true;
  });
});

test('the test of the README passes as it stands there', { timeout: 60_000 }, async () => {
  const [greeter = '', itsTest = ''] = fencedIn('Write an operator');
  // Beside the toolkit's own tests, where its name and the runner are found.
  const folder = mkdtempSync(join(root, 'test', '.readme-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'greeter.ts'), greeter);
  writeFileSync(join(folder, 'greeter.test.ts'), itsTest);

  const { child, stdout } = shell(`exec node node_modules/vitest/vitest.mjs run ${folder}`, {
    PATH: pathWith(folder),
    NO_COLOR: '1',
  });
  const [code] = await once(child, 'close');

  expect({ code, stdout: stdout.join('\n') }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/Tests +1 passed/),
  });
});
