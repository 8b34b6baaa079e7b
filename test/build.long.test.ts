/** What `npm run build` makes, as a package that is installed: what it loads when, and that it is whole. */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as source from '../operator/index.ts';
import { lockedPackages } from './images/support/locked-packages.ts';
import { type InstalledPackages, installPackages } from './support/installed-packages.ts';
import { type LoadedModules, loadedModules, outputOf } from './support/loaded-modules.ts';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../', import.meta.url));
const BUILD_TIMEOUT_MS = 120_000;

let packages: InstalledPackages;
/** A project outside the repository, which has installed the packages as they are published. */
let installed = '';
/** Of the toolkit, in there. */
let toolkit = '';

beforeAll(async () => {
  packages = await installPackages();
  ({ installed, toolkit } = packages);
}, BUILD_TIMEOUT_MS);

afterAll(() => packages.remove());

/** Output of a module that finds the package as `chancery`. */
const output = (script: string, ...flags: readonly string[]): Promise<string> =>
  outputOf(installed, script, ...flags);
const loadedBy = (script: string): Promise<LoadedModules> => loadedModules(installed, script);

describe('what the built packages load', () => {
  test('an import of chancery loads three of its files, and no other package except split2', async () => {
    const { own, packages, builtin } = await loadedBy("await import('chancery')");

    expect(own).toEqual(['index.js', 'chunks/objects.js', 'chunks/toolkit.js']);
    expect(packages.filter((name) => name !== 'split2')).toEqual([]);
    // An import of these loads Web Crypto, and Node's own undici.
    expect(builtin.filter((name) => /^node:(crypto|https?|http2|tls)$/.test(name))).toEqual([]);
  });

  test('undiciTransport loads only the package split2 and those files of undici that a pool needs', async () => {
    const { packages, undici } = await loadedBy(`
      const { undiciTransport } = await import('chancery/low-level');
      await undiciTransport('http://127.0.0.1:8001').close();`);

    expect(packages.filter((name) => name !== 'split2')).toEqual(['undici']);
    expect(undici).toContain('lib/dispatcher/pool.js');
    expect(undici.filter((file) => /^index\.js$|^lib\/(web|mock|cache)\//.test(file))).toEqual([]);
  });

  test('the package yaml is loaded when the first document is parsed', async () => {
    const { packages } = await loadedBy("(await import('chancery/low-level')).parseYaml('a: 1')");

    expect(packages).toContain('yaml');
  });

  test('a manager without metrics, traces and schemas loads the logger, but not their packages', async () => {
    const { packages } = await loadedBy(`
      const { createManager } = await import('chancery/low-level');
      const settings = { metricsPort: 0, healthPort: 0, namespace: 'default', namespaces: ['default'] };
      const manager = await createManager({
        controllers: [],
        environment: {},
        settings,
        leaderElection: false,
      });
      await manager.close?.();
      process.exit();`);

    expect(packages).toContain('pino');
    expect(packages).not.toContain('prom-client');
    expect(packages).not.toContain('@opentelemetry/api');
    expect(packages).not.toContain('typebox');
    expect(packages).not.toContain('yaml');
  });

  test.each([
    ['an API server without TLS does not load', '', []],
    ['an API server with TLS loads', 'tls: {}', ['@peculiar/utils', 'asn1js']],
  ])('%s the packages that create certificates', async (_title, options, expected) => {
    const { packages } = await loadedBy(`
      const { ApiServer } = await import('@chancery/testing');
      const server = await ApiServer.start({ ${options} });
      await server.close();`);

    expect(packages.filter((name) => /asn1|peculiar/.test(name))).toEqual(expected);
  });
});

describe('the exports and classes of the built packages', () => {
  test('the built package has the same exports, functions and class names as the sources', async () => {
    const built: unknown = JSON.parse(
      await output(`
        const names = Object.entries(await import('chancery')).map(([name, value]) =>
          [name, typeof value === 'function' ? value.name : typeof value]);
        console.log(JSON.stringify(Object.fromEntries(names)));`),
    );

    const names = Object.entries(source).map(([name, value]: readonly [string, unknown]) => [
      name,
      typeof value === 'function' ? value.name : typeof value,
    ]);
    expect(built).toEqual(Object.fromEntries(names));
  });

  test('the build renames no class, even where two modules have a class of the same name', async () => {
    const folder = join(toolkit, 'dist/operator/chunks');
    const classes: string[] = [];
    for (const file of await readdir(folder)) {
      const text = await readFile(join(folder, file), 'utf8');
      classes.push(...(file.endsWith('.js') ? (text.match(/\b[\w$]+ = class\b/g) ?? []) : []));
    }

    expect(classes).toContain('OperatorError = class');
    expect(classes.filter((name) => name.includes('$'))).toEqual([]);
  });

  test('the build contains the code of each class only once', async () => {
    const [sources, built] = [join(repository, 'operator'), join(toolkit, 'dist')];

    const declared = await classesOf(sources, /^(?:export )?(?:abstract )?class (\w+)/gm);
    const written = await classesOf(
      built,
      /^(?:(?:var|let|const) (?=\w+ = class\b)|class )(\w+)/gm,
    );

    const twice = [...written].filter(([name, count]) => count > (declared.get(name) ?? 1));
    expect(twice).toEqual([]);
    expect(written.size).toBeGreaterThan(100);
  });

  test.each([
    ['chancery/schema', "customResource({ group: 'no group', version: 'v1', kind: 'A' })"],
    ['chancery/internal', "settingsFrom({ CHANCERY_HEALTH_PORT: 'none' })"],
  ])('an error that %s throws is an instance of the class that chancery exports', async (entry, call) => {
    const [name] = call.split('(');
    const said = await output(`
      const { ConfigurationError } = await import('chancery');
      const { ${name} } = await import('${entry}');
      try { ${call}; } catch (error) { console.log(error instanceof ConfigurationError); }`);

    expect(said).toBe('true\n');
  });

  test('an error of the test kit is an instance of the classes that chancery exports', async () => {
    const said = await output(`
      const { ApiError, OperatorError, isNotFound } = await import('chancery');
      const { ApiServer } = await import('@chancery/testing');
      const server = await ApiServer.start();
      try {
        server.applyManifest(JSON.stringify(
          { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: 'nowhere' } }));
      } catch (error) {
        console.log(error instanceof ApiError, error instanceof OperatorError, isNotFound(error));
      }
      await server.close();`);

    expect(said).toBe('true true true\n');
  });

  test('a stack trace contains the name of the function that threw, without source maps', async () => {
    const script = `
      const { parseSelector } = await import('chancery');
      try { parseSelector('a in b'); } catch (error) { console.log(error.stack); }`;

    expect(await output(script)).toMatch(
      /at parseSelector \(.*\/dist\/operator\/chunks\/objects\.js:\d+:\d+\)/,
    );
  });

  test('a project that has installed the packages can use the types of every entry point', async () => {
    await writeFile(
      join(installed, 'uses.mts'),
      `import { controller, TerminalError } from 'chancery';
       import { configMaps, type ConfigMap } from 'chancery/kubernetes';
       import type { CompositeSyncRequest, CompositeSyncResponse } from '@chancery/metacontroller';
       import { Type } from 'chancery/schema';
       import { ApiServer } from '@chancery/testing';
       export const spec = Type.Object({ size: Type.Integer() });
       export const size: number = (await ApiServer.start()).url.length;
       export const wrong: string = size;
       export const sync = ({ parent }: CompositeSyncRequest<ConfigMap>): CompositeSyncResponse => ({
         status: { ready: parent.data?.ready },
         children: [{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'a' }, stringData: {} }],
       });
       export default controller({
         name: 'a',
         for: configMaps,
         reconcile: async (object: ConfigMap) => {
           if (object.data === undefined) throw new TerminalError('no data');
         },
       });`,
    );
    onTestFinished(() => rm(join(installed, 'uses.mts')));

    const compiler = join(repository, 'node_modules/typescript/bin/tsc');
    const args = [
      '--noEmit',
      '--skipLibCheck', // of Node's types, mostly: what is wrong in ours is wrong in use, too
      '--lib',
      'es2024,esnext.iterator,esnext.disposable',
      '--strict',
      '--module',
      'nodenext',
      '--types',
      'node',
      '--typeRoots',
      join(repository, 'node_modules/@types'),
    ];
    const said = await run(process.execPath, [compiler, ...args, 'uses.mts'], {
      cwd: installed,
    }).catch((error: { readonly stdout: string }) => error);

    const problems = said.stdout.split('\n').filter((line) => line.includes('error'));
    expect(problems).toEqual([expect.stringMatching(/^uses\.mts\(8,.* TS2322/)]);
  });
});

/** How often each class is declared in the code below a folder. */
async function classesOf(
  folder: string,
  declaration: RegExp,
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const file of await readdir(folder, { recursive: true })) {
    if (!/(?<!\.d)\.(ts|js)$/.test(file)) continue;
    const text = await readFile(join(folder, file), 'utf8');
    for (const [, name = ''] of text.matchAll(declaration)) {
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

/** Functions of an entry, by the API report. */
async function functionsOf(report: string): Promise<readonly string[]> {
  const text = await readFile(join(repository, 'docs/api', report), 'utf8');
  const [names = ''] = text.split('## Reached');
  return [...new Set([...names.matchAll(/^export function (\w+)/gm)].map(([, name = '']) => name))];
}

test('a project with `declaration: true` can export the return value of every function', async () => {
  let text = '';
  for (const [entry, report] of [
    ['chancery', 'chancery.md'],
    ['chancery/low-level', 'chancery-low-level.md'],
    ['chancery/schema', 'chancery-schema.md'],
    ['@chancery/testing', 'chancery-testing.md'],
  ] as const) {
    const all = entry.replace(/\W/g, '_');
    const functions = await functionsOf(report);
    expect(functions.length).toBeGreaterThan(2);
    text += `import * as ${all} from '${entry}';\n`;
    for (const name of functions) {
      const called = `${all}.${name}`;
      text += `export const ${all}_${name} = (...args: Parameters<typeof ${called}>) => ${called}(...args);\n`;
    }
  }
  await writeFile(join(installed, 'library.mts'), text);
  onTestFinished(() => rm(join(installed, 'library.mts')));

  const compiler = join(repository, 'node_modules/typescript/bin/tsc');
  const flags =
    '--declaration --outDir emitted --rootDir . --skipLibCheck --strict --module nodenext';
  const types = ['--types', 'node', '--typeRoots', join(repository, 'node_modules/@types')];
  const lib = ['--target', 'es2024', '--lib', 'es2024,esnext.iterator,esnext.disposable'];
  const args = [compiler, ...flags.split(' '), ...types, ...lib, 'library.mts'];
  const said = await run(process.execPath, args, { cwd: installed }).catch(
    (error: { readonly stdout: string }) => error,
  );

  // A few functions cannot be called with their own `Parameters`; that is another error.
  expect(said.stdout.split('\n').filter((line) => line.includes('cannot be named'))).toEqual([]);
});

describe('the commands in testing/README.md', () => {
  const readme = (): Promise<string> =>
    readFile(join(installed, 'node_modules/@chancery/testing/README.md'), 'utf8');

  test('the README of the test kit leads from an empty folder to tests that pass', async () => {
    const text = await readme();
    const blocks = [...text.matchAll(/^```(?:js|ts) (\S+)\n(.*?)^```$/gms)];
    for (const [, file = '', code = ''] of blocks) await writeFile(join(installed, file), code);
    const [, shown = ''] = /^```sh run\n(.*?)\n```$/ms.exec(text) ?? [];
    const [program, ...args] = shown.split(' ');

    const { stdout } = await run(process.execPath, [...args, '--test-reporter=tap'], {
      cwd: installed,
    }).catch((error: { readonly stdout: string }) => error);

    expect(blocks.map(([, file]) => file)).toEqual([
      'settings.test.mjs',
      'greeter.mts',
      'greeter.test.mts',
    ]);
    expect(program).toBe('node');
    expect(stdout).toMatch(/^# pass 2$/m);
    expect(stdout).toMatch(/^# fail 0$/m);
  });

  test('the command in the README of the test kit serves an API, and writes a kubeconfig for it', async () => {
    const [, shown = ''] =
      /^```sh command\nnpx @chancery\/testing (.*?)\n```$/ms.exec(await readme()) ?? [];
    const script = join(installed, 'node_modules/@chancery/testing/dist/chancery-testing.js');
    const server = spawn(process.execPath, [script, ...shown.split(' ')], { cwd: installed });
    onTestFinished(() => void server.kill());

    const [line] = await once(server.stdout, 'data');
    const answer = await fetch(`${String(line).trim()}/version`);

    expect(await answer.json()).toMatchObject({ major: '1' });
    expect(await readFile(join(installed, 'cluster.yaml'), 'utf8')).toContain(String(line).trim());
  });
});

describe('the installed command chancery', () => {
  const command = (
    args: readonly string[],
    environment: Readonly<Record<string, string>> = { NODE_DISABLE_COMPILE_CACHE: '1' },
  ): Promise<{ readonly stdout: string }> =>
    run(process.execPath, [join(toolkit, 'operator/cli/chancery.js'), ...args], {
      cwd: installed,
      env: { PATH: process.env.PATH ?? '', ...environment },
    });

  test('with `chancery run`, a module without node_modules imports the toolkit of the command', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-module-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await writeFile(
      join(folder, 'operator.ts'),
      `import { controller } from 'chancery';
       import { configMaps } from 'chancery/kubernetes';
       import { Type } from 'chancery/schema';
       export default controller({ name: Type.String().type, for: configMaps, reconcile: async () => ({}) });`,
    );

    const { stdout } = await command(['run', '--check', join(folder, 'operator.ts')]);

    expect(JSON.parse(stdout)).toMatchObject({ controller: 'string' });
  });

  test('[found 3] `chancery hooks` reads the YAML of a hook in a separate thread', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-hook-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const hook = join(folder, 'made-by-yaml');
    const lines = ['#!/bin/sh', 'echo "configVersion: v1"', 'echo "onStartup: 7"'];
    await writeFile(hook, `${lines.join('\n')}\n`, { mode: 0o755 });

    const { stdout } = await command(['hooks', folder, '--check', '--insecure-allow-token']);

    expect(stdout).toContain('made-by-yaml');
  });

  test('chancery enables the compile cache of Node, unless it is disabled', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-cache-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const kept = async (): Promise<number> => (await readdir(folder, { recursive: true })).length;

    await command(['--version'], { TMPDIR: folder, NODE_DISABLE_COMPILE_CACHE: '1' });
    const whenDisabled = await kept();
    await command(['--version'], { TMPDIR: folder });

    expect(whenDisabled).toBe(0);
    expect(await kept()).toBeGreaterThan(2);
  });
});

describe('`chancery apiserver`, if chancery is installed without the test kit', () => {
  /** A copy of the toolkit that sees its own dependencies alone, as a global one does. */
  async function alone(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'chancery-alone-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    const modules = join(folder, 'node_modules');
    await cp(toolkit, join(modules, 'chancery'), { recursive: true });
    for (const { name, path } of await lockedPackages()) {
      await mkdir(dirname(join(modules, name)), { recursive: true });
      await symlink(join(repository, path), join(modules, name));
    }
    return folder;
  }

  const command = 'node_modules/chancery/operator/cli/chancery.js';

  test('`chancery apiserver` says that the test kit must be installed, and exits with 2', async () => {
    const folder = await alone();

    const ended = await run(process.execPath, [join(folder, command), 'apiserver', '--port', '0'], {
      cwd: folder,
    }).catch((error: { readonly code: number; readonly stderr: string }) => error);

    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toMatch(
      /^chancery apiserver: .*npm install --save-dev @chancery\/testing.*\n$/,
    );
  });

  test('`chancery apiserver` installed without a test kit uses the test kit of the current project', async () => {
    const folder = await alone();
    const args = [join(folder, command), 'apiserver', '--port', '0'];
    const server = spawn(process.execPath, args, { cwd: installed });
    onTestFinished(() => void server.kill());

    const [line] = await once(server.stdout, 'data');

    const answer = await fetch(`${String(line).trim()}/version`);
    expect(await answer.json()).toMatchObject({ major: '1' });
  });
});

describe('two copies of chancery in one process', () => {
  /** A later version of what is installed, in a folder of its own, and a module that reaches it by its path. */
  async function later(): Promise<string> {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'chancery-copy-')));
    onTestFinished(() => rm(folder, { recursive: true }));
    await cp(join(toolkit, 'dist'), join(folder, 'dist'), { recursive: true });
    await symlink(join(repository, 'node_modules'), join(folder, 'node_modules'));
    const text = await readFile(join(toolkit, 'package.json'), 'utf8');
    await writeFile(join(folder, 'package.json'), text.replace('"0.1.0"', '"0.2.0"'));
    const chunk = join(folder, 'dist/operator/chunks/objects.js');
    const code = await readFile(chunk, 'utf8');
    expect(code).toContain('"0.1.0"');
    await writeFile(chunk, code.replace('"0.1.0"', '"0.2.0"'));
    await writeFile(
      join(folder, 'operator.mjs'),
      `import { controller } from './dist/operator/index.js';
       import { configMaps } from 'chancery/kubernetes';
       export default controller({ name: 'a', for: configMaps, reconcile: async () => ({}) });`,
    );
    return folder;
  }

  test.each([
    'index.js',
    'schema.js',
  ])('the import of %s from a second copy of chancery is refused', async (entry) => {
    const folder = await later();
    const script = `
      const { ConfigurationError } = await import('chancery');
      const name = '${join(folder, 'dist/operator', entry)}';
      const error = await import(name).catch((error) => error);
      console.log(JSON.stringify([error.name, error.code, error instanceof ConfigurationError, error.message]));`;

    const [name, code, isOurs, message] = JSON.parse(await output(script));

    expect([name, code, isOurs]).toEqual(['ConfigurationError', 'CONFIG', false]);
    const places = `0.1.0 in ${await realpath(join(toolkit, 'dist'))}/ and 0.2.0 in ${folder}/dist/`;
    expect(message).toContain(places);
    expect(message).toContain('npm ls chancery');
  });

  test('`chancery run` with a second copy of chancery exits with 2, and prints the folders of both copies in one line', async () => {
    const folder = await later();

    const ended = await run(
      process.execPath,
      [join(toolkit, 'operator/cli/chancery.js'), 'run', '--check', join(folder, 'operator.mjs')],
      { cwd: installed, env: { PATH: process.env.PATH ?? '' } },
    ).catch((error: { readonly code: number; readonly stderr: string }) => error);

    expect(ended).toMatchObject({ code: 2 });
    expect(ended.stderr).toMatch(/0\.1\.0 in \S+ and 0\.2\.0 in \S+.*npm ls chancery/);
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(ended.stderr).not.toMatch(/^\s+at /m);
  });
});

test('the image of the operator gets no test kit and no types', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'chancery-image-'));
  onTestFinished(() => rm(folder, { recursive: true }));

  await run(process.execPath, ['build/main.ts', '--image', '--out-dir', folder, '.'], {
    cwd: repository,
  });

  const files = (await readdir(folder, { recursive: true })).filter((file) => /\.\w+$/.test(file));
  expect(files).toEqual(expect.arrayContaining(['operator/index.js', 'operator/cli/main.js']));
  expect(files.filter((file) => !file.endsWith('.js') || /testing|api-server/.test(file))).toEqual(
    [],
  );
});
