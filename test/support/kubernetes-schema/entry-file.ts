import { basename } from 'node:path';

const DOC = `/**
 * The kinds of Kubernetes: \`chancery/kubernetes\`, an entry of its own, because they are many.
 *
 * - a resource of each built-in kind, such as \`configMaps\`: what a controller or a client names;
 * - the type of each kind, such as \`ConfigMap\`;
 * - all types of a group and version under its name, such as \`coreV1.Container\`.
 *
 * @module
 */
`;

/** Types that are no kinds and that programs name as often. */
const BESIDE: Readonly<Record<string, readonly string[]>> = {
  'core-v1.ts': ['ObjectReference'],
  'forms.ts': ['IntOrString', 'Quantity'],
};
/** `Event` is a type that Node has for all programs. */
const RENAMED: Readonly<Record<string, string>> = { Event: 'Event as KubernetesEvent' };

/** `operator/kubernetes.ts`: every resource, and the type of every kind that `resources.ts` imports. */
export function entryFile(files: ReadonlyMap<string, string>, header: string): string {
  const kinds = kindsByFile(files.get('resources.ts') ?? '');
  const names = [...files.keys(), 'forms.ts'].sort();
  const exports = names.map((file) => {
    const from = `'./model/kubernetes/${file}'`;
    if (file === 'resources.ts') return `export * from ${from};\n`;
    const types = [...(kinds.get(file) ?? []), ...(BESIDE[file] ?? [])]
      .sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1))
      .map((name) => RENAMED[name] ?? name);
    const all = file === 'forms.ts' ? '' : `export type * as ${namespaceOf(file)} from ${from};\n`;
    return `${all}${types.length === 0 ? '' : exportLine(from, types)}`;
  });
  return `${header}\n${DOC}\n${exports.join('')}`;
}

function kindsByFile(resources: string): ReadonlyMap<string, readonly string[]> {
  const imports = resources.matchAll(/^import type \{([^}]*)\} from '\.\/([^']+)';$/gm);
  return new Map(
    [...imports].map(([, names = '', file = '']) => [file, names.match(/\w+/g) ?? []] as const),
  );
}

/** `coreV1` of `core-v1.ts`. */
function namespaceOf(file: string): string {
  return basename(file, '.ts').replace(/-(.)/, (_, letter: string) => letter.toUpperCase());
}

function exportLine(from: string, names: readonly string[]): string {
  const line = `export type { ${names.join(', ')} } from ${from};\n`;
  if (line.length <= 101) return line;
  return `export type {\n${names.map((name) => `  ${name},\n`).join('')}} from ${from};\n`;
}
