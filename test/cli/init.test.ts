/** `chancery init`: what it writes, and what it refuses. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { VERSION } from '../../operator/core/version.ts';
import { parseYaml } from '../../operator/core/yaml.ts';
import { settingsFrom } from '../../operator/manager/settings/settings.ts';
import { textsBelow } from '../scaffold/support/project.ts';
import { folderWith } from './child.ts';
import { invoke } from './invocation.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TEMPLATES = ['custom-resource', 'built-in', 'composite'] as const;

/** A folder for a project that is not there yet. */
const place = (name = 'demo'): string => join(folderWith({}), name);

const written = (folder: string): readonly string[] => Object.keys(textsBelow(folder));

test.each(
  TEMPLATES,
)('the template %s has at most fifteen files, and none in deploy/', async (template) => {
  const folder = place();

  const { exit, stdout, stderr } = invoke(['init', folder, '--template', template]);

  expect(await exit).toBe(0);
  const files = written(folder);
  const name = template === 'built-in' ? 'expose' : 'demo';
  expect(files).toEqual([
    '.chancery.json',
    '.devcontainer/devcontainer.json',
    '.dockerignore',
    '.github/workflows/ci.yml',
    '.gitignore',
    '.npmrc',
    'AGENTS.md',
    'Dockerfile',
    'README.md',
    'package.json',
    `samples/${name}.yaml`,
    `src/${name}.test.ts`,
    `src/${name}.ts`,
    'src/operator.ts',
    'tsconfig.json',
  ]);
  expect(stdout.lines.toSorted()).toEqual(files.map((file) => `written ${join(folder, file)}`));
  expect(stderr.lines).toContain('  npm run dev');
  for (const text of Object.values(textsBelow(folder))) {
    expect(text).not.toMatch(/\{\{\w+\}\}(?!")/);
    expect(text).not.toMatch(/[ \t]$/m);
    expect(text).toMatch(/[^\n]\n$/);
  }
});

test("the package.json of a new project has the repository's versions of Node and TypeScript", async () => {
  const folder = place('shop-operator');
  await invoke(['init', folder]).exit;
  const made = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  const { devDependencies, allowScripts, engines } = JSON.parse(
    readFileSync(join(ROOT, 'package.json'), 'utf8'),
  );

  expect(made).toMatchObject({
    name: 'shop-operator',
    private: true,
    type: 'module',
    engines,
    dependencies: { chancery: `^${VERSION}` },
    allowScripts,
  });
  expect(made.devDependencies).toEqual({
    '@chancery/testing': `^${VERSION}`,
    '@types/node': devDependencies['@types/node'],
    node: devDependencies.node,
    typescript: devDependencies.typescript,
  });
  expect(Object.keys(made.scripts)).toEqual(['dev', 'test', 'check', 'generate']);
});

test('create-chancery and the test kit have the same version as chancery, which a new project installs', () => {
  for (const file of ['package.json', 'testing/package.json', 'create-chancery/package.json']) {
    expect(JSON.parse(readFileSync(join(ROOT, file), 'utf8'))).toMatchObject({ version: VERSION });
  }
});

test('CHANCERY_PACKAGES makes a new project install the tarballs of that folder', async () => {
  const tarballs = [`chancery-${VERSION}.tgz`, `chancery-testing-${VERSION}.tgz`];
  const packages = folderWith(Object.fromEntries(tarballs.map((name) => [name, ''])));
  const folder = place();

  const { exit } = invoke(['init', folder], { env: { CHANCERY_PACKAGES: packages } });

  expect(await exit).toBe(0);
  expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
    dependencies: { chancery: `file:${join(packages, tarballs[0] ?? '')}` },
    devDependencies: { '@chancery/testing': `file:${join(packages, tarballs[1] ?? '')}` },
  });
});

