import { isMapping } from '../../core/mapping.ts';
import { fieldSchema, type StructuralSchema } from '../../model/structural-schema.ts';
import type { Json } from '../keywords.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { checkAlternatives } from './alternatives.ts';
import type { Correlation } from './correlation.ts';
import { type FieldError, invalid, notSupported, required, tooMany } from './field-errors.ts';
import { Findings } from './findings.ts';
import { jsonEquals } from './json-equality.ts';
import { numberProblems } from './number-checks.ts';
import { isTyped, textProblems, typeProblem } from './scalar-checks.ts';
import { joined } from './schema-places.ts';

/** Options for validating a value. */
export interface Validating {
  /** Set for an update. Problems of unchanged fields and items are then ignored. */
  readonly correlation?: Correlation | undefined;
  /** Limits the work. Default: no limit, except for each pattern. */
  readonly work?: Work;
}

/**
 * The problems that `value` has according to the schema, with the API server's messages. Rules in CEL are not
 * evaluated. The API server reports the fields of an object in the random order of a Go map. Here they are
 * ordered by name.
 *
 * @param value - the value as it is stored: with defaults, and without the fields that the API server prunes.
 * @throws TooMuchWork
 */
export function validateBySchema(
  value: unknown,
  schema: StructuralSchema,
  path: string = '',
  { correlation, work = UNLIMITED }: Validating = {},
): readonly FieldError[] {
  return findingsOf(value, schema, { path, correlation, work }).problems;
}

/** The position of a value. */
interface Place {
  readonly path: string;
  readonly correlation: Correlation | undefined;
  readonly work: Work;
}

/**
 * The findings for a value and everything in it. Problems of an unchanged value are omitted, because the
 * value had them before.
 */
function findingsOf(value: unknown, schema: StructuralSchema, place: Place): Findings {
  const findings = check(value, schema, place);
  return !findings.isValid && place.correlation?.unchanged === true
    ? findings.tolerated()
    : findings;
}

/**
 * Makes all the checks that the API server makes, one after another. A value of the wrong type usually fails
 * later checks as well.
 */
function check(value: unknown, schema: StructuralSchema, place: Place): Findings {
  const { path, work } = place;
  work.spend(1);
  const findings = new Findings(work);
  if (isTyped(schema)) {
    const problem = typeProblem(value, schema, path);
    findings.add(problem);
    if (value !== null) findings.count();
    if (problem === undefined) findings.count();
  }
  if (value === null) {
    findings.add(enumProblem(value, schema, place));
    return findings;
  }
  checkAlternatives(schema, path, findings, (alternative) => check(value, alternative, place));
  if (typeof value === 'string') {
    for (const problem of textProblems(value, schema, path, work)) findings.add(problem);
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    for (const problem of numberProblems(value, schema, path)) findings.add(problem);
  } else if (Array.isArray(value)) checkList(value, schema, place, findings);
  findings.add(enumProblem(value, schema, place));
  if (isMapping(value)) checkObject(value, schema, place, findings);
  return findings;
}

function enumProblem(
  value: unknown,
  { enum: values }: StructuralSchema,
  { path, work }: Place,
): FieldError | undefined {
  if (values === undefined) return undefined;
  work.spend(values.length);
  if (values.includes(value)) return undefined;
  const isScalar = typeof value !== 'object' || value === null;
  if (!isScalar && values.some((allowed) => jsonEquals(allowed, value, work))) return undefined;
  return notSupported(path, value, values);
}

function checkList(
  value: readonly unknown[],
  { items, minItems, maxItems }: StructuralSchema,
  place: Place,
  findings: Findings,
): void {
  const { path, correlation } = place;
  if (items !== undefined) {
    for (const [at, item] of value.entries()) {
      const below = { ...place, path: `${path}[${at}]`, correlation: correlation?.item(at) };
      findings.merge(findingsOf(item, items, below));
    }
  }
  if (minItems !== undefined && value.length < minItems) {
    const why = `${path} in body should have at least ${minItems} items`;
    findings.add(invalid(path, value.length, why));
  }
  if (maxItems !== undefined && value.length > maxItems) {
    findings.add(tooMany(path, value.length, maxItems));
  }
}

function checkObject(
  value: Json,
  schema: StructuralSchema,
  place: Place,
  findings: Findings,
): void {
  const { path, correlation, work } = place;
  const { minProperties, maxProperties, required: names = [] } = schema;
  const fields = Object.keys(value).sort();
  if (minProperties !== undefined && fields.length < minProperties) {
    const why = `${path} in body should have at least ${minProperties} properties`;
    findings.add(invalid(path, fields.length, why));
  }
  if (maxProperties !== undefined && fields.length > maxProperties) {
    findings.add(tooMany(path, fields.length, maxProperties));
  }
  for (const field of fields) {
    const child = fieldSchema(schema, field);
    if (child === undefined) continue;
    // `apiVersion` and `kind` have no previous value: clients cannot change them.
    const matched = path === '' && isTypeMeta(field) ? undefined : correlation?.field(field);
    const below = { ...place, path: joined(path, field), correlation: matched };
    findings.merge(findingsOf(value[field], child, below));
  }
  work.spend(names.length);
  for (const field of names) {
    if (!Object.hasOwn(value, field)) findings.add(required(joined(path, field)));
  }
}

function isTypeMeta(field: string): boolean {
  return field === 'apiVersion' || field === 'kind';
}
