import type { StructuralSchema } from 'chancery/internal';
import type { FieldError } from '../failures/invalid.ts';
import { typeInvalid } from './field-errors.ts';
import { checkedFormat } from './format.ts';

/** True for a schema that says of which type a value is. */
export function isTyped(schema: StructuralSchema): boolean {
  return typesOf(schema).length > 0 || checkedFormat(schema) !== undefined;
}

/** What is wrong with the type of a value. The message shows the type that was found. */
export function typeProblem(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  const types = typesOf(schema);
  const found = typeOf(value);
  if (value === null) {
    const wrong = types.length > 0 && schema.nullable !== true;
    return wrong ? mustBe(path, types.join(','), found) : undefined;
  }
  const fits =
    types.includes(found) ||
    (found === 'integer' && types.includes('number')) ||
    (found === 'number' && Number.isInteger(value) && types.includes('integer'));
  const format = checkedFormat(schema);
  const isText = typeof value === 'string' || Array.isArray(value);
  const isNumeric = types.includes('number') || types.includes('integer');
  if (format !== undefined && !isText && !fits) return mustBe(path, format, goFormat(found));
  // Of what has a format that is checked, the format is all that is checked.
  if (format !== undefined && isText && !isNumeric) return undefined;
  return fits || types.length === 0 ? undefined : mustBe(path, types.join(','), found);
}

function mustBe(path: string, wanted: string, found: string): FieldError {
  const detail = `${path} in body must be of type ${wanted}: ${JSON.stringify(found)}`;
  return typeInvalid(path, found, detail);
}

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined || schema.type === '' ? [] : [schema.type];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value === 'bigint' ? 'integer' : typeof value;
}

/** What Go calls the format of a value that has the wrong type for a format. */
function goFormat(found: string): string {
  if (found === 'integer') return 'int64';
  return found === 'number' ? 'float64' : '';
}
