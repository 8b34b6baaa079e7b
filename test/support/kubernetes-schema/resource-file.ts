import { BUILT_IN_RESOURCES } from '../../../testing/src/apiserver/registry/built-in-resources.ts';
import { Names } from './names.ts';
import type { TypeData } from './type-data.ts';

/**
 * Served in two versions: the constant is that of the one that people use. The others are the same
 * objects in an older form.
 */
const OLD_FORMS: ReadonlySet<string> = new Set([
  'v1/events',
  'autoscaling/v1/horizontalpodautoscalers',
]);

/** `resources.ts`: one constant for each built-in resource. */
export function resourceFile(data: TypeData): string {
  const imports = new Map<string, Set<string>>();
  const blocks: string[] = [];
  for (const { group, version, plural, kind, namespaced } of BUILT_IN_RESOURCES) {
    const apiVersion = group === '' ? version : `${group}/${version}`;
    if (OLD_FORMS.has(`${apiVersion}/${plural}`)) continue;
    const name = data.kinds[`${apiVersion}/${kind}`];
    if (name !== undefined) {
      const file = `./${Names.file(name)}`;
      imports.set(file, (imports.get(file) ?? new Set()).add(kind));
    }
    const type = name === undefined ? 'Resource' : `Resource<${kind}>`;
    const start = `export const ${constantName(kind, plural)}: ${type} =`;
    const block = [
      'defineResource({',
      `  group: '${group}',`,
      `  version: '${version}',`,
      `  plural: '${plural}',`,
      `  kind: '${kind}',`,
      `  namespaced: ${namespaced},`,
      '});',
    ];
    const fits = start.length + 1 + 'defineResource({'.length <= 100;
    const scope = namespaced ? 'namespaced' : 'cluster-scoped';
    blocks.push(`/** \`${apiVersion}\`, ${scope}. */\n`);
    blocks.push(fits ? `${start} ${block.join('\n')}\n` : `${start}\n  ${block.join('\n  ')}\n`);
  }
  const lines = [...imports].sort().map(([from, kinds]) => importLine(from, [...kinds].sort()));
  return `
import { defineResource, type Resource } from '../resource.ts';
${lines.join('')}
${blocks.join('')}`;
}

function importLine(from: string, names: readonly string[]): string {
  const line = `import type { ${names.join(', ')} } from '${from}';\n`;
  if (line.length <= 101) return line;
  return `import type {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}';\n`;
}

/** `networkPolicies` for NetworkPolicy, `csiDrivers` for CSIDriver: the plural with the kind's capitals. */
export function constantName(kind: string, plural: string): string {
  let common = 0;
  while (common < kind.length && kind[common]?.toLowerCase() === plural[common]) common++;
  const capitals = /^[A-Z]+(?=[A-Z][a-z])|^[A-Z]/.exec(kind)?.[0] ?? '';
  return `${capitals.toLowerCase()}${kind.slice(capitals.length, common)}${plural.slice(common)}`;
}
