/** Hooks are files of a temporary folder. None of them is started: `answers` says what each would print. */
import { chmod, mkdir, mkdtemp, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { FakeClock } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { ConfigurationError } from '../../../operator/core/errors.ts';
import { findHooks } from '../src/discovery/find-hooks.ts';
import {
  type LoadedHooks,
  type LoadHooksOptions,
  loadHookFile,
  loadHooks,
} from '../src/discovery/load-hooks.ts';
import { CRD_NAME, converting } from './support/crontabs.ts';
import { YAML_HERE } from './support/documents.ts';
import { CONFIG_MAPS } from './support/reviewing.ts';

const STARTS = 'configVersion: v1\nonStartup: 1\n';

/** Writes files, executable unless they end in `.off`, which is cut off. */
async function folderOf(files: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'chancery-load-'));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(dir, name.replace(/\.off$/, ''));
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
    await chmod(path, name.endsWith('.off') ? 0o644 : 0o755);
  }
  return dir;
}

type Answer = { readonly stdout?: string; readonly exitCode?: number; readonly stderrEnd?: string };

/** Loads a folder. @param answers - to `--config`, by the hook's name. Default: it runs at the start. */
function load(
  dir: string,
  answers: Readonly<Record<string, Answer>> = {},
  options: Partial<LoadHooksOptions> = {},
): Promise<LoadedHooks> {
  return loadHooks(dir, {
    env: { PATH: '/bin' },
    yaml: YAML_HERE,
    async runProgram({ program }) {
      const answer = answers[program.slice(dir.length + 1)] ?? {};
      return {
        ...NOTHING_USED,
        exitCode: 0,
        stdout: STARTS,
        stderrEnd: '',
        survivors: 0,
        ...answer,
      };
    },
    clock: new FakeClock(),
    signal: new AbortController().signal,
    ...options,
  });
}

const NOTHING_USED = { durationMs: 1, userCpuSeconds: 0, systemCpuSeconds: 0, maxRssBytes: 0 };

const RIGHT = 'rules: [{apiGroups: [apps], resources: [deployments/scale], verbs: [patch]}]';

test('[hooks 21] hidden files, folders named lib and data files are not hooks, and hooks are sorted by path', async () => {
  const dir = await folderOf({
    'b/second.py': '',
    'b.sh': '',
    'a-first': '',
    '.hidden.sh': '',
    '.git/hook.sh': '',
    'lib/library.sh': '',
    'b/lib/library.sh': '',
    'README.md': '',
    'b/notes.txt': '',
    'b/config.json': '',
    'b/second.py.yaml': '',
  });

  const found = await findHooks(dir);

  expect(found.hooks.map(({ name }) => name)).toEqual(['a-first', 'b.sh', 'b/second.py']);
  expect(found.hooks[2]?.path).toBe(join(dir, 'b/second.py'));
  expect(found.broken).toEqual([]);
});

test('[hooks 21] symbolic links in a mounted ConfigMap are followed, even to folders, and its hidden folders are skipped', async () => {
  const dir = await folderOf({
    '..2026_11_02/hook.sh': '',
    '..2026_11_02/deep/other.sh': '',
  });
  await symlink('..2026_11_02', join(dir, '..data'));
  await symlink('..data/hook.sh', join(dir, 'hook.sh'));
  await symlink('..data/deep', join(dir, 'deep'));
  await symlink('.', join(dir, 'itself'));

  const found = await findHooks(dir);

  expect(found.hooks).toEqual([
    { name: 'deep/other.sh', path: join(dir, 'deep/other.sh') },
    { name: 'hook.sh', path: join(dir, 'hook.sh') },
  ]);
});

test('[hooks 21] a file that is not executable makes startup fail, or is only reported if `skipBroken` is set', async () => {
  const dir = await folderOf({ 'a.sh': '', 'b.sh.off': '#!/bin/sh' });
  await symlink('nowhere', join(dir, 'c.sh'));

  await expect(load(dir)).rejects.toThrow('b.sh: is not executable: set its execute bit (chmod +x');
  const { hooks, problems } = await load(dir, {}, { skipBroken: true });
  expect(hooks.map(({ name }) => name)).toEqual(['a.sh']);
  expect(problems.map(({ hook }) => hook)).toEqual(['b.sh', 'c.sh']);
});

