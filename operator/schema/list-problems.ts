import type { StructuralSchema } from '../model/structural-schema.ts';
import type { FieldProblem } from './field-problem.ts';
import { isJson } from './keywords.ts';

/** What breaks the promise of a list: a set has no value twice, a map no key. */
export function* listProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): Generator<FieldProblem> {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return;
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  const seen = new Set<string>();
  for (const [at, item] of value.entries()) {
    const identity = type === 'map' ? keysOf(item, names) : item;
    const text = canonical(identity);
    if (seen.has(text)) yield { path: `${path}[${at}]`, message: `Duplicate value: ${text}` };
    seen.add(text);
  }
}

function keysOf(item: unknown, names: readonly string[]): unknown {
  if (!isJson(item)) return {};
  const present = names.filter((name) => Object.hasOwn(item, name));
  return Object.fromEntries(present.map((name) => [name, item[name]]));
}

/** As JSON whose fields stand in order, so that equal values are equal texts. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, child: unknown) =>
    isJson(child)
      ? Object.fromEntries(Object.entries(child).sort(([a], [b]) => (a < b ? -1 : 1)))
      : child,
  );
}
