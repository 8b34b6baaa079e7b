import { invalid, type StructuralSchema, type ValidationRule } from 'chancery/internal';
import { judgeRules, type RuleVerdict } from '../cel/compiled-rules.ts';
import type { FieldError } from '../failures/invalid.ts';
import { goJson } from '../objects/canonical.ts';
import { isObject } from '../objects/metadata.ts';

/**
 * What is wrong with the CEL rules of a schema that has no other problem.
 *
 * @param uncorrelatable - the path of what cannot be matched with its state before, if that is so.
 * @throws OperatorError `CONFIG` when there are rules, and the library that compiles them is missing.
 */
export function rulesProblems(
  schema: StructuralSchema,
  path: string,
  isRoot = true,
  uncorrelatable?: string,
): readonly FieldError[] {
  const { additionalProperties, items } = schema;
  const problems: FieldError[] = [];
  if (isObject(additionalProperties)) {
    const child = additionalProperties as StructuralSchema;
    problems.push(...rulesProblems(child, `${path}.additionalProperties`, false, uncorrelatable));
  }
  for (const [name, child] of Object.entries(schema.properties ?? {})) {
    const at = `${path}.properties[${name}]`;
    problems.push(...rulesProblems(child, at, false, uncorrelatable));
  }
  if (items !== undefined) {
    const lost = schema['x-kubernetes-list-type'] === 'map' ? undefined : path;
    problems.push(...rulesProblems(items, `${path}.items`, false, uncorrelatable ?? lost));
  }
  const own = judgeRules(schema, isRoot).flatMap((verdict, at) =>
    verdictProblems(verdict, `${path}.x-kubernetes-validations[${at}]`, uncorrelatable),
  );
  return [...problems, ...own];
}

function verdictProblems(
  { rule, program, messageProgram }: RuleVerdict,
  path: string,
  uncorrelatable: string | undefined,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  if ('rejected' in program) {
    problems.push(invalidRule(`${path}.rule`, rule, program.rejected));
  }
  if (messageProgram !== undefined && 'rejected' in messageProgram) {
    const at = `${path}.messageExpression`;
    problems.push(invalidRule(at, rule, messageProgram.rejected));
  }
  if ('rejected' in program) return problems;
  if (program.usesOldSelf && uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    problems.push(invalid(`${path}.rule`, rule.rule, why));
  } else if (!program.usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    problems.push(invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why));
  }
  return problems;
}

/** A rule as the server shows it: with the field names of its Go struct. */
function invalidRule(field: string, rule: ValidationRule, why: string): FieldError {
  const shown = goJson({
    Rule: rule.rule,
    Message: rule.message ?? '',
    MessageExpression: rule.messageExpression ?? '',
    Reason: rule.reason ?? null,
    FieldPath: rule.fieldPath ?? '',
    OptionalOldSelf: rule.optionalOldSelf ?? null,
  });
  return { field, reason: 'FieldValueInvalid', message: `Invalid value: ${shown}: ${why}` };
}