test('[found 11] a non-executable file that does not look like a program is a helper, and the hooks start', async () => {
  const dir = await folderOf({
    'hook.sh': '#!/bin/sh',
    'common/functions.sh.off': 'greet() { echo hello; }\n',
    'common/empty.off': '',
    'tool.py.off': '# not #!\n',
    'lib/more.sh.off': '',
  });

  const { hooks, problems, helpers } = await load(dir);

  expect(hooks.map(({ name }) => name)).toEqual(['hook.sh']);
  expect(problems).toEqual([]);
  expect(helpers).toEqual(['common/empty', 'common/functions.sh', 'tool.py']);
});

test.each([
  ['a #! line', { 'b.off': '#!/usr/bin/env python3\n' }],
  ['a byte order mark before its #! line', { 'b.off': '\uFEFF#!/bin/sh\n' }],
  ['the beginning of a program of Linux', { 'b.off': '\x7fELF\x02' }],
  ['a YAML file beside it with its bindings', { 'b.off': 'x', 'b.yaml.off': STARTS }],
])('[found 11] a file without an execute bit and with %s makes startup fail', async (_what, files) => {
  const dir = await folderOf({ 'a.sh': '', ...files });

  await expect(load(dir)).rejects.toThrow('b: is not executable: set its execute bit (chmod +x');
});

test('[found 11] a folder with only helper files has no hooks, and a helper file cannot be loaded as a hook', async () => {
  const dir = await folderOf({ 'functions.sh.off': 'greet() { :; }' });
  const { signal } = new AbortController();
  const options = { env: {}, yaml: YAML_HERE, clock: new FakeClock(), signal };
  const runProgram = () => Promise.reject(new Error('it was started'));

  await expect(load(dir)).rejects.toThrow('has no hooks: expected executable files');
  await expect(loadHookFile(join(dir, 'functions.sh'), { ...options, runProgram })).rejects.toThrow(
    'functions.sh: is not executable: set its execute bit',
  );
});

test('every hook is called with `--config` in the hooks folder, a few at a time, and the hooks keep their order', async () => {
  const names = ['a.sh', 'b.sh', 'c.sh', 'd.sh', 'e.sh', 'f/g.sh'];
  const dir = await folderOf(Object.fromEntries(names.map((name) => [name, ''])));
  const waiting: (() => void)[] = [];
  const seen: unknown[] = [];
  const loading = load(
    dir,
    {},
    {
      timeoutMs: 7,
      runProgram: async ({ program, args, cwd, env, timeoutMs }) => {
        seen.push([program.slice(dir.length + 1), args, cwd, env, timeoutMs]);
        await new Promise<void>((resolve) => waiting.push(resolve));
        return { ...NOTHING_USED, exitCode: 0, stdout: STARTS, stderrEnd: '', survivors: 0 };
      },
    },
  );
  await expect.poll(() => waiting.length).toBe(4);
  const atOnce = seen.length;
  while (seen.length < names.length || waiting.length > 0) {
    waiting.pop()?.();
    await new Promise(setImmediate);
  }

  expect((await loading).hooks.map(({ name }) => name)).toEqual(names);
  expect(atOnce).toBe(4);
  expect(seen[0]).toEqual(['a.sh', ['--config'], dir, { PATH: '/bin' }, 7]);
});

test("the file HOOK.yaml replaces the hook's answer to `--config`", async () => {
  const dir = await folderOf({ 'a.py': '', 'a.py.yaml': STARTS, 'a.yaml': 'not a config' });

  const { hooks } = await load(dir, { 'a.py': { exitCode: 1 } });

  expect(hooks[0]?.config.onStartup).toBe(1);
});

