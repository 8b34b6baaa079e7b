/** Short names of kinds in the commands of the examples' READMEs: each must mean one kind. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';

const root = fileURLToPath(new URL('../../examples/', import.meta.url));

interface Definition {
  readonly kind?: string;
  readonly metadata: { readonly name: string };
  readonly spec: { readonly names: { readonly shortNames?: readonly string[] } };
}

/** Names of definitions by their short names. */
function definitionsByShortName(): ReadonlyMap<string, ReadonlySet<string>> {
  const found = new Map<string, Set<string>>();
  for (const path of globSync('**/*.yaml', { cwd: root })) {
    const text = readFileSync(root + path, 'utf8');
    if (!text.includes('kind: CustomResourceDefinition')) continue;
    for (const document of parseAllDocuments(text)) {
      const definition = document.toJS() as Definition | null;
      if (definition?.kind !== 'CustomResourceDefinition') continue;
      for (const shortName of definition.spec.names.shortNames ?? []) {
        const names = found.get(shortName) ?? new Set();
        found.set(shortName, names.add(definition.metadata.name));
      }
    }
  }
  return found;
}

/** What the commands of a README name: `get jobs,db` names `jobs` and `db`. */
function kindsIn(readme: string): readonly string[] {
  return readme
    .split('\n')
    .filter((line) => /^ {4}.*\bkubectl /.test(line))
    .flatMap((line) => line.split(/\s+/))
    .flatMap((word) => word.split('/')[0]?.split(',') ?? []);
}

test('[real R-8] no README uses a short name that two definitions in the examples have', () => {
  const shared = [...definitionsByShortName()]
    .filter(([, definitions]) => definitions.size > 1)
    .map(([shortName]) => shortName);
  const readmes = globSync('*/README.md', { cwd: root });

  const used = readmes.flatMap((path) =>
    kindsIn(readFileSync(root + path, 'utf8'))
      .filter((kind) => shared.includes(kind))
      .map((kind) => `${path}: ${kind}`),
  );

  expect(shared).toContain('db');
  expect(readmes.length).toBeGreaterThan(10);
  expect(used).toEqual([]);
});
