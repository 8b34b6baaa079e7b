/**
 * The architecture of the kit, as a test: which of its folders may import which, what it imports of the toolkit, and
 * what the repository's tests import of it. `CONTRIBUTING.md` shows the first two tables; a test below holds them equal.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = new URL('../../', import.meta.url);

/** Folder of `testing/src/` → folders it may import from, all of them further down; `index.ts` imports any. */
const KIT: Readonly<Record<string, readonly string[]>> = {
  env: ['control-plane', 'ambassador', 'faults', 'apiserver', 'time'],
  operator: ['time'],
  'control-plane': ['ports'],
  ambassador: ['faults'],
  faults: ['time', 'ports'],
  apiserver: ['ports'],
  objects: [],
  time: [],
  ports: [],
};

/** The same for `testing/src/apiserver/`; the files beside `api-server.ts` import any. */
const API_SERVER: Readonly<Record<string, readonly string[]>> = {
  http: [
    'tls',
    'open-api',
    'discovery',
    'protobuf',
    'verbs',
    'patch',
    'cluster',
    'watch',
    'request',
    'auth',
    'storage',
    'registry',
    'tables',
    'objects',
    'failures',
    'built-in-types',
  ],
  tls: [],
  'open-api': ['discovery', 'protobuf', 'behaviour', 'registry', 'objects', 'built-in-types'],
  discovery: ['auth', 'registry', 'objects'],
  protobuf: ['objects', 'built-in-types'],
  'built-in-kinds': [
    'crd',
    'validation',
    'registry',
    'tables',
    'defaults',
    'objects',
    'built-in-types',
  ],
  crd: [
    'verbs',
    'cluster',
    'request',
    'storage',
    'registry',
    'tables',
    'cel',
    'schema',
    'objects',
    'failures',
    'built-in-types',
  ],
  verbs: [
    'admission',
    'patch',
    'cluster',
    'request',
    'auth',
    'storage',
    'validation',
    'registry',
    'objects',
    'failures',
    'built-in-types',
  ],
  admission: [
    'cluster',
    'auth',
    'storage',
    'validation',
    'registry',
    'defaults',
    'cel',
    'objects',
    'failures',
  ],
  controllers: ['cluster', 'objects', 'failures'],
  patch: ['validation', 'objects', 'built-in-types'],
  cluster: ['watch', 'behaviour', 'auth', 'storage', 'registry', 'objects'],
  watch: ['storage', 'registry', 'objects', 'built-in-types'],
  request: ['behaviour', 'auth', 'validation', 'registry', 'objects', 'failures'],
  behaviour: ['storage', 'objects'],
  auth: ['storage', 'registry', 'objects', 'failures'],
  storage: ['objects'],
  validation: ['registry', 'cel', 'objects', 'failures', 'built-in-types'],
  registry: ['tables', 'objects', 'failures'],
  tables: ['objects'],
  defaults: ['objects'],
  cel: ['schema', 'objects', 'failures'],
  schema: ['objects', 'failures'],
  objects: ['failures', 'built-in-types'],
  failures: [],
  'built-in-types': [],
};

/** Entries of the toolkit that the kit may import, as any other package could. */
const ENTRIES = [
  'chancery',
  'chancery/internal-testing',
  'chancery/kubernetes',
  'chancery/schema',
] as const;

/** Sources of the kit that tests of other folders import by path: its public entry lacks what they need. */
const BY_PATH: readonly string[] = [
  'testing/src/ambassador/kubectl.ts',
  'testing/src/apiserver/api-server.ts',
  'testing/src/apiserver/auth/access.ts',
  'testing/src/apiserver/auth/bootstrap-policy.ts',
  'testing/src/apiserver/auth/policy-rule.ts',
  'testing/src/apiserver/auth/rule-coverage.ts',
  'testing/src/apiserver/built-in-types/built-in-types.ts',
  'testing/src/apiserver/registry/built-in-resources.ts',
  'testing/src/apiserver/schema/regular-expression.ts',
  'testing/src/apiserver/tls/certificate-authority.ts',
  'testing/test/apiserver/auth/rbac-server.ts',
];

const { dependencies } = JSON.parse(read('testing/package.json')) as {
  readonly dependencies: Readonly<Record<string, string>>;
};