test('[security 48] [found 8] a symbolic link in the hooks folder that leads out of this folder is neither read nor quoted', async () => {
  const elsewhere = await folderOf({ 'token.off': 's3cr3t: [\nxx', 'rules.yaml.off': RIGHT });
  const dir = await folderOf({ 'a.py': '', 'b/c.sh': '', 'd.sh': '' });
  await symlink(join(elsewhere, 'token'), join(dir, 'a.py.yaml'));
  await symlink(join(elsewhere, 'rules.yaml'), join(dir, 'b/c.rights.yaml'));

  const { hooks, problems } = await load(dir, {}, { skipBroken: true });

  const out = 'is a link that leads out of the folder of hooks: put the file itself there';
  expect(hooks.map(({ name }) => name)).toEqual(['d.sh']);
  expect(problems).toEqual([
    { hook: 'a.py', message: `a.py.yaml ${out}` },
    { hook: 'b/c.sh', message: `b/c.rights.yaml ${out}` },
  ]);
  await expect(load(dir)).rejects.toThrow(`a.py: a.py.yaml ${out}`);
});

test('[found 8] a file beside a hook that is too large for a ConfigMap is not read', async () => {
  const dir = await folderOf({ 'a.py': '', 'a.py.yaml': STARTS });
  await truncate(join(dir, 'a.py.yaml'), 2 ** 40); // a hole, which takes no room on the disk

  await expect(load(dir)).rejects.toThrow(
    `a.py: a.py.yaml has ${2 ** 40} bytes, more than 1000000`,
  );
});

test('[found 8] files beside a hook may be symbolic links within the folder, even if the folder itself is a symbolic link', async () => {
  const team = await folderOf({
    '..data/x.sh': '',
    '..data/x.sh.yaml': STARTS,
    '..data/x.rights.yaml': RIGHT,
  });
  const dir = await folderOf({ 'shared/one.yaml': STARTS, 'a.sh': '' });
  await symlink('shared/one.yaml', join(dir, 'a.sh.yaml'));
  for (const name of ['x.sh', 'x.sh.yaml', 'x.rights.yaml']) {
    await symlink(`..data/${name}`, join(team, name));
  }
  await symlink(team, join(dir, 'team'));

  const { hooks } = await load(dir, { 'a.sh': { exitCode: 1 }, 'team/x.sh': { exitCode: 1 } });

  expect(hooks.map(({ name, rights }) => [name, rights?.length])).toEqual([
    ['a.sh', undefined],
    ['team/x.sh', 1],
  ]);
});

test.each<[string, Answer, string]>([
  [
    'fails',
    { exitCode: 3, stderrEnd: 'x\nno module named yaml\n' },
    '--config ended with exit code 3: no module named yaml',
  ],
  ['prints nothing', { stdout: '\n' }, '--config: it is empty'],
  ['prints no YAML', { stdout: 'a: [' }, '--config: it is neither JSON nor YAML, at line 1'],
  ['prints a wrong field', { stdout: `${STARTS}when: 1` }, '--config: when: unknown field'],
])('a hook that %s makes startup fail, or is omitted and reported if `skipBroken` is set', async (_, answer, message) => {
  const dir = await folderOf({ 'a.sh': '', 'b.sh': '' });

  await expect(load(dir, { 'b.sh': answer })).rejects.toThrow(`b.sh: ${message}`);
  const { hooks, problems } = await load(dir, { 'b.sh': answer }, { skipBroken: true });
  expect(hooks.map(({ name }) => name)).toEqual(['a.sh']);
  expect(problems[0]?.message).toContain(message);
});

const asking = (...names: readonly string[]): string =>
  JSON.stringify({
    configVersion: 'v1',
    kubernetesValidating: names.map((name) => ({ name, rules: [CONFIG_MAPS] })),
  });
const converts = (...steps: readonly string[]): string =>
  JSON.stringify({ configVersion: 'v1', ...converting(...steps) });

test.each<[what: string, first: string, second: string, problem: string]>([
  [
    'webhook',
    asking('a.shop.example.com'),
    asking('b.shop.example.com', 'a.shop.example.com'),
    'b.sh: kubernetesValidating[1]: a.sh has the validating webhook a.shop.example.com, too',
  ],
  [
    'conversion',
    converts('v1 v2', 'v2 v1'),
    converts('v2 v3', 'stable.example.com/v2 v1'),
    `b.sh: kubernetesCustomResourceConversion[0]: a.sh has the conversion of ${CRD_NAME} from v2 to v1, too`,
  ],
])('a second hook with the same %s makes startup fail, or is omitted and reported if `skipBroken` is set', async (_, first, second, problem) => {
  const dir = await folderOf({ 'a.sh': '', 'b.sh': '', 'c.sh': '' });
  const answers = { 'a.sh': { stdout: first }, 'b.sh': { stdout: second } };

  await expect(load(dir, answers)).rejects.toThrow(problem);
  const { hooks, problems } = await load(dir, answers, { skipBroken: true });

  expect(hooks.map(({ name }) => name)).toEqual(['a.sh', 'c.sh']);
  expect(problems.map(({ hook }) => hook)).toEqual(['b.sh']);
});

