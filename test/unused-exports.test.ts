/** What a file of `operator/` or of the test kit exports, another file imports; but for the names of the public entries. */
import { globSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../', import.meta.url));
const EVERYTHING = '*';

const files = globSync('{operator,packages,testing,examples,test,bench,proxy}/**/*.ts', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', '**/dist/**', 'test/.*/**'],
});
const texts = new Map(files.map((file) => [file, readFileSync(join(ROOT, file), 'utf8')] as const));
const entries = ['.', 'testing', ...globSync('packages/*', { cwd: ROOT })].flatMap((folder) => {
  const { exports } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | { readonly 'chancery-source': string }>>;
  };
  return Object.values(exports).flatMap((target) =>
    typeof target === 'string' ? [] : normalize(join(folder, target['chancery-source'])),
  );
});

/** `FILE NAME` of each name that a file imports or passes on, and `FILE *` where it takes all. */
function importsOf(file: string): readonly string[] {
  const text = texts.get(file) ?? '';
  const named = text.matchAll(/^(?:import|export) (?:type )?\{([^}]*)\} from '(\.[^']*)'/gm);
  const whole = text.matchAll(
    /^(?:import|export) (?:type )?\*(?: as \w+)? from '(\.[^']*)'|\bimport\(\s*(?:\/\*.*?\*\/ )?'(\.[^']*)'/gm,
  );
  const target = (specifier: string): string => join(dirname(file), specifier);
  return [
    ...[...named].flatMap(([, names = '', from = '']) =>
      names.split(',').map((name) => `${target(from)} ${importedName(name)}`),
    ),
    ...[...whole].map(([, a, b]) => `${target(a ?? b ?? '')} ${EVERYTHING}`),
  ];
}

/** `a` of `type a as b`. */
function importedName(specifier: string): string {
  return /^\s*(?:type )?(\w*)/.exec(specifier)?.[1] ?? '';
}

/** Values that a file declares and exports, and names that it passes on. */
function exportsOf(file: string): readonly string[] {
  const text = texts.get(file) ?? '';
  const declared = text.matchAll(
    /^export (?:async )?(?:abstract )?(?:function\*?|const|let|class) (\w+)/gm,
  );
  const passedOn = text.matchAll(/^export \{([^}]*)\}(?: from '[^']*')?;/gm);
  return [
    ...[...declared].map(([, name = '']) => name),
    ...[...passedOn].flatMap(([, names = '']) =>
      names
        .split(',')
        .filter((name) => !/^\s*(?:type |$)/.test(name))
        .map((name) => /(\w+)\s*$/.exec(name)?.[1] ?? ''),
    ),
  ];
}

test.each([
  ['operator/', 500],
  ['testing/src/', 400],
])('every exported value in %s is public, or is imported by another file', (folder, atLeast) => {
  const imported = new Set(files.flatMap(importsOf));
  const isUsed = (file: string, name: string): boolean =>
    imported.has(`${file} ${name}`) || imported.has(`${file} ${EVERYTHING}`);

  const own = files.filter((file) => file.startsWith(folder) && !entries.includes(file));
  const all = own.flatMap((file) => exportsOf(file).map((name) => ({ file, name })));
  const unused = all.filter(({ file, name }) => !isUsed(file, name));

  expect(all.length).toBeGreaterThan(atLeast);
  expect(unused.map(({ file, name }) => `${file}: ${name}`)).toEqual([]);
});
