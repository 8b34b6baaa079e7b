/** Which names of an entry examples and documents use. */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './surface.ts';

/** Pages for users. Pages about the toolkit's internals do not count: they show no use of a name. */
const DOCUMENTS = [
  'README.md',
  'manifests/README.md',
  'examples/**/README.md',
  'docs/{guides/**,security,tutorial,coming-from}/*.md',
  'docs/reference/errors.md',
];

/** Names that an example imports from `entry`, or that a document shows. */
export function usedNames(entry: string): ReadonlySet<string> {
  const examples = read(['examples/**/*.ts']).flatMap((text) => importedFrom(entry, text));
  const documents = read(DOCUMENTS).flatMap((text) => [
    ...blocksOf(text).flatMap((code) => importedFrom(entry, code)),
    ...namedIn(text),
  ]);
  return new Set([...examples, ...documents]);
}

function read(patterns: readonly string[]): readonly string[] {
  const files = globSync(patterns, { cwd: ROOT, exclude: ['**/node_modules/**'] });
  return files.map((file) => readFileSync(join(ROOT, file), 'utf8'));
}

function importedFrom(entry: string, text: string): readonly string[] {
  const statements = text.matchAll(/^(?:import|export) [^'";]*?\{([^}]*)\} from '([^']+)'/gm);
  return [...statements]
    .filter(([, , from]) => from === entry)
    .flatMap(([, names = '']) => names.split(','))
    .map((name) => /^\s*(?:type )?(\w+)/.exec(name)?.[1] ?? '');
}

function blocksOf(text: string): readonly string[] {
  return [...text.matchAll(/^```ts[^\n]*\n(.*?)^```$/gms)].map(([, code = '']) => code);
}

/** Words that a sentence or a table begins a piece of code with: `name`, `name(…)`, `Name<…>`. */
function namedIn(text: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  return [...prose.matchAll(/`(\w+)(?:[(<][^`\n]*)?`/g)].map(([, name = '']) => name);
}
