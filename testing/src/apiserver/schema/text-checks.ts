import type { StructuralSchema } from 'chancery/internal';
import { isFormat } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { invalid, tooLong, typeInvalid } from './field-errors.ts';
import { checkedFormat } from './format.ts';
import { regularExpression } from './regular-expression.ts';

/** The first thing that is wrong with the length or the form of a text. */
export function textProblem(
  value: string,
  { maxLength, minLength, pattern }: StructuralSchema,
  path: string,
): FieldError | undefined {
  const length = [...value].length;
  if (maxLength !== undefined && length > maxLength) return tooLong(path, maxLength);
  if (minLength !== undefined && length < minLength) {
    return invalid(path, value, `${path} in body should be at least ${minLength} chars long`);
  }
  if (pattern !== undefined && pattern !== '' && !regularExpression(pattern).test(value)) {
    return invalid(path, value, `${path} in body should match '${pattern}'`);
  }
  return undefined;
}

export function formatProblem(
  value: string,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  const format = checkedFormat(schema);
  if (format === undefined || isFormat(value, format)) return undefined;
  const detail = `${path} in body must be of type ${format}: ${JSON.stringify(value)}`;
  return typeInvalid(path, value, detail);
}