test('a hook that declares the same webhook twice is refused', async () => {
  const dir = await folderOf({ 'a.sh': '' });
  const stdout = asking('a.shop.example.com', 'a.shop.example.com');

  await expect(load(dir, { 'a.sh': { stdout } })).rejects.toThrow(
    'a.sh: kubernetesValidating[1]: a.sh has the validating webhook a.shop.example.com, too',
  );
});

test('a hooks folder that is missing or has no hooks is refused', async () => {
  const dir = await folderOf({ 'README.md': '' });

  await expect(load(dir)).rejects.toThrow('has no hooks');
  await expect(load(join(dir, 'none'))).rejects.toThrow('cannot be read');
});

test("the rights file is named after the hook, with or without the hook's extension", async () => {
  const dir = await folderOf({
    'full.py': '',
    'full.py.rights.yaml': RIGHT,
    'short.py': '',
    'short.rights.yaml': RIGHT,
    'sub.d/none.py': '',
  });

  const { hooks } = await load(dir);

  const right = { apiGroups: ['apps'], resources: ['deployments/scale'], verbs: ['patch'] };
  expect(hooks.map(({ rights }) => rights)).toEqual([[right], [right], undefined]);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  [
    'two files',
    { 'a.py': '', 'a.py.rights.yaml': RIGHT, 'a.rights.yaml': RIGHT },
    'a.py: has two rights files',
  ],
  [
    'a shared file',
    { 'a.py': '', 'a.sh': '', 'a.rights.yaml': RIGHT },
    'a.py: a.rights.yaml could also be that of a.sh: name it a.py.rights.yaml',
  ],
  [
    'a wildcard',
    { 'a.py': '', 'a.rights.yaml': RIGHT.replace('apps', "'*'") },
    'a.py: a.rights.yaml: rules[0].apiGroups: a wildcard is refused',
  ],
  [
    'an unknown verb',
    { 'a.py': '', 'a.rights.yaml': RIGHT.replace('patch', 'escalate') },
    'rules[0].verbs[0]: expected get, list',
  ],
  [
    '[found 14] the verb bind for a resource that is not a role',
    { 'a.py': '', 'a.rights.yaml': RIGHT.replace('patch', 'bind') },
    'rules[0].verbs: bind is checked of roles.rbac.authorization.k8s.io and clusterroles',
  ],
  ['no rules', { 'a.py': '', 'a.rights.yaml': '{}' }, 'a.py: a.rights.yaml: rules: is required'],
  [
    'a kind in place of a resource',
    { 'a.py': '', 'a.rights.yaml': RIGHT.replace('deployments', 'Deployment') },
    'expected plural names such as deployments',
  ],
])('a rights file with %s is refused', async (_, files, message) => {
  await expect(load(await folderOf(files))).rejects.toThrow(message);
});

test('a rights file without a hook is reported as a problem', async () => {
  const dir = await folderOf({ 'sub.d/a.sh': '', 'sub.rights.yaml': RIGHT });

  await expect(load(dir)).rejects.toThrow('sub.rights.yaml: is the rights file of no hook');
});

test('if loading is aborted, the reason of the abort is thrown, and no problem of a hook is reported', async () => {
  const dir = await folderOf({ 'a.sh': '' });
  const stop = new AbortController();
  const runProgram: LoadHooksOptions['runProgram'] = async ({ signal }) => {
    stop.abort(new ConfigurationError('stopped'));
    throw signal.reason;
  };

  const loading = load(dir, {}, { runProgram, signal: stop.signal, skipBroken: true });

  await expect(loading).rejects.toThrow('stopped');
});
