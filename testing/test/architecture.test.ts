/**
 * The architecture of the kit, as a test: which of its folders may import which. `CONTRIBUTING.md` shows the same two
 * tables; a test below holds them equal.
 */
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importsIn, read, root } from './imports.ts';

/** Folder of `testing/src/` → folders it may import from, all of them further down; `index.ts` imports any. */
const KIT: Readonly<Record<string, readonly string[]>> = {
  explore: ['operator', 'apiserver'],
  replay: ['env', 'apiserver'],
  admin: ['apiserver'],
  env: ['operator', 'control-plane', 'ambassador', 'faults', 'apiserver', 'time', 'ports'],
  operator: ['time'],
  'control-plane': ['ports'],
  conversion: [],
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
    'fault-rules',
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
    'webhooks',
    'tables',
    'cel',
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
    'patch',
    'cluster',
    'auth',
    'storage',
    'validation',
    'registry',
    'webhooks',
    'defaults',
    'cel',
    'objects',
    'failures',
    'built-in-types',
  ],
  controllers: ['cluster', 'objects', 'failures'],
  patch: ['validation', 'objects', 'failures', 'built-in-types'],
  cluster: ['watch', 'behaviour', 'auth', 'storage', 'registry', 'webhooks', 'objects', 'failures'],
  watch: ['storage', 'registry', 'objects', 'built-in-types'],
  request: ['behaviour', 'auth', 'validation', 'registry', 'cel', 'objects', 'failures'],
  behaviour: ['storage', 'objects'],
  'fault-rules': ['auth'],
  auth: ['storage', 'registry', 'objects', 'failures'],
  storage: ['objects'],
  validation: ['registry', 'cel', 'objects', 'failures', 'built-in-types'],
  registry: ['tables', 'objects', 'failures'],
  webhooks: ['objects'],
  tables: ['objects'],
  defaults: ['objects'],
  cel: ['objects', 'failures'],
  objects: ['failures', 'built-in-types'],
  failures: [],
  'built-in-types': [],
};

describe.each([
  ['testing/src/', KIT],
  ['testing/src/apiserver/', API_SERVER],
])('the imports in %s', (top, table) => {
  const folders = Object.keys(table);
  const folderOf = (file: string): string | undefined => /^([^/]+)\//.exec(file)?.[1];

  test('each file imports only from folders that its own folder may import', () => {
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

  test('each folder is in the import table, and may import only folders that are further down in the table', () => {
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

  test('CONTRIBUTING.md contains the same import table', () => {
    const [, page = ''] = read('CONTRIBUTING.md').split('## Inside the embedded API server');
    const rows = page.matchAll(/^\| `([a-z/-]+)\/` \| ([^|]*) \|/gm);
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
