/**
 * The packages of commands as users install them: every command of their READMEs as it stands there, and what chancery
 * says where a package is missing, of another version or installed twice. npm asks a registry that has our archives.
 */
import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { VERSION } from '../operator/core/version.ts';
import { type LocalRegistry, startRegistry } from './support/local-registry.ts';
import { packedOnce } from './support/packed-once.ts';

const REPOSITORY = fileURLToPath(new URL('../', import.meta.url));
const SETUP_MS = 240_000;
const PATIENT = { timeout: 240_000 };

let registry: LocalRegistry;
/** A project that has `chancery` and no other package of ours. Copied, never changed. */
let bare = '';
/** The folder of `@chancery/packaging` as it is packed. Copied, never changed. */
let packaging = '';

beforeAll(async () => {
  const folders = [
    '.',
    'packages/certificates',
    'packages/hooks',
    'packages/metacontroller',
    'packages/packaging',
    'testing',
  ];
  const paths: string[] = [];
  for (const each of folders) paths.push((await packedOnce(each)).archive);
  registry = await startRegistry(paths);
  packaging = (await packedOnce('packages/packaging')).folder;
  bare = await realpath(await mkdtemp(join(tmpdir(), 'chancery-bare-')));
  await writeFile(join(bare, 'package.json'), '{ "name": "outside", "version": "1.0.0" }');
  expect(await shell('npm install chancery', bare)).toMatchObject({ code: 0 });
}, SETUP_MS);

afterAll(async () => {
  await registry?.close();
  await rm(bare, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A line of a shell, with the Node of this repository, in an environment without what npm has put into this one. */
async function shell(line: string, cwd: string, stdin = ''): Promise<Ended> {
  const { HOME = '', PATH = '' } = process.env;
  const own = PATH.split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const child = spawn('sh', ['-c', line], {
    cwd,
    env: {
      HOME,
      PATH: [dirname(process.execPath), ...own].join(delimiter),
      ...registry.environment,
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_yes: 'true',
      npm_config_update_notifier: 'false',
    },
  });
  child.stdin.on('error', () => {}); // a command that reads no input may end before it is written
  child.stdin.end(stdin);
  const [stdout, stderr, code] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    new Promise<number | null>((resolve) => child.on('close', resolve)),
  ]);
  return { code, stdout, stderr };
}

async function folder(): Promise<string> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'chancery-commands-')));
  onTestFinished(() => rm(path, { recursive: true, force: true }));
  return path;
}

/** The package.json of a copy of `@chancery/hooks`, in the version of the toolkit. */
function manifest(
  exports: Readonly<Record<string, string>> = {
    './command': './command.js',
    './package.json': './package.json',
  },
): string {
  return JSON.stringify({ name: '@chancery/hooks', version: VERSION, type: 'module', exports });
}

/** A copy of the project that has `chancery` alone. */
async function bareProject(): Promise<string> {
  const path = await folder();
  await cp(bare, path, { recursive: true, verbatimSymlinks: true });
  return path;
}

interface Block {
  readonly language: string;
  /** The name of a file, or one of `install`, `run` and `output`. */
  readonly name: string;
  readonly text: string;
}

async function blocksOf(readme: string): Promise<readonly Block[]> {
  const markdown = await readFile(join(REPOSITORY, readme), 'utf8');
  return [...markdown.matchAll(/^```(\w+) (\S+)\n(.*?)^```$/gms)].map(
    ([, language = '', name = '', body = '']) => ({ language, name, text: body }),
  );
}

const linesOf = (blocks: readonly Block[], name: string): readonly string[] =>
  blocks.filter((block) => block.name === name).flatMap((block) => block.text.trim().split('\n'));

test.each(['certificates', 'hooks', 'metacontroller', 'packaging'])(
  'the commands in packages/%s/README.md work from an empty folder, and print what the README says',
  PATIENT,
  async (name) => {
    const blocks = await blocksOf(`packages/${name}/README.md`);
    const project = await folder();
    for (const { language, name: path, text: body } of blocks) {
      if (language === 'sh' || language === 'text') continue;
      await mkdir(dirname(join(project, path)), { recursive: true });
      await writeFile(join(project, path), body);
    }

    const printed: string[] = [];
    for (const line of [...linesOf(blocks, 'install'), ...linesOf(blocks, 'run')]) {
      const ended = await shell(line, project);
      expect({ line, ...ended }).toMatchObject({ code: 0 });
      printed.push(...ended.stdout.split('\n'));
    }

    const expected = linesOf(blocks, 'output');
    expect(expected.length).toBeGreaterThan(0);
    expect(printed).toEqual(expect.arrayContaining([...expected]));
  },
);

