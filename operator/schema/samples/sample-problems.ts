import type { StructuralSchema } from '../../model/structural-schema.ts';
import { completed } from '../completed.ts';
import { isJson } from '../keywords.ts';
import { valueProblems } from '../value-problems.ts';
import type { Work } from '../work.ts';

/** The largest number of problems that is reported for one sample. */
const MAX_PROBLEMS = 100;

/**
 * Why the API server would refuse an object: `spec.size: should match '^[a-z]$'`. It does not evaluate CEL
 * rules.
 *
 * @throws TooMuchWork
 */
export function sampleProblems(
  object: unknown,
  schema: StructuralSchema,
  work: Work,
): readonly string[] {
  const problems = problemsOf(completed(object, schema, true, work), schema, '', work);
  return problems.take(MAX_PROBLEMS).toArray();
}

/**
 * The candidate number `at` of those that the schema allows, which are counted in a circle.
 *
 * @throws TooMuchWork
 */
export function fitting<T>(
  candidates: Iterable<T>,
  schema: StructuralSchema,
  at: number,
  work: Work,
): T | undefined {
  const found = new Set<T>();
  for (const each of candidates) {
    if (found.has(each) || !fits(each, schema, work)) continue;
    found.add(each);
    if (found.size > at) return each;
  }
  return [...found][at % found.size];
}

function fits(value: unknown, schema: StructuralSchema, work: Work): boolean {
  return problemsOf(value, schema, '', work).next().done === true;
}

/** The problems of one value, in alternatives as well. */
function* problemsOf(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  work: Work,
): Generator<string> {
  for (const each of valueProblems(value, schema, path, work)) {
    yield `${each.path}: ${each.message}`;
  }
  yield* alternativeProblems(value, schema, path, work);
}

function* alternativeProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  work: Work,
): Generator<string> {
  const { allOf = [], anyOf = [], oneOf = [], not } = schema;
  work.spend(1 + allOf.length + anyOf.length + oneOf.length);
  const isAllowedBy = (each: StructuralSchema): boolean => fits(value, each, work);
  for (const each of allOf) yield* problemsOf(value, each, path, work);
  if (anyOf.length > 0 && !anyOf.some(isAllowedBy)) {
    yield `${path}: must match one schema of anyOf`;
  }
  if (oneOf.length > 0 && oneOf.filter(isAllowedBy).length !== 1) {
    yield `${path}: must match exactly one schema of oneOf`;
  }
  if (not !== undefined && isAllowedBy(not)) yield `${path}: must not match the schema of not`;
  for (const [step, child, below] of childrenOf(value, schema)) {
    yield* alternativeProblems(child, below, `${path}${step}`, work);
  }
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
