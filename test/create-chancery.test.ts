/** The package create-chancery: what its build makes, and that it writes what `chancery init` writes. */
import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { invoke } from './cli/invocation.ts';
import { done, textsBelow } from './scaffold/support/project.ts';

const run = promisify(execFile);
const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));
const BUILD_TIMEOUT_MS = 120_000;

let built = '';

beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'create-chancery-'));
  await run(process.execPath, ['build/main.ts', '--out-dir', built, 'create-chancery'], {
    cwd: REPOSITORY,
  });
}, BUILD_TIMEOUT_MS);

afterAll(() => rm(built, { recursive: true, force: true }));

interface Ended {
  readonly code?: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built command in an empty folder. */
async function create(...args: readonly string[]): Promise<Ended & { readonly folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-created-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const script = join(built, 'create-chancery.js');
  const ended: Ended = await run(process.execPath, [script, ...args], { cwd: folder }).catch(
    (error: Ended) => error,
  );
  return { folder, ...ended };
}

test('[S-4] the package create-chancery is one file that imports only modules of Node', async () => {
  const text = await readFile(join(built, 'create-chancery.js'), 'utf8');
  const manifest = JSON.parse(
    await readFile(join(REPOSITORY, 'create-chancery/package.json'), 'utf8'),
  );

  // Texts in it, such as templates, are on lines that begin with something else.
  const imported = [...text.matchAll(/^import .*["']([^"']+)["'];$/gm)].map(([, from]) => from);
  expect(imported).toContain('node:fs/promises');
  expect(imported.filter((from) => !from?.startsWith('node:'))).toEqual([]);
  expect(await readdir(built)).toEqual(['create-chancery.js']);
  expect(text.split('\n', 1)).toEqual(['#!/usr/bin/env node']);
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) {
    expect(manifest).not.toHaveProperty(kind);
  }
});

test.each([
  'custom-resource',
  'built-in',
  'composite',
])('[S-4] create-chancery writes the same files as `chancery init --template %s`', async (template) => {
  const other = await mkdtemp(join(tmpdir(), 'chancery-created-'));
  onTestFinished(() => rm(other, { recursive: true }));

  const { folder, stdout, stderr } = await create('demo', '--template', template);
  await done(invoke(['init', join(other, 'demo'), '--template', template]));

  expect(textsBelow(join(folder, 'demo'))).toEqual(textsBelow(join(other, 'demo')));
  expect(stdout.split('\n')).toContain('written demo/package.json');
  expect(stderr).toContain('  cd demo\n');
});

test('create-chancery prints a help text, and answers wrong arguments with one line and exit code 2', async () => {
  const [bare, help, wrong] = [await create(), await create('--help'), await create('Demo')];

  expect(bare).toMatchObject({ code: 2, stdout: '', stderr: help?.stdout });
  expect(help?.stdout).toContain('npm create chancery demo');
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong?.stderr).toMatch(/^create-chancery: NAME must be [^\n]*\n$/);
});

test.each([
  ['--from', '../shop'],
  ['--from-crd=crd.yaml'],
])('for %s, create-chancery says that only `chancery init` accepts this option', async (...args) => {
  const script = join(built, 'create-chancery.js');
  const refused = await run(process.execPath, [script, 'demo', ...args]).catch(
    (error: { readonly code: number; readonly stderr: string }) => error,
  );

  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/^create-chancery: --from .* npx chancery init [^\n]*\n$/);
});
