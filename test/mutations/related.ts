/** Which files of tests can see a fault in a source: by imports and by the paths that a text names. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';

/** File → files that name it, all from the root of a checkout. */
export type Importers = ReadonlyMap<string, readonly string[]>;

export function importersIn(root: string): Importers {
  const entries = entriesIn(root);
  const importers = new Map<string, string[]>();
  const files = globSync('{operator,packages,testing,test,examples}/**/*.{ts,js,mjs}', {
    cwd: root,
    exclude: ['**/{node_modules,dist}/**'],
  });
  for (const file of files) {
    for (const target of new Set(namedIn(root, file, entries))) {
      importers.set(target, [...(importers.get(target) ?? []), file]);
    }
  }
  return importers;
}

/** The files of `candidates` that reach `file`: the nearest first, and of these the ones in a folder of its name. */
export function nearestFirst(
  importers: Importers,
  file: string,
  candidates: ReadonlySet<string>,
): readonly string[] {
  const distances = new Map([[file, 0]]);
  for (const [each, distance] of distances) {
    for (const importer of importers.get(each) ?? []) {
      if (!distances.has(importer)) distances.set(importer, distance + 1); // and the loop comes to it
    }
  }
  const folder = `/${file.split('/')[1]}/`;
  const place = (each: string): number =>
    (distances.get(each) ?? 0) + (each.includes(folder) ? 0 : 0.5);
  return [...distances.keys()]
    .filter((each) => candidates.has(each))
    .sort((a, b) => place(a) - place(b));
}

/** Name of an entry → its source: `chancery/schema` → `operator/schema.ts`. */
function entriesIn(root: string): ReadonlyMap<string, string> {
  const { workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const entries = new Map<string, string>();
  for (const folder of ['.', ...(workspaces as readonly string[])]) {
    const { name, exports = {} } = JSON.parse(
      readFileSync(join(root, folder, 'package.json'), 'utf8'),
    ) as Manifest;
    for (const [path, target] of Object.entries(exports)) {
      if (typeof target === 'string') continue;
      entries.set(`${name}${path.slice(1)}`, normalize(join(folder, target['chancery-source'])));
    }
  }
  return entries;
}

interface Manifest {
  readonly name: string;
  readonly exports?: Readonly<Record<string, string | { readonly 'chancery-source': string }>>;
}

function namedIn(
  root: string,
  file: string,
  entries: ReadonlyMap<string, string>,
): readonly string[] {
  const text = readFileSync(join(root, file), 'utf8');
  const quoted = [...text.matchAll(/['"`]([^'"`\s]+)['"`]/g)].map(([, word = '']) => word);
  return quoted.flatMap((word) => {
    const entry = entries.get(word);
    if (entry !== undefined) return entry;
    if (!/^(?:\.{1,2}|operator|testing|examples)\/.*\.(?:ts|js|mjs)$/.test(word)) return [];
    const target = normalize(word.startsWith('.') ? join(file, '..', word) : word);
    return existsSync(join(root, target)) ? target : [];
  });
}
