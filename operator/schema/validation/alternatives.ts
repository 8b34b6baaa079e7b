import type { StructuralSchema } from '../../model/structural-schema.ts';
import { invalid } from './field-errors.ts';
import type { Findings } from './findings.ts';

type Check = (schema: StructuralSchema) => Findings;
type Fail = (why: string) => void;

/**
 * Checks `anyOf`, `oneOf`, `allOf` and `not`. A failure is reported as a problem without a field, followed by
 * the problems of the alternative with the most checks, see `Findings`.
 */
export function checkAlternatives(
  schema: StructuralSchema,
  path: string,
  findings: Findings,
  check: Check,
): void {
  const { anyOf = [], oneOf = [], allOf = [], not } = schema;
  const fail = (why: string): void => {
    findings.add(invalid('', '', `${JSON.stringify(path)} must ${why}`));
  };
  if (anyOf.length > 0) checkAnyOf(anyOf, findings, fail, check);
  if (oneOf.length > 0) checkOneOf(oneOf, findings, fail, check);
  if (allOf.length > 0) checkAllOf(allOf, findings, fail, check);
  if (not !== undefined && check(not).isValid) fail('not validate the schema (not)');
  findings.count();
}

function checkAnyOf(
  schemas: readonly StructuralSchema[],
  findings: Findings,
  fail: Fail,
  check: Check,
): void {
  let closest: Findings | undefined;
  for (const schema of schemas) {
    const result = check(schema);
    if (result.isValid) {
      findings.merge(result);
      return;
    }
    if (closest === undefined || result.checks > closest.checks) closest = result;
  }
  fail('validate at least one schema (anyOf)');
  if (closest !== undefined) findings.merge(closest);
}

function checkOneOf(
  schemas: readonly StructuralSchema[],
  findings: Findings,
  fail: Fail,
  check: Check,
): void {
  const results = schemas.map(check);
  const valid = results.filter((result) => result.isValid);
  const [only] = valid;
  if (only !== undefined && valid.length === 1) {
    findings.merge(only);
    return;
  }
  const found =
    valid.length === 0 ? 'Found none valid' : `Found ${valid.length} valid alternatives`;
  fail(`validate one and only one schema (oneOf). ${found}`);
  if (valid.length > 1) return;
  findings.merge(results.reduce((best, result) => (result.checks > best.checks ? result : best)));
}

function checkAllOf(
  schemas: readonly StructuralSchema[],
  findings: Findings,
  fail: Fail,
  check: Check,
): void {
  const results = schemas.map(check);
  for (const result of results) findings.merge(result);
  const valid = results.filter((result) => result.isValid).length;
  if (valid === results.length) return;
  fail(`validate all the schemas (allOf)${valid === 0 ? '. None validated' : ''}`);
}
