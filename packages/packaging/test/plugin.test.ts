/** `chancery plugin`: the process that kubebuilder starts, and its installation. */
import { execFile, spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import type { Io } from '../../../operator/cli/command.ts';
import { BIN, folderWith } from '../../../test/cli/child.ts';
import { Collector } from '../../../test/cli/collector.ts';
import { type Invocation, invoke } from '../../../test/cli/invocation.ts';
import { installPlugin } from '../src/plugin/install.ts';

const run = promisify(execFile);

/** Another plugin in the folder where kubebuilder looks. */
function foreignPlugin(root: string): string {
  const folder = join(root, 'other/v1');
  mkdirSync(folder, { recursive: true });
  const path = join(folder, 'other.sh');
  writeFileSync(path, '#!/bin/sh\n', { mode: 0o755 });
  return path;
}

function install(dir: string, env: Readonly<Record<string, string>> = {}): Invocation {
  return invoke(['plugin', 'install', '--dir', dir], { env });
}

function ioOf(env: Readonly<Record<string, string>>): Io & { readonly stdout: Collector } {
  return {
    ...{ stdin: process.stdin, stdout: new Collector(), stderr: new Collector(), env },
    ...{
      signal: new AbortController().signal,
      exitWithin: () => {},
      saveMemory: () => {},
      exitWithParent: () => {},
    },
  };
}

test('`install` writes one executable, which starts the plugin', async () => {
  const root = join(folderWith({}), `it's "my" $HOME`);

  const { exit, stdout, stderr } = install(root);

  expect(await exit).toBe(0);
  const path = join(root, 'chancery.dev/v1/chancery.dev');
  expect(stdout.lines).toEqual([`written ${path}`]);
  expect(readdirSync(root, { recursive: true })).toEqual([
    'chancery.dev',
    'chancery.dev/v1',
    'chancery.dev/v1/chancery.dev',
  ]);
  expect(statSync(path).mode & 0o777).toBe(0o755);
  const shell = `'${root.replace("'", "'\\''")}`;
  expect(stderr.lines).toEqual([
    `chancery plugin: next, in a project: EXTERNAL_PLUGINS_PATH=${shell}' kubebuilder edit --plugins chancery.dev/v1`,
    `chancery plugin: to remove it: rm -r ${shell}/chancery.dev'`,
  ]);
  const child = run(path, []);
  child.child.stdin?.end('{"apiVersion":"v1alpha1","command":"flags","args":["--edit"]}');
  expect(JSON.parse((await child).stdout)).toMatchObject({
    command: 'flags',
    flags: [{}, {}, {}, {}],
  });
});

test.each([
  ['', 'nothing was on stdin'],
  ['{"apiVersion":"v1alpha1","command":"metadata","args":["--api"]} {}', '"{" follows the request'],
])('[scaffolding 14] the plugin answers the request %j with an error, and exits with 0', async (stdin, message) => {
  const child = run(process.execPath, [BIN, 'plugin', 'kubebuilder']);
  child.child.stdin?.end(stdin);

  const { stdout, stderr } = await child; // rejects for another exit code

  const { error, errorMsgs } = JSON.parse(stdout);
  expect({ error, errorMsgs, stderr }).toEqual({
    ...{ error: true, stderr: '' },
    errorMsgs: [expect.stringContaining(message)],
  });
});

test('requests for flags and metadata are answered without loading the rest of the plugin', async () => {
  const tracer = `data:text/javascript,import { registerHooks } from 'node:module';
    registerHooks({ load: (url, context, next) => (console.error(url), next(url, context)) });`;
  const node = [`--import=${tracer}`, BIN, 'plugin', 'kubebuilder'];
  const child = run(process.execPath, node);
  child.child.stdin?.end('{"apiVersion":"v1alpha1","command":"metadata","args":["--edit"]}');

  const { stdout, stderr } = await child;

  expect(JSON.parse(stdout).metadata.description).toContain('ambassador');
  const loaded = stderr
    .split('\n')
    .flatMap((url) => /\/((?:operator|packages)\/.*)$/.exec(url)?.[1] ?? []);
  expect(loaded.sort()).toEqual([
    'operator/cli/chancery.js',
    'operator/cli/loading/load-package.ts',
    'operator/cli/loading/toolkit-hooks.ts',
    'operator/cli/plugin/main.ts',
    'operator/core/errors.ts',
    'operator/core/text/visible-text.ts',
    'operator/core/version.ts',
    'packages/packaging/src/kubebuilder/defined-flags.ts',
    'packages/packaging/src/kubebuilder/metadata.ts',
    'packages/packaging/src/kubebuilder/protocol.ts',
    'packages/packaging/src/kubebuilder/self-description.ts',
    'packages/packaging/src/plugin/main.ts',
    'packages/packaging/src/plugin/own-stdout.ts',
  ]);
});

test('a second installation changes nothing, and an installation of another version replaces the first', async () => {
  const root = folderWith({});
  await install(root).exit;
  const path = join(root, 'chancery.dev/v1/chancery.dev');
  const written = readFileSync(path, 'utf8');

  const same = install(root);
  expect(await same.exit).toBe(0);
  expect(same.stdout.lines).toEqual([`unchanged ${path}`]);
  writeFileSync(path, written.replace('chancery.js', 'chancery-older.js'));
  chmodSync(path, 0o644);
  const newer = install(root);
  expect(await newer.exit).toBe(0);

  expect(readFileSync(path, 'utf8')).toBe(written);
  expect(statSync(path).mode & 0o777).toBe(0o755);
});

test("other plugins stay unchanged, and so does a foreign file with the plugin's name", async () => {
  const root = folderWith({});
  const foreign = foreignPlugin(root);
  mkdirSync(join(root, 'chancery.dev/v1'), { recursive: true });
  const path = join(root, 'chancery.dev/v1/chancery.dev');
  writeFileSync(path, '#!/bin/sh\necho mine\n');

  const { exit, stdout, stderr } = install(root);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    `chancery plugin: ${path} was not written by chancery plugin install, so it stays; move it away`,
  ]);
  expect(readFileSync(path, 'utf8')).toBe('#!/bin/sh\necho mine\n');
  expect(readFileSync(foreign, 'utf8')).toBe('#!/bin/sh\n');
});