describe.each([
  ['testing/src/', KIT],
  ['testing/src/apiserver/', API_SERVER],
])('of %s', (top, table) => {
  const folders = Object.keys(table);
  const folderOf = (file: string): string | undefined => /^([^/]+)\//.exec(file)?.[1];

  test('each file imports only what its folder may', () => {
    const wrong = importsIn(top.slice(0, -1)).flatMap(({ file, specifier }) => {
      const from = folderOf(file.slice(top.length));
      const target = posix.join(posix.dirname(file), specifier);
      if (from === undefined || !specifier.startsWith('.') || !target.startsWith(top)) return [];
      const to = folderOf(target.slice(top.length));
      const isAllowed = to === from || (to !== undefined && table[from]?.includes(to) === true);
      return isAllowed ? [] : [`${file} imports ${target}`];
    });

    expect(wrong).toEqual([]);
  });

  test('each folder stands in the table, and imports only folders further down', () => {
    const there = readdirSync(new URL(top, root), { withFileTypes: true });
    const wrong = folders.flatMap((folder, at) =>
      (table[folder] ?? [])
        .filter((name) => folders.indexOf(name) <= at)
        .map((name) => `${folder} may import ${name}`),
    );

    expect(there.filter((each) => each.isDirectory()).map(({ name }) => name)).toEqual(
      folders.toSorted(),
    );
    expect(wrong).toEqual([]);
  });

  test('CONTRIBUTING.md shows the same table', () => {
    const rows = read('CONTRIBUTING.md').matchAll(/^\| `([a-z/-]+)\/` \| ([^|]*) \|/gm);
    const inTop = [...rows].flatMap(([, path = '', cell = '']) => {
      const name = `testing/src/${path}`.slice(top.length);
      return `testing/src/${path}` === top + name && !name.includes('/') ? [{ name, cell }] : [];
    });
    const shown = inTop.map(({ name, cell }) => [
      name,
      [...cell.matchAll(/`([^`]+)`/g)].map(([, word = '']) => word),
    ]);

    expect(shown).toEqual(Object.entries(table));
  });
});

test('no two folders of the kit import each other, at any depth', () => {
  const edges = importsIn('testing/src').flatMap(({ file, specifier }) => {
    const from = posix.dirname(file);
    const to = posix.dirname(posix.join(from, specifier));
    return specifier.startsWith('.') && to !== from ? [`${from} -> ${to}`] : [];
  });
  const reversed = (edge: string): string => edge.split(' -> ').reverse().join(' -> ');

  expect(edges.length).toBeGreaterThan(500);
  expect(edges.filter((edge) => edges.includes(reversed(edge)))).toEqual([]);
});

test('the kit imports Node, its dependencies, and public entries of the toolkit', () => {
  const wrong = importsIn('testing/src').filter(({ file, specifier }) => {
    if (specifier.startsWith('node:')) return false;
    if (!specifier.startsWith('.')) {
      return !(ENTRIES as readonly string[]).includes(specifier) && !(specifier in dependencies);
    }
    return !posix.join(posix.dirname(file), specifier).startsWith('testing/src/');
  });

  expect(wrong).toEqual([]);
});

test('every dependency of the kit is imported', () => {
  const used = new Set(importsIn('testing/src').map(({ specifier }) => specifier));

  expect(Object.keys(dependencies).filter((name) => !used.has(name))).toEqual([]);
});

/** Package → the one file of the kit that may import it. CEL is a folder of its own. */
const OWNER: Readonly<Record<string, string>> = {
  asn1js: 'testing/src/apiserver/tls/certificate-authority.ts',
  croner: 'testing/src/apiserver/controllers/batch/cron-schedule.ts',
  re2js: 'testing/src/apiserver/schema/regular-expression.ts',
};

test.each(Object.entries(OWNER))('of the kit, %s is imported by %s alone', (name, owner) => {
  const importing = importsIn('testing/src').filter(({ specifier }) => specifier === name);

  expect(importing.map(({ file }) => file)).toEqual([owner]);
});

test('chancery/internal-testing has at most 40 names, and each is imported by the kit', () => {
  const names = namesIn(read('operator/internal-testing.ts'), /export (?:type )?\{([^}]*)\}/g);
  const imported = filesIn('testing/src').flatMap((file) =>
    namesIn(read(file), /import (?:type )?\{([^}]*)\} from 'chancery\/internal-testing'/g),
  );

  expect(names.length).toBeGreaterThan(0);
  expect(names.length).toBeLessThanOrEqual(40);
  expect(names.filter((name) => !imported.includes(name))).toEqual([]);
});

test('nobody but the kit imports chancery/internal-testing', () => {
  const others = ['operator', 'examples', 'test', 'bench'].flatMap((folder) =>
    importsIn(folder).filter(({ specifier }) => specifier === 'chancery/internal-testing'),
  );

  expect(others).toEqual([]);
});

test('other folders import the kit by its name, but for a list that only shrinks', () => {
  const found = ['operator', 'examples', 'test', 'bench'].flatMap((folder) =>
    importsIn(folder).flatMap(({ file, specifier }) => {
      const target = posix.join(posix.dirname(file), specifier);
      return specifier.startsWith('.') && target.startsWith('testing/') ? [target] : [];
    }),
  );

  expect([...new Set(found)].toSorted()).toEqual(BY_PATH);
});

function importsIn(
  folder: string,
): readonly { readonly file: string; readonly specifier: string }[] {
  const forms =
    /^(?:import|export)\s[^'";]*?from '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'/gm;
  return filesIn(folder).flatMap((file) =>
    [...read(file).matchAll(forms)].map(([, a, b, c]) => ({ file, specifier: a ?? b ?? c ?? '' })),
  );
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(fileURLToPath(new URL(folder, root)), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.split('/').includes('node_modules'))
    .map((file) => `${folder}/${file}`);
}

function namesIn(source: string, statement: RegExp): readonly string[] {
  return [...source.matchAll(statement)].flatMap(([, list = '']) =>
    list.split(',').flatMap((name) => name.replace('type ', '').trim() || []),
  );
}

function read(file: string): string {
  return readFileSync(new URL(file, root), 'utf8');
}
