/**
 * Sources → one file of types for each entry, with all docstrings. What one entry exports, the others import from
 * it. So a class or a branded type is the same in all of them. Types that have no name for users are written in
 * each file that needs them.
 */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type InputOptions, type Plugin, rolldown } from 'rolldown';
import { isolatedDeclarationSync } from 'rolldown/experimental';
import { parseSync } from 'rolldown/utils';
import { dts } from 'rolldown-plugin-dts';

/** An entry whose types are written. */
export interface TypesEntry {
  /** What users import, such as `chancery/schema`. */
  readonly specifier: string;
  /** Path of its module. */
  readonly source: string;
  /** Path of its types in `dist`, without `.d.ts`. */
  readonly output: string;
}

/** Names of a module that an entry exports: name in the module → entry, name in the entry. */
type NamesOf = Map<string, { readonly entry: string; readonly name: string }>;

/** What entries export, by module. */
type Shared = Map<string, NamesOf>;

const SOURCE = /(?<!\.d)\.ts$/;

/**
 * Writes the types of `entries` to `dist`. What two of them export is declared in the first. The compiler is not
 * asked: the sources declare the type of each export (`isolatedDeclarations`), and `npm run check` holds that
 * they are right.
 */
export async function bundleTypes(
  options: InputOptions & { readonly cwd: string },
  dist: string,
  entries: readonly TypesEntry[],
): Promise<void> {
  const shared: Shared = new Map();
  for (const { specifier, source } of entries) share(shared, specifier, source);
  for (const { specifier, source, output } of entries) {
    const build = await rolldown({
      ...options,
      input: { [output]: source.replace(SOURCE, '.d.ts') },
      treeshake: { moduleSideEffects: false },
      plugins: [
        declarations(specifier, shared),
        dts({ dtsInput: true, generator: 'oxc', tsconfig: false }),
      ],
    });
    await build.write({ dir: dist, format: 'esm', entryFileNames: '[name].js' });
    await build.close();
  }
}

/** Adds what an entry exports of the modules of its package. */
function share(shared: Shared, entry: string, source: string): void {
  for (const { exported, from } of exportsOf(source)) {
    const origin = from === undefined ? undefined : declarationOf(from);
    if (origin === undefined) continue;
    const names = shared.get(origin.path) ?? new Map();
    shared.set(origin.path, names);
    if (!names.has(origin.name)) names.set(origin.name, { entry, name: exported });
  }
}

/** A name in a module. */
interface Place {
  readonly path: string;
  readonly name: string;
}

/** The module that declares what `place` names, perhaps by another name. */
function declarationOf(place: Place): Place {
  const found = exportsOf(place.path).find(({ exported }) => exported === place.name);
  return found?.from === undefined ? place : declarationOf(found.from);
}

interface Exported {
  readonly exported: string;
  /** Where it comes from, unless the module declares it. */
  readonly from: Place | undefined;
}

/** The names that a module exports one by one. Those of other packages are left out. */
function exportsOf(path: string): readonly Exported[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  const imported = new Map(
    module.staticImports.flatMap(({ moduleRequest, entries }) =>
      entries.map(({ importName, localName }) => [
        localName.value,
        { request: moduleRequest.value, name: importName.name },
      ]),
    ),
  );
  return module.staticExports.flatMap(({ entries }) =>
    entries.flatMap(({ moduleRequest, importName, exportName, localName }) => {
      if (exportName.name === null) return [];
      const from =
        moduleRequest === null
          ? imported.get(localName.name ?? '')
          : { request: moduleRequest.value, name: importName.name };
      if (from === undefined) return { exported: exportName.name, from };
      if (!from.request.startsWith('.') || !from.name) return [];
      const place = { path: resolve(dirname(path), from.request), name: from.name };
      return { exported: exportName.name, from: place };
    }),
  );
}

/** Makes the types of each module for one entry: imports replace what another entry declares. */
function declarations(specifier: string, shared: Shared): Plugin {
  return {
    name: 'declarations',
    resolveId(path, importer = '/') {
      const isOurs = path.startsWith('.') || path.startsWith('/');
      return isOurs ? resolve(dirname(importer), path).replace(SOURCE, '.d.ts') : null;
    },
    load(id) {
      const path = id.replace(/\.d\.ts$/, '.ts');
      const { code, errors } = isolatedDeclarationSync(path, readFileSync(path, 'utf8'));
      if (errors.length > 0) throw new Error(errors.map(({ codeframe }) => codeframe).join('\n'));
      const names = [...(shared.get(path) ?? [])].filter(([, { entry }]) => entry !== specifier);
      return importShared(id, code, new Map(names));
    },
  };
}

/** Replaces the declarations of `names` by imports. */
function importShared(id: string, code: string, names: NamesOf): string {
  const { program, module } = parseSync(id, code);
  const declared = new Map(
    module.staticExports.map(({ start, entries }) => [
      start,
      entries.map(({ moduleRequest, localName }) =>
        moduleRequest === null ? localName.name : null,
      ),
    ]),
  );
  const cut = new Set<string>();
  let kept = '';
  let end = 0;
  for (const statement of program.body) {
    const exported = declared.get(statement.start) ?? [];
    const known = exported.filter((name) => name !== null && names.has(name));
    if (known.length === 0) kept += code.slice(end, statement.end); // with the comment before it
    for (const name of known) cut.add(name ?? '');
    end = statement.end;
  }
  const imports = [...names].map(([local, { entry, name }]) => {
    if (!cut.has(local)) return '';
    return `import { ${name} as ${local} } from '${entry}';\nexport { ${local} };`;
  });
  return [kept, ...imports].join('\n');
}