test('`install` reports every file that makes kubebuilder fail', async () => {
  const root = folderWith({ 'notes.txt': 'no folder, so it is ignored' });
  chmodSync(foreignPlugin(root), 0o644);
  mkdirSync(join(root, 'third.dev/latest'), { recursive: true });
  writeFileSync(join(root, 'third.dev/latest/third.dev'), '', { mode: 0o755 });
  writeFileSync(join(root, 'third.dev/latest/.DS_Store'), '');
  mkdirSync(join(root, 'link.dev/v1'), { recursive: true });
  symlinkSync('gone', join(root, 'link.dev/v1/link.dev')); // kubebuilder does not follow it

  const { exit, stderr } = install(root, { EXTERNAL_PLUGINS_PATH: root });

  expect(await exit).toBe(0);
  expect(stderr.lines.map((line) => line.replaceAll(root, ''))).toEqual([
    'chancery plugin: kubebuilder refuses to start because /other/v1/other.sh is not executable',
    'chancery plugin: kubebuilder refuses to start because of /third.dev/latest/.DS_Store',
    'chancery plugin: kubebuilder refuses to start because /third.dev/latest is not named like a version',
    'chancery plugin: next, in a project: kubebuilder edit --plugins chancery.dev/v1',
    "chancery plugin: to remove it: rm -r '/chancery.dev'",
  ]);
});

test('an installation into a folder that is not writable writes no files', async () => {
  const root = folderWith({ 'chancery.dev': 'a file where the folder of the plugin must be' });

  const { exit, stderr } = install(root);

  expect(await exit).toBe(1);
  expect(stderr.lines[0]).toContain('chancery plugin: nothing was written: ');
  expect(readdirSync(root)).toEqual(['chancery.dev']);
});

test('the plugin is installed where kubebuilder searches for plugins', async () => {
  const home = folderWith({});
  const placed = async (
    platform: NodeJS.Platform,
    env: Readonly<Record<string, string>>,
  ): Promise<string> => {
    const io = ioOf(env);
    await installPlugin({ dir: undefined, platform, home, script: "/it's here/c.js" }, io);
    return (io.stdout.lines[0] ?? '').replace(home, '~');
  };
  const own = join(home, 'own');

  const found = [
    await placed('linux', {}),
    await placed('darwin', {}),
    await placed('linux', { XDG_CONFIG_HOME: join(home, 'xdg') }),
    await placed('linux', { XDG_CONFIG_HOME: join(home, 'xdg'), EXTERNAL_PLUGINS_PATH: own }),
  ];

  expect(found).toEqual([
    'written ~/.config/kubebuilder/plugins/chancery.dev/v1/chancery.dev',
    'written ~/Library/Application Support/kubebuilder/plugins/chancery.dev/v1/chancery.dev',
    'written ~/xdg/kubebuilder/plugins/chancery.dev/v1/chancery.dev',
    'written ~/own/chancery.dev/v1/chancery.dev',
  ]);
  expect(readFileSync(join(own, 'chancery.dev/v1/chancery.dev'), 'utf8')).toContain(
    "'/it'\\''s here/c.js' plugin kubebuilder\n",
  );
  const executable = run(join(own, 'chancery.dev/v1/chancery.dev'), []);
  await expect(executable).rejects.toMatchObject({
    code: 1,
    stdout: '',
    stderr: 'chancery.dev: Node or chancery has moved: run chancery plugin install again\n',
  });
});

