import {
  fieldSchema,
  type StructuralSchema,
  type ValidationRule,
} from '../../model/structural-schema.ts';
import { type FieldError, invalid, notSupported, required } from '../validation/field-errors.ts';

const REASONS = [
  'FieldValueDuplicate',
  'FieldValueForbidden',
  'FieldValueInvalid',
  'FieldValueRequired',
];

const LINE_BREAK = /[\n\r]/;

/** The problems of a rule, except for problems of its CEL expressions. */
export function ruleProblems(
  { rule = '', message = '', messageExpression = '', reason, fieldPath = '' }: ValidationRule,
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const text = message.trim();
  if (rule.trim() === '') problems.push(required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && text === '') {
    problems.push(invalid(`${path}.message`, message, 'must be non-empty if specified'));
  } else if (LINE_BREAK.test(text)) {
    problems.push(invalid(`${path}.message`, message, 'must not contain line breaks'));
  } else if (LINE_BREAK.test(rule.trim()) && text === '') {
    const why = 'message must be specified if rule contains line breaks';
    problems.push(required(`${path}.message`, why));
  }
  if (messageExpression !== '' && messageExpression.trim() === '') {
    const why = 'messageExpression must be non-empty if specified';
    problems.push(required(`${path}.messageExpression`, why));
  }
  if (reason !== undefined && !REASONS.includes(reason)) {
    problems.push(notSupported(`${path}.reason`, reason, REASONS));
  }
  if (fieldPath === '') return problems;
  if (fieldPath.trim() === '') {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  }
  if (LINE_BREAK.test(fieldPath)) {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  }
  if (!isFieldPath(fieldPath, schema)) {
    problems.push(invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  }
  return problems;
}

/** True when a path, such as `.a.b['c']`, refers to a field that the schema has. */
function isFieldPath(path: string, schema: StructuralSchema): boolean {
  const step = /\.([^.[\]]+)|\['((?:[^'\\]|\\.)*)'\]/y;
  let at: StructuralSchema | undefined = schema;
  while (step.lastIndex < path.length) {
    const found = step.exec(path);
    if (found === null || at === undefined) return false;
    at = fieldSchema(at, found[1] ?? (found[2] ?? '').replace(/\\(.)/g, '$1'));
    if (at === undefined) return false;
  }
  return path !== '';
}
