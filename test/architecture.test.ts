/**
 * The architecture, as a test: what may import what, and how long files and functions may be.
 * `docs/architecture.md` shows the same two tables; a test below holds them equal.
 */
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { builtinModules } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { functionLengths } from './support/function-lengths.ts';

/** Folder → folders it may import from, besides itself. Read it as the architecture diagram. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: [],
  model: ['core'],
  transport: ['core'],
  stream: ['core', 'model'],
  watch: ['core', 'model'],
  store: ['core', 'model', 'watch'],
  queue: ['core'],
  client: ['core', 'model', 'transport', 'stream', 'watch'],
  controller: ['core', 'model', 'store', 'queue', 'client'],
  access: ['core', 'model', 'controller'],
  composite: ['core', 'model', 'store', 'controller'],
  webhook: ['core', 'model', 'store', 'client', 'controller'],
  manager: ['core', 'model', 'watch', 'store', 'client', 'controller', 'access', 'webhook'],
  schema: ['core', 'model'],
  generate: ['core', 'model', 'schema', 'controller', 'access', 'webhook', 'manager'],
  flight: ['core', 'model', 'transport', 'client', 'controller', 'access', 'manager'],
  process: ['core'],
  cli: [
    'core',
    'model',
    'transport',
    'schema',
    'watch',
    'store',
    'client',
    'controller',
    'composite',
    'manager',
    'flight',
    'access',
    'generate',
    'process',
    'webhook',
  ],
};

/**
 * Package of this repository → what it may import besides Node and its own files. `operator/` imports none of them.
 */
const PACKAGE_MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  '@chancery/certificates': [
    'chancery',
    'chancery/internal',
    'chancery/kubernetes',
    'chancery/low-level',
    'asn1js',
  ],
  '@chancery/hooks': [
    'chancery',
    'chancery/internal',
    'chancery/kubernetes',
    'chancery/low-level',
    'croner',
  ],
  '@chancery/metacontroller': [
    'chancery',
    'chancery/internal',
    'chancery/kubernetes',
    'chancery/low-level',
  ],
  '@chancery/testing': [
    'chancery',
    'chancery/internal',
    'chancery/internal-objects',
    'chancery/internal-testing',
    'chancery/kubernetes',
    'chancery/low-level',
    '@marcbachmann/cel-js',
    'asn1js',
    'croner',
  ],
  '@chancery/packaging': ['chancery', 'chancery/internal', 'chancery/low-level'],
};

/**
 * File → packages that it may load while it runs, but never import: the package may be missing from an
 * installation, and is no part of a process that does not ask for it.
 */
const LOADS_LAZILY: Readonly<Record<string, readonly string[]>> = {
  'cli/loading/load-package.ts': [
    '@chancery/testing',
    '@chancery/certificates',
    '@chancery/hooks',
    '@chancery/metacontroller',
    '@chancery/packaging',
  ],
};

/** Package → the one file that may import it. */
const OWNER: Readonly<Record<string, string>> = {
  undici: 'transport/undici-pool.ts',
  split2: 'stream/lines.ts',
  yaml: 'core/yaml.ts',
  diff: 'core/text/unified-diff.ts',
  pino: 'manager/observe/logger.ts',
  typebox: 'schema/type.ts',
  'prom-client': 'manager/metrics/prometheus-meter.ts',
  '@opentelemetry/api': 'manager/observe/open-telemetry.ts',
};

/** Package → the one file of each example that imports it: whoever copies the example brings it along. */
const EXAMPLE_OWNERS: Readonly<Record<string, readonly string[]>> = {
  croner: ['database/calendar.ts', 'node-reboot/window.ts', 'reloader/restart/window.ts'],
  'prom-client': ['reloader/tell/metrics.ts'],
  re2js: ['reloader/contract/patterns/automaton.ts'],
};

const root = new URL('../', import.meta.url);
const operator = fileURLToPath(new URL('operator/', root));
const files = readdirSync(operator, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && file.includes('/'))
  .sort();