test(
  'in a folder without a project, `npx @chancery/testing` starts a server that ends when npx ends',
  PATIENT,
  async () => {
    const project = await folder();
    const line = `npx @chancery/testing --port 0 --ready-file ready & npx=$!
    until [ -e ready ] || ! kill -0 $npx; do sleep 0.1; done
    cat ready; kill -TERM $npx
    while [ -e ready ]; do sleep 0.1; done`;

    const { stdout, stderr } = await shell(line, project);

    const [url, again] = stdout.trim().split('\n').toSorted();
    expect({ url, stderr }).toMatchObject({
      url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
    });
    expect(again).toBe(url); // on standard output, and in the file
  },
);

test('the kubebuilder plugin loads no module of chancery before it has read its request', async () => {
  const files = [join(packaging, 'dist/plugin/main.js')];
  const others: string[] = [];
  for (const file of files) {
    const code = await readFile(file, 'utf8');
    for (const [, name = ''] of code.matchAll(/^import (?:.* from )?"([^"]+)";$/gm)) {
      if (!name.startsWith('.')) others.push(name);
      else if (!files.includes(join(dirname(file), name))) files.push(join(dirname(file), name));
    }
  }

  expect(files.length).toBeGreaterThan(1);
  expect(others.filter((name) => !name.startsWith('node:'))).toEqual([]);
});

describe('if only the package chancery is installed', () => {
  test.each([
    ['hooks', 'hooks hooks', '@chancery/hooks'],
    ['metacontroller', 'metacontroller', '@chancery/metacontroller'],
    ['generate chart', 'generate chart operator.mjs -o chart', '@chancery/packaging'],
    ['generate catalog', 'generate catalog bundle --image a:1 -o catalog', '@chancery/packaging'],
    ['generate rbac --hooks', 'generate rbac --hooks hooks', '@chancery/hooks'],
    [
      'generate rbac --from-metacontroller',
      'generate rbac --from-metacontroller controllers.yaml',
      '@chancery/metacontroller',
    ],
    ['check --hooks', 'check --hooks hooks', '@chancery/hooks'],
    ['check crd', 'check crd new.yaml --against old.yaml', '@chancery/packaging'],
    ['check bundle', 'check bundle bundle', '@chancery/packaging'],
    ['plugin', 'plugin install --dir plugins', '@chancery/packaging'],
    ['apiserver', 'apiserver --port 0', '@chancery/testing'],
  ])('without its package, chancery %s exits with 2, and prints the npm command that installs the package', async (words, args, name) => {
    const project = await folder();
    await writeFile(join(project, 'operator.mjs'), OPERATOR);

    const chancery = join(bare, 'node_modules/.bin/chancery');
    const ended = await shell(`${chancery} ${args}`, project);

    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toContain(`chancery ${words} needs the package ${name}`);
    expect(ended.stderr).toMatch(new RegExp(`run npm install (--save-dev )?${name}@\\d`));
    expect(ended.stderr.trimEnd().split('\n')).toHaveLength(1);
  });

  test.each([
    ['a truncated package.json', '{ "name": ', undefined],
    ['exports without package.json', manifest({ './command': './command.js' }), ''],
    ['exports without its entry point', manifest({ './package.json': './package.json' }), ''],
    ['a missing file', manifest(), undefined],
    ['a truncated file', manifest(), 'export const hooks = {'],
    ['a missing dependency', manifest(), "import 'absent-dependency';"],
  ])('`chancery hooks` with a package that has %s exits with 2, and prints the command that repairs it', async (_, json, js) => {
    const project = await folder();
    const copy = join(project, 'node_modules/@chancery/hooks');
    await mkdir(copy, { recursive: true });
    await writeFile(join(copy, 'package.json'), json);
    if (js !== undefined) await writeFile(join(copy, 'command.js'), js);

    const ended = await shell(`${join(bare, 'node_modules/.bin/chancery')} hooks hooks`, project);

    expect(ended).toMatchObject({ code: 2, stdout: '' });
    expect(ended.stderr).toMatch(
      /^chancery hooks: the installed @chancery\/hooks cannot be loaded: .*; remove its folder node_modules\/@chancery\/hooks, and run npm install @chancery\/hooks@\S+\n$/,
    );
  });

  test('without its package, the kubebuilder plugin answers with an error of the plugin protocol, and exits with 0', async () => {
    const request = JSON.stringify({ apiVersion: 'v1alpha1', command: 'flags', args: ['--init'] });

    const ended = await shell('node_modules/.bin/chancery plugin kubebuilder', bare, request);

    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(ended.stdout)).toMatchObject({
      apiVersion: 'v1alpha1',
      error: true,
      errorMsgs: [expect.stringMatching(/run npm install @chancery\/packaging@\d/)],
    });
  });

  test('`chancery create hook` prints the npm command that installs the package `@chancery/hooks`', async () => {
    const project = await bareProject();

    const { code, stderr } = await shell('npx chancery create hook mark-pods', project);

    expect(code).toBe(0);
    expect(stderr).toMatch(/^ {2}npm install @chancery\/hooks@\S+\n {2}chancery test-hook /m);
  });

  test('`check crd` works after the npm command in its error was run', PATIENT, async () => {
    const project = await bareProject();
    await writeFile(join(project, 'old.yaml'), DEFINITION);
    const line = 'npx chancery check crd old.yaml --against old.yaml';
    const { stderr } = await shell(line, project);
    const [, install = ''] = /; run (npm install \S+),/.exec(stderr) ?? [];

    const installed = await shell(install, project);

    expect(installed).toMatchObject({ code: 0 });
    expect(await shell(line, project)).toMatchObject({ code: 0 });
  });

  test('the npx command that metacontroller prints works without a project', PATIENT, async () => {
    const project = await folder();
    await writeFile(join(project, 'functions.yaml'), '[]\n');
    const words = 'metacontroller --functions functions.yaml --check';
    const chancery = join(bare, 'node_modules/.bin/chancery');
    const { stderr } = await shell(`${chancery} ${words}`, project);
    const [, npx = ''] =
      /or without a project (npx .* chancery metacontroller)$/m.exec(stderr) ?? [];

    const ended = await shell(npx.replace('chancery metacontroller', `chancery ${words}`), project);

    expect(npx).not.toBe('');
    expect(ended).toMatchObject({ code: 0 });
  });
});