test.each([
  undefined,
  '/plugins',
])('on Windows the installation is refused, even with --dir %s', async (dir) => {
  const io = ioOf({ EXTERNAL_PLUGINS_PATH: '/plugins' });

  const installing = installPlugin({ dir, platform: 'win32' }, io);

  await expect(installing).rejects.toThrow('no external plugins on win32: run it in Linux');
});

test.each([
  '/home/me/.npm/_npx/c0ffee/node_modules/chancery/operator/cli/chancery.js',
  '/home/me/.cache/pnpm/dlx/c0ffee/1/node_modules/chancery/operator/cli/chancery.js',
  '/tmp/xfs-1/dlx-77/node_modules/chancery/operator/cli/chancery.js',
])('a temporary copy of the command (%s) cannot be installed as the plugin', async (script) => {
  const root = folderWith({});

  await expect(installPlugin({ dir: root, script }, ioOf({}))).rejects.toThrow(
    'a cache that does not',
  );

  expect(existsSync(join(root, 'chancery.dev'))).toBe(false);
});

test.each([
  [['plugin', 'helm'], 'expected kubebuilder or install; got "helm"'],
  [['plugin', 'install', 'x'], 'expected kubebuilder or install; got "install" "x"'],
  [['plugin', 'kubebuilder', '--dir', 'x'], '--dir is for install only'],
])('the arguments %j are refused', async (args, message) => {
  const { exit, stdout, stderr } = invoke(args);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines[0]).toContain(message);
});

const MIB = 1024 * 1024;

/** What kubebuilder sends of a folder with 30 MB of junk: a byte that is no UTF-8 arrives as six. */
function* junk(): Generator<string | Buffer> {
  yield '{"apiVersion":"v1alpha1","command":"init","pluginChain":["chancery.dev/v1"],"universe":{"a":""';
  const binary = Buffer.from(`${'\\ufffdELF'.repeat(255)}\\"`.repeat(MIB / 1024));
  for (let at = 0; at < 18; at++) yield* [`,"bin/tool-${at}":"`, binary, '"'];
  for (let at = 0; at < 6; at++) yield* [`,".git/objects/${at}":"`, binary, '\\\\"'];
  const source = 'x'.repeat(1024);
  for (let at = 0; at < 6_000; at++) yield `,"node_modules/p${at}/package.json":"${source}"`;
  yield ',"docs/logo.png":"\\u0000"},"args":["--domain","example.com"],"config":{"version":"3"}}\n';
}

test("[scaffolding 11] [scaffolding 13] a request with 30 MB of junk gets one answer with only the plugin's own files, and needs little memory", async () => {
  const preload = join(
    folderWith({
      'noisy.mjs':
        "console.log('before'); process.stdin.on('end', () => console.log('while it works'));\n" +
        "process.on('exit', () => console.log('at its end'));\n" +
        "process.on('exit', () => console.error(process.resourceUsage().maxRSS));\n",
    }),
    'noisy.mjs',
  );
  const child = spawn(process.execPath, [BIN, 'plugin', 'kubebuilder'], {
    env: {
      ...{ PATH: process.env.PATH, DEBUG: '*', NODE_DEBUG: 'module,net' },
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
      NODE_OPTIONS: `--trace-warnings --trace-deprecation --import=${preload}`,
    },
  });
  const [stdout, stderr] = [child.stdout.pipe(new Collector()), child.stderr.pipe(new Collector())];
  const ended = new Promise((resolve) => child.once('close', resolve));

  for (const part of junk()) {
    if (!child.stdin.write(part))
      await new Promise((resolve) => child.stdin.once('drain', resolve));
  }
  child.stdin.end();

  expect(await ended).toBe(0);
  // What the preloaded module prints before the command begins cannot be helped.
  const [before, ...own] = stdout.lines;
  expect(before).toBe('before');
  expect(own).toHaveLength(1);
  const { universe } = JSON.parse(own[0] ?? '');
  expect(Object.keys(universe)).toContain('src/operator.ts');
  expect(
    Object.keys(universe).filter((path) => /^(?:bin|docs|\.git|node_modules)\//.test(path)),
  ).toEqual([]);
  expect(stderr.lines).toEqual(expect.arrayContaining(['while it works', 'at its end']));
  const kib = Number(stderr.lines.at(-1));
  expect(kib).toBeGreaterThan(10 * 1024);
  expect(kib).toBeLessThan(250 * 1024);
});