/** The files of `operator/` and `packages/`, but for the types of Kubernetes, which are generated. */
const ownFiles = globSync(['operator/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: root })
  .filter((file) => !file.startsWith('operator/model/kubernetes/'))
  .sort();

test.each(files)('operator/%s imports only what its layer is allowed to import', (file) => {
  const wrong = importsOf(file).filter((specifier) => !mayImport(file, specifier));

  expect(wrong).toEqual([]);
});

test('every folder of operator/ is in the table of layers', () => {
  const folders = [...new Set(files.map((file) => file.split('/')[0] ?? ''))];

  expect(folders.filter((folder) => MAY_IMPORT[folder] === undefined)).toEqual([]);
});

test('the table of layers has no cycle', () => {
  const reaches = (from: string, to: string, via: readonly string[] = []): boolean =>
    (MAY_IMPORT[from] ?? []).some(
      (next) => next === to || (!via.includes(next) && reaches(next, to, [...via, next])),
    );

  expect(Object.keys(MAY_IMPORT).filter((folder) => reaches(folder, folder))).toEqual([]);
});

test('[security P6] the packages in the table of allowed imports are exactly the run-time dependencies', () => {
  const { dependencies } = manifestIn(root);

  expect(Object.keys(dependencies).sort()).toEqual(Object.keys(OWNER).sort());
});

test.each(
  Object.entries(LOADS_LAZILY),
)('%s loads optional packages at run time, and does not import them', (file, names) => {
  const text = readFileSync(operator + file, 'utf8');

  for (const name of names) expect(text).toContain(`'${name}`);
  expect(importsOf(file).filter((specifier) => specifier.startsWith('@chancery/'))).toEqual([]);
});

test.each(Object.entries(PACKAGE_MAY_IMPORT))('%s imports only %j', (name, allowed) => {
  const folder = folderOf(name);
  const { dependencies, optionalDependencies = {} } = manifestIn(folder);
  const sources = readdirSync(new URL('src/', folder), { recursive: true, encoding: 'utf8' });
  const imports = sources
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => importsOf(file, new URL('src/', folder)).map((to) => ({ file, to })))
    .filter(({ to }) => !(to.startsWith('node:') && builtinModules.includes(to.slice(5))));
  const [relative = [], named = []] = [true, false].map((isRelative) =>
    imports.filter(({ to }) => to.startsWith('.') === isRelative),
  );
  const names = new Set(named.map(({ to }) => to));

  expect(relative.filter(({ file, to }) => join(dirname(file), to).startsWith('..'))).toEqual([]);
  expect([...names].sort()).toEqual([...allowed].sort());
  expect(new Set([...names].map(packageOf))).toEqual(new Set(Object.keys(dependencies)));
  expect(Object.keys(optionalDependencies)).toEqual(name === '@chancery/hooks' ? ['jq-web'] : []);
});

test('every package other than the toolkit is in the table of packages', () => {
  const folders = readdirSync(new URL('packages/', root));

  expect([...folders, 'testing'].map((folder) => `@chancery/${folder}`).sort()).toEqual(
    Object.keys(PACKAGE_MAY_IMPORT).sort(),
  );
});

test.each([
  'undici',
  'split2',
  'yaml',
  'diff',
  'pino',
  'vitest',
  'nock',
])('the package %s is imported only by the file that is allowed to import it, or by tests', (name) => {
  const importing = ['operator/', 'test/'].flatMap((folder) =>
    readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .filter((file) =>
        importsOf(file, new URL(folder, root)).some((specifier) => packageOf(specifier) === name),
      ),
  );

  // The first four by the file that owns them, the others by tests.
  expect(importing).not.toEqual([]);
  if (name in OWNER) expect(importing).toContain(OWNER[name]);
});

test('a package that only an example depends on is imported by exactly the files in the table', () => {
  const examples = new URL('examples/', root);
  const packages = readdirSync(examples, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(?:^|\/)(?:test|testing)\//.test(file))
    .flatMap((file) => importsOf(file, examples).map((specifier) => ({ file, specifier })))
    .filter(({ specifier }) => !/^(?:node:|[.]|chancery(?:\/|$)|@chancery\/)/.test(specifier));

  const imports = Object.entries(EXAMPLE_OWNERS).flatMap(([specifier, owners]) =>
    owners.map((file) => ({ file, specifier })),
  );
  const byFile = (a: { file: string }, b: { file: string }): number => (a.file < b.file ? -1 : 1);
  expect(packages.toSorted(byFile)).toEqual(imports.toSorted(byFile));
});

test.each(['test/', 'testing/'])('no file under %s imports a file under bench/', (name) => {
  const tests = new URL(name, root);
  const bench = new URL('bench/', root).href;
  const wrong = readdirSync(tests, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .flatMap((file) => importsOf(file, tests).map((specifier) => ({ file, specifier })))
    .filter(({ specifier }) => specifier.startsWith('.'))
    .filter(({ file, specifier }) =>
      new URL(specifier, new URL(file, tests)).href.startsWith(bench),
    )
    .map(({ file, specifier }) => `${name}${file} imports ${specifier}`);

  expect(wrong).toEqual([]);
});

test('docs/architecture.md has the same tables as this test', () => {
  const text = readFileSync(new URL('docs/architecture.md', root), 'utf8');
  const rows = [
    ...text.matchAll(/^\| `(@[a-z0-9-]+\/[a-z0-9-]+|[a-z0-9-]+)(?:\/)?` \| ([^|]*) \|/gm),
  ];
  const shown = Object.fromEntries(
    rows.map(([, name = '', cell = '']) => [
      name,
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
    ]),
  );

  const owners = Object.entries(OWNER).map(([name, file]) => [name, [file]]);
  expect(shown).toEqual({ ...MAY_IMPORT, ...PACKAGE_MAY_IMPORT, ...Object.fromEntries(owners) });
});

test.each(['test/', 'testing/test/'])('no file under %s is over 500 lines', (name) => {
  const folder = new URL(name, root);
  const long = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => ({ file, lines: linesOf(new URL(file, folder)) }))
    .filter(({ lines }) => lines > 500);

  expect(long.map(({ file, lines }) => `${name}${file}: ${lines} lines`)).toEqual([]);
});

test('no file under operator/ and packages/ is over 400 lines', () => {
  const long = ownFiles
    .map((file) => ({ file, lines: linesOf(new URL(file, root)) }))
    .filter(({ lines }) => lines > 400);

  expect(ownFiles.length).toBeGreaterThan(200);
  expect(
    long.map(({ file, lines }) => `${file}: ${lines} lines`),
    'Move one idea of each into a file of its own.',
  ).toEqual([]);
});

test('no function under operator/ and packages/ is over 60 lines, including inner functions', () => {
  const all = ownFiles.flatMap((file) =>
    functionLengths(readFileSync(new URL(file, root), 'utf8')).map((each) => ({ file, ...each })),
  );
  const long = all.filter(({ lines }) => lines > 60);

  expect(all.length).toBeGreaterThan(2_000);
  expect(
    long.map(({ file, line, name, lines }) => `${file}:${line} ${name}: ${lines} lines`),
    'Move a part of each into a function beside it: one that is declared inside counts, too.',
  ).toEqual([]);
});

test.each([
  ['a function', 'export function one(\n  a: string,\n): void {\n  use(a);\n}\n', ['one 1+5']],
  ['its docstring', '/**\n * Says é, 日 and 😀.\n */\nfunction one() {\n}\n', ['one 4+2']],
  [
    'a function in a function, which counts for both',
    'const outer = () => {\n  const inner = () => {\n    go();\n  };\n  inner();\n};\n',
    ['outer 1+6', 'inner 2+3'],
  ],
  [
    'methods, accessors and private ones',
    'class A {\n  constructor() {}\n  async *#go<\n    T,\n  >() {}\n  get x() {\n    return 1;\n  }\n}\n',
    ['constructor 2+1', 'go 3+3', 'x 6+3'],
  ],
  [
    'members of a value',
    'export const a = {\n  b() {\n  },\n  c: () =>\n    1,\n};\n',
    ['b 2+2', 'c 4+2'],
  ],
  ['one without a name', "test('é😀', async () => {\n  go();\n});\n", [' 1+3']],
  ['declarations without a body', 'declare function f(): void;\ntype T = () => void;\n', []],
])('functionLengths counts the lines of %s', (_, source, expected) => {
  const found = functionLengths(source);

  expect(found.map(({ name, line, lines }) => `${name} ${line}+${lines}`)).toEqual(expected);
});

function linesOf(file: URL): number {
  return readFileSync(file, 'utf8').split(/\n(?!$)/).length;
}

function mayImport(file: string, specifier: string): boolean {
  if (specifier.startsWith('node:')) return builtinModules.includes(specifier.slice(5));
  if (!specifier.startsWith('.')) {
    return OWNER[packageOf(specifier)] === file;
  }
  const folder = file.split('/')[0] ?? '';
  const target = new URL(specifier, `file:///${file}`).pathname.split('/').slice(1);
  if (target.length === 1) return folder === 'cli'; // index.ts: what `chancery run` hands to modules
  return target[0] === folder || (MAY_IMPORT[folder] ?? []).includes(target[0] ?? '');
}

/** `typebox` of `typebox/type`; of a package with a scope both words. */
function packageOf(specifier: string): string {
  const [first = '', second = ''] = specifier.split('/');
  return first.startsWith('@') ? `${first}/${second}` : first;
}

/** The folder of a package of this repository. */
function folderOf(name: string): URL {
  const [, word = ''] = name.split('/');
  return new URL(word === 'testing' ? 'testing/' : `packages/${word}/`, root);
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

function manifestIn(folder: URL): Manifest {
  return JSON.parse(readFileSync(new URL('package.json', folder), 'utf8')) as Manifest;
}

function importsOf(file: string, folder = new URL('operator/', root)): string[] {
  const source = readFileSync(new URL(file, folder), 'utf8');
  const forms =
    /^(?:import|export)\s[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm;
  return [...source.matchAll(forms)].map(([, a, b, c]) => a ?? b ?? c ?? '');
}