describe('if an installed package of chancery cannot be used', () => {
  /** A project with a copy of the package that has this version, in a folder of its own. */
  async function withPackage(project: string, version: string): Promise<void> {
    const target = join(project, 'node_modules/@chancery/packaging');
    await cp(packaging, target, { recursive: true });
    const file = join(target, 'package.json');
    const manifest = JSON.parse(await readFile(file, 'utf8'));
    await writeFile(file, JSON.stringify({ ...manifest, version }));
  }

  test(
    '`check crd` with a package of another version exits with 2, and works after the printed command was run',
    PATIENT,
    async () => {
      const project = await bareProject();
      await writeFile(join(project, 'old.yaml'), DEFINITION);
      await withPackage(project, '0.0.9');
      const line = 'npx chancery check crd old.yaml --against old.yaml';

      const { code, stderr } = await shell(line, project);
      const [, install = ''] = /; run (npm install \S+)$/m.exec(stderr) ?? [];

      expect(code).toBe(2);
      expect(stderr).toContain('@chancery/packaging has version 0.0.9');
      expect(await shell(install, project)).toMatchObject({ code: 0 });
      expect(await shell(line, project)).toMatchObject({ code: 0 });
    },
  );

  test('`check bundle` with two copies of its package exits with 2, and prints the paths of both', async () => {
    const [global, project] = [await bareProject(), await folder()];
    const { version } = JSON.parse(await readFile(join(REPOSITORY, 'package.json'), 'utf8'));
    await withPackage(global, version);
    await withPackage(project, version);

    const chancery = join(global, 'node_modules/.bin/chancery');
    const { code, stderr } = await shell(`${chancery} check bundle .`, project);

    expect(code).toBe(2);
    expect(stderr).toContain('@chancery/packaging is installed twice');
    for (const each of [global, project]) {
      expect(stderr).toContain(join(each, 'node_modules/@chancery/packaging'));
    }
  });
});

const OPERATOR = `import { controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
export default controller({ name: 'a', for: configMaps, reconcile: async () => ({}) });
`;

const DEFINITION = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: kilns.clay.example }
spec:
  group: clay.example
  names: { kind: Kiln, plural: kilns }
  scope: Namespaced
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object } }
`;