test('a CHANCERY_PACKAGES folder without the tarballs is refused', async () => {
  const folder = place();

  const { exit, stderr } = invoke(['init', folder], { env: { CHANCERY_PACKAGES: ROOT } });

  expect(await exit).toBe(2);
  expect(stderr.lines).toEqual([
    expect.stringMatching(
      /^chancery init: CHANCERY_PACKAGES is \S+, which has no chancery-.*\.tgz/,
    ),
  ]);
  expect(written(folder)).toEqual([]);
});

test('the workflow pins each action by a full hash, with its version in a comment', async () => {
  const folder = place();
  await invoke(['init', folder]).exit;
  const text = readFileSync(join(folder, '.github/workflows/ci.yml'), 'utf8');

  const uses = text.match(/uses: .*/g) ?? [];

  expect(uses).toHaveLength(2);
  for (const use of uses)
    expect(use).toMatch(/^uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
  expect(parseYaml(text)).toMatchObject({ permissions: { contents: 'read' } });
});

test("the dev container has the project's Node version, installs packages, and forwards its port", async () => {
  const folder = place();
  await invoke(['init', folder]).exit;
  const container = JSON.parse(
    readFileSync(join(folder, '.devcontainer/devcontainer.json'), 'utf8'),
  );
  const { engines } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

  const [, major] =
    /^mcr\.microsoft\.com\/devcontainers\/typescript-node:(\d+)$/.exec(container.image) ?? [];
  expect(engines.node).toBe(`>=${major}.0`);
  expect(container.postCreateCommand).toBe('npm install');
  const { healthPort } = settingsFrom(container.containerEnv);
  expect(container.containerEnv).toHaveProperty('CHANCERY_HEALTH_PORT');
  expect(container.forwardPorts).toEqual([healthPort]);
  expect(Object.keys(container.portsAttributes)).toEqual([String(healthPort)]);
});

test('[scaffolding 2] `init` refuses a folder with existing files, and lists those that it would overwrite', async () => {
  const folder = place();
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, 'src/demo.ts'), 'mine');
  const before = textsBelow(folder);

  const { exit, stdout, stderr } = invoke(['init', folder]);

  expect(await exit).toBe(1);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([
    `chancery init: ${folder} is not empty, so nothing was written; these exist already:`,
    '  package.json',
    '  src/demo.ts',
    'Choose another NAME, or write only the files that are missing with --force.',
  ]);
  expect(textsBelow(folder)).toEqual(before);
});

test('[scaffolding 2] `init --force` writes only missing files', async () => {
  const folder = place();
  const other = place();
  await invoke(['init', other]).exit;
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'src/demo.ts'), 'mine');
  writeFileSync(join(folder, 'notes.txt'), 'mine, too');

  const { exit, stdout } = invoke(['init', folder, '--force']);

  expect(await exit).toBe(0);
  const { '.chancery.json': record, ...texts } = textsBelow(folder);
  const { '.chancery.json': whole, ...others } = textsBelow(other);
  expect(texts).toEqual({ ...others, 'src/demo.ts': 'mine', 'notes.txt': 'mine, too' });
  expect([record, whole].map((each) => each?.includes('"src/demo.ts":'))).toEqual([false, true]);
  expect(stdout.lines).not.toContain(`written ${join(folder, 'src/demo.ts')}`);
});

test('`init` also refuses a folder with files that it would not overwrite, but ignores `.git`', async () => {
  const folder = place();
  mkdirSync(join(folder, '.git'), { recursive: true });
  const [empty, full] = [place(), place()];
  mkdirSync(full);
  writeFileSync(join(full, 'notes.txt'), '');

  const results = [folder, empty, full].map((each) => invoke(['init', each]));

  expect(await Promise.all(results.map(({ exit }) => exit))).toEqual([0, 0, 1]);
  expect(results[2]?.stderr.lines.slice(0, 2)).toEqual([
    `chancery init: ${full} is not empty, so nothing was written; these exist:`,
    '  notes.txt',
  ]);
});

test('[S-2] [scaffolding 18] a second run of `init` changes nothing, with `--force` or without', async () => {
  const folder = place();
  await invoke(['init', folder]).exit;
  const before = textsBelow(folder);

  const again = invoke(['init', folder]);
  const forced = invoke(['init', folder, '--force']);

  expect([await again.exit, await forced.exit]).toEqual([1, 0]);
  expect(forced.stdout.lines).toEqual([]);
  expect(textsBelow(folder)).toEqual(before);
});

