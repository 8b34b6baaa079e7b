import type { StructuralSchema } from '../../model/structural-schema.ts';
import { completed } from '../completed.ts';
import { isJson } from '../keywords.ts';
import { valueProblems } from '../value-problems.ts';

/**
 * Why the API server would refuse an object: `spec.size: should match '^[a-z]$'`. It does not evaluate CEL
 * rules.
 */
export function sampleProblems(object: unknown, schema: StructuralSchema): readonly string[] {
  return problemsOf(completed(object, schema, true), schema, '');
}

/** The candidate number `at` of those that the schema allows, which are counted in a circle. */
export function fitting<T>(
  candidates: Iterable<T>,
  schema: StructuralSchema,
  at: number,
): T | undefined {
  const found = new Set<T>();
  for (const each of candidates) {
    if (found.has(each) || problemsOf(each, schema, '').length > 0) continue;
    found.add(each);
    if (found.size > at) return each;
  }
  return [...found][at % found.size];
}

/** The problems of one value, in alternatives as well. */
function problemsOf(value: unknown, schema: StructuralSchema, path: string): readonly string[] {
  return [
    ...[...valueProblems(value, schema, path)].map((each) => `${each.path}: ${each.message}`),
    ...alternativeProblems(value, schema, path),
  ];
}

function alternativeProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): readonly string[] {
  const fits = (each: StructuralSchema): boolean => problemsOf(value, each, path).length === 0;
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  return [
    ...allOf.flatMap((each) => problemsOf(value, each, path)),
    ...(anyOf.length > 0 && !anyOf.some(fits) ? [`${path}: must match one schema of anyOf`] : []),
    ...(oneOf.length > 0 && oneOf.filter(fits).length !== 1
      ? [`${path}: must match exactly one schema of oneOf`]
      : []),
    ...(not !== undefined && fits(not) ? [`${path}: must not match the schema of not`] : []),
    ...childrenOf(value, schema).flatMap(([step, child, below]) =>
      alternativeProblems(child, below, `${path}${step}`),
    ),
  ];
}

function childrenOf(
  value: unknown,
  { items, properties, additionalProperties }: StructuralSchema,
): readonly (readonly [step: string, value: unknown, schema: StructuralSchema])[] {
  if (Array.isArray(value)) {
    return items === undefined ? [] : value.map((item, at) => [`[${at}]`, item, items] as const);
  }
  if (!isJson(value)) return [];
  return Object.entries(value).flatMap(([name, child]) => {
    const own = Object.hasOwn(properties ?? {}, name) ? properties?.[name] : undefined;
    const schema = own ?? additionalProperties;
    return typeof schema === 'object' ? [[`.${name}`, child, schema] as const] : [];
  });
}
