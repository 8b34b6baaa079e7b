import { fieldSchema, type StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { jsonEquals } from '../objects/json-value.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { checkCombinations } from './combinations.ts';
import type { Correlation } from './correlation.ts';
import { invalid, notSupported, required, tooMany } from './field-errors.ts';
import { Findings } from './findings.ts';
import { numberProblems } from './number-checks.ts';
import { join } from './structural-schema.ts';
import { formatProblem, textProblem } from './text-checks.ts';
import { isTyped, typeProblem } from './type-check.ts';

/**
 * What is wrong with `value` by the schema. Among the fields of an object the order of the server
 * is that of a Go map, which is any; here it is that of their names.
 *
 * @param correlation - of an update: what is wrong in a part that did not change is no problem.
 */
export function validateBySchema(
  value: unknown,
  schema: StructuralSchema,
  path = '',
  correlation?: Correlation,
): readonly FieldError[] {
  return findingsOf(value, schema, path, correlation).problems;
}

/** The findings in one value and everything below it; none that an unchanged value had before. */
function findingsOf(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  correlation: Correlation | undefined,
): Findings {
  const findings = check(value, schema, path, correlation);
  return !findings.isValid && correlation?.unchanged === true ? findings.tolerated() : findings;
}

/** The checks of the server, one after another: a value of the wrong type fails the others, too. */
function check(
  value: unknown,
  schema: StructuralSchema,
  path: string,
  correlation: Correlation | undefined,
): Findings {
  const findings = new Findings();
  if (isTyped(schema)) {
    const problem = typeProblem(value, schema, path);
    findings.add(problem);
    if (value !== null) findings.count();
    if (problem === undefined) findings.count();
  }
  if (value === null) {
    findings.add(enumProblem(value, schema, path));
    return findings;
  }
  checkCombinations(schema, path, findings, (alternative) =>
    check(value, alternative, path, correlation),
  );
  if (typeof value === 'string') {
    findings.add(textProblem(value, schema, path));
    findings.add(formatProblem(value, schema, path));
  } else if (typeof value === 'number' || typeof value === 'bigint') {
    for (const problem of numberProblems(value, schema, path)) findings.add(problem);
  } else if (Array.isArray(value)) checkList(value, schema, path, correlation, findings);
  findings.add(enumProblem(value, schema, path));
  if (isObject(value)) checkObject(value, schema, path, correlation, findings);
  return findings;
}

function enumProblem(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  if (schema.enum === undefined) return undefined;
  if (schema.enum.some((allowed) => jsonEquals(allowed, value))) return undefined;
  return notSupported(path, value, schema.enum);
}

function checkList(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  const { items, minItems, maxItems } = schema;
  if (items !== undefined) {
    for (const [at, item] of value.entries()) {
      findings.merge(findingsOf(item, items, `${path}[${at}]`, correlation?.item(at)));
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
  path: string,
  correlation: Correlation | undefined,
  findings: Findings,
): void {
  const { minProperties, maxProperties } = schema;
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
    // Clients cannot change their apiVersion and kind: both states are shown in one version.
    const matched = path === '' && isTypeMeta(field) ? undefined : correlation?.field(field);
    findings.merge(findingsOf(value[field], child, join(path, field), matched));
  }
  for (const field of schema.required ?? []) {
    if (!Object.hasOwn(value, field)) findings.add(required(join(path, field)));
  }
}

function isTypeMeta(field: string): boolean {
  return field === 'apiVersion' || field === 'kind';
}