test('`init` writes nothing if a file stands where it needs a folder', async () => {
  const folder = place();
  mkdirSync(folder);
  writeFileSync(join(folder, '.github'), '');

  const plain = invoke(['init', folder]);
  const forced = invoke(['init', folder, '--force']);

  expect([await plain.exit, await forced.exit]).toEqual([1, 1]);
  expect(plain.stderr.lines).toContain('  .github');
  expect(forced.stderr.lines).toEqual([
    expect.stringMatching(/^chancery init: nothing was written: E(?:EXIST|NOTDIR).*\.github/),
  ]);
  expect(written(folder)).toEqual(['.github']);
});

test('`init` without arguments prints its help', async () => {
  const { exit, stderr } = invoke(['init']);

  expect(await exit).toBe(2);
  expect(stderr.lines[0]).toBe('Usage: chancery init NAME [OPTION...]');
});

test.each<[string, readonly string[], RegExp]>([
  ['no name', ['--force'], /expected the NAME of the project, such as demo; got none$/],
  ['two names', ['a', 'b'], /expected one NAME; got "a", "b"$/],
  ['a name in capitals', ['Demo'], /NAME must be at most 63 of a-z, 0-9 and "-".*not "Demo"$/],
  [
    'an unknown template',
    ['a', '--template=built'],
    /--template must be .*did you mean built-in\?$/,
  ],
  [
    'a kind for the template built-in',
    ['a', '--template=built-in', '--kind=A'],
    /--kind is for custom-resour/,
  ],
  ['a kind that begins with a digit', ['2048'], /name the kind with --kind/],
  [
    'a group without a dot',
    ['a', '--group=demo'],
    /--group must be a domain in lower case with a dot/,
  ],
  ['an unknown option', ['a', '--templat=a'], /did you mean --template\?$/],
])('`init` exits with 2 and prints one line for %s', async (_, args, message) => {
  const { exit, stdout, stderr } = invoke(['init', ...args]);

  expect(await exit).toBe(2);
  expect(stdout.lines).toEqual([]);
  expect(stderr.lines).toEqual([expect.stringMatching(message)]);
});

test.each([
  'custom-resource',
  'composite',
  'built-in',
])('[found 15] %s: the line of a test that fails in an old Node has a comment with the required Node version', async (template) => {
  const folder = place('shop');
  await invoke(['init', folder, '--template', template]).exit;

  const tests = readdirSync(join(folder, 'src')).filter((name) => name.endsWith('.test.ts'));
  expect(tests).toHaveLength(1);
  for (const name of tests) {
    const lines = readFileSync(join(folder, 'src', name), 'utf8').split('\n');
    expect(lines.find((line) => line.includes('await using'))).toContain('// Node 24: npm test');
  }
});

test('[found 15] `npm test` of a new project first runs `chancery`, which refuses an old Node', async () => {
  const folder = place('shop');
  await invoke(['init', folder]).exit;
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

  expect(scripts.test).toMatch(/^chancery --version && node --test /);
});

test('[found 16] every document that mentions a Node version mentions the version that package.json requires', () => {
  const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
  const engines = ['package.json', 'testing/package.json'].map(
    (path) => JSON.parse(textOf(path)).engines.node as string,
  );
  const [major = ''] = /[0-9]+/.exec(engines[0] ?? '') ?? [];

  expect(new Set(engines).size).toBe(1);
  expect(major).toBe('24');
  for (const path of [
    ...['README.md', 'CONTRIBUTING.md', 'docs/start/first-operator.md', 'docs/dependencies.md'],
    ...['create-chancery/README.md', 'testing/README.md'],
  ]) {
    expect([path, textOf(path).includes(`Node ${major}`)]).toEqual([path, true]);
    expect([path, textOf(path).match(/Node 22\S*/g)]).toEqual([path, null]);
  }
});
