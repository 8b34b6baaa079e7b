import { boundedText } from '../../core/text/visible-text.ts';
import type { StructuralSchema } from '../../model/structural-schema.ts';
import { embeddedResourceProblems } from '../validation/embedded-resources.ts';
import { listTypeProblems } from '../validation/list-types.ts';
import { storedForm } from '../validation/stored-form.ts';
import { validateBySchema } from '../validation/validate.ts';
import type { Work } from '../work.ts';

/** Maximum number of problems that are reported for one sample. */
const MAX_PROBLEMS = 100;

/**
 * The API server's reasons to refuse an object:
 * `spec.size: Invalid value: "a": spec.size in body should match '^b$'`. Rules in CEL are not evaluated.
 *
 * @throws TooMuchWork
 */
export function sampleProblems(
  object: unknown,
  schema: StructuralSchema,
  work: Work,
): readonly string[] {
  const value = storedForm(object, schema, work);
  const problems = [
    ...validateBySchema(value, schema, '', { work }),
    ...embeddedResourceProblems(value, schema, '', work),
    ...listTypeProblems(value, schema, '', work),
  ];
  return problems
    .slice(0, MAX_PROBLEMS)
    .map(({ field, message }) => boundedText(`${field}: ${message}`));
}

/**
 * The candidate with the index `at`, among the candidates that the schema allows. If `at` is too large,
 * counting starts again with the first candidate.
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

/**
 * True if the schema allows a scalar. A scalar contains no lists and no embedded resources, so these are not
 * checked.
 */
function fits(value: unknown, schema: StructuralSchema, work: Work): boolean {
  return validateBySchema(value, schema, '', { work }).length === 0;
}
