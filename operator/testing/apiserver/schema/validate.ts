import { isDeepStrictEqual } from 'node:util';
import type { FieldError } from '../failures.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import { isFormat } from './format.ts';
import {
  isResource,
  join,
  OBJECT_FIELDS,
  type StructuralSchema,
  valuesSchema,
} from './structural-schema.ts';

/** What is wrong with `value` by the schema, in the order in which the server finds it. */
export function validateBySchema(
  value: unknown,
  schema: StructuralSchema,
  path = '',
): readonly FieldError[] {
  if (value === null && schema.nullable === true) return [];
  const wrongType = typeProblem(value, schema, path);
  if (wrongType !== undefined) return [wrongType];
  const own = [...enumProblems(value, schema, path), ...combinationProblems(value, schema, path)];
  if (typeof value === 'string') return [...own, ...textProblems(value, schema, path)];
  if (typeof value === 'number') return [...own, ...numberProblems(value, schema, path)];
  if (Array.isArray(value)) return [...own, ...listProblems(value, schema, path)];
  return isObject(value) ? [...own, ...objectProblems(value, schema, path)] : own;
}

function invalidValue(path: string, value: unknown, why: string): FieldError {
  const message = `Invalid value: ${JSON.stringify(value)}: ${path} in body ${why}`;
  return { field: path, reason: 'FieldValueInvalid', message };
}

function typeProblem(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): FieldError | undefined {
  const found = typeOf(value);
  if (schema['x-kubernetes-int-or-string'] === true) {
    return found === 'integer' || found === 'string'
      ? undefined
      : typeError(path, found, 'integer,string');
  }
  const { type } = schema;
  if (type === undefined || type === found || (type === 'number' && found === 'integer')) {
    return undefined;
  }
  return typeError(path, found, type);
}

/** The message shows the type that was found, not the value. */
function typeError(path: string, found: string, wanted: string): FieldError {
  const field = path === '' ? '<nil>' : path;
  const message = `Invalid value: "${found}": ${path} in body must be of type ${wanted}: "${found}"`;
  return { field, reason: 'FieldValueTypeInvalid', message };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function enumProblems(value: unknown, schema: StructuralSchema, path: string): FieldError[] {
  if (schema.enum === undefined) return [];
  if (schema.enum.some((allowed) => isDeepStrictEqual(allowed, value))) return [];
  const allowed = schema.enum.map((one) => JSON.stringify(one)).join(', ');
  const message = `Unsupported value: ${JSON.stringify(value)}: supported values: ${allowed}`;
  return [{ field: path, reason: 'FieldValueNotSupported', message }];
}

function textProblems(value: string, schema: StructuralSchema, path: string): FieldError[] {
  const problems: FieldError[] = [];
  const length = [...value].length;
  if (schema.maxLength !== undefined && length > schema.maxLength) {
    const message = `Too long: may not be more than ${schema.maxLength} bytes`;
    problems.push({ field: path, reason: 'FieldValueTooLong', message });
  }
  if (schema.minLength !== undefined && length < schema.minLength) {
    problems.push(invalidValue(path, value, `should be at least ${schema.minLength} chars long`));
  }
  if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) {
    problems.push(invalidValue(path, value, `should match '${schema.pattern}'`));
  }
  if (schema.format !== undefined && !isFormat(value, schema.format)) {
    const shown = JSON.stringify(value);
    const message = `Invalid value: ${shown}: ${path} in body must be of type ${schema.format}: ${shown}`;
    problems.push({ field: path, reason: 'FieldValueTypeInvalid', message });
  }
  return problems;
}

function numberProblems(value: number, schema: StructuralSchema, path: string): FieldError[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const problems: FieldError[] = [];
  if (maximum !== undefined && (exclusiveMaximum ? value >= maximum : value > maximum)) {
    const relation = exclusiveMaximum ? 'less than' : 'less than or equal to';
    problems.push(invalidValue(path, value, `should be ${relation} ${maximum}`));
  }
  if (minimum !== undefined && (exclusiveMinimum ? value <= minimum : value < minimum)) {
    const relation = exclusiveMinimum ? 'greater than' : 'greater than or equal to';
    problems.push(invalidValue(path, value, `should be ${relation} ${minimum}`));
  }
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) {
    problems.push(invalidValue(path, value, `should be a multiple of ${multipleOf}`));
  }
  return problems;
}

function listProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const { items, minItems, maxItems } = schema;
  if (maxItems !== undefined && value.length > maxItems) {
    const message = `Too many: ${value.length}: must have at most ${maxItems} items`;
    problems.push({ field: path, reason: 'FieldValueInvalid', message });
  }
  if (minItems !== undefined && value.length < minItems) {
    problems.push(invalidValue(path, value.length, `should have at least ${minItems} items`));
  }
  if (items !== undefined) {
    value.forEach((item, at) => {
      problems.push(...validateBySchema(item, items, `${path}[${at}]`));
    });
  }
  return problems.length > 0 ? problems : duplicates(value, schema, path);
}

/** Sets have no value twice, maps no key. */
function duplicates(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): FieldError[] {
  const kind = schema['x-kubernetes-list-type'];
  if (kind !== 'set' && kind !== 'map') return [];
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const identity = (item: unknown): unknown =>
    kind === 'set' || !isObject(item)
      ? item
      : Object.fromEntries(keys.map((key) => [key, item[key]]));
  const seen = new Set<string>();
  const problems: FieldError[] = [];
  value.forEach((item, at) => {
    const text = JSON.stringify(identity(item));
    if (seen.has(text)) {
      const message = `Duplicate value: ${text}`;
      problems.push({ field: `${path}[${at}]`, reason: 'FieldValueDuplicate', message });
    }
    seen.add(text);
  });
  return problems;
}

function objectProblems(
  value: Json,
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  const problems: FieldError[] = [];
  const { minProperties, maxProperties, required = [] } = schema;
  const fields = Object.keys(value);
  for (const field of required) {
    if (value[field] !== undefined) continue;
    problems.push({
      field: join(path, field),
      reason: 'FieldValueRequired',
      message: 'Required value',
    });
  }
  if (minProperties !== undefined && fields.length < minProperties) {
    problems.push(invalidValue(path, value, `should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && fields.length > maxProperties) {
    const message = `Too many: ${fields.length}: must have at most ${maxProperties} items`;
    problems.push({ field: path, reason: 'FieldValueInvalid', message });
  }
  for (const field of fields.sort()) {
    if (isResource(schema, path) && OBJECT_FIELDS.has(field)) continue;
    const child = schema.properties?.[field] ?? valuesSchema(schema);
    if (child !== undefined)
      problems.push(...validateBySchema(value[field], child, join(path, field)));
  }
  return problems;
}

function combinationProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): readonly FieldError[] {
  const { allOf = [], anyOf, oneOf, not } = schema;
  const holds = (one: StructuralSchema): boolean => validateBySchema(value, one, path).length === 0;
  const problems = allOf.flatMap((one) => validateBySchema(value, one, path));
  const isChoice = schema['x-kubernetes-int-or-string'] === true;
  if (anyOf !== undefined && !isChoice && !anyOf.some(holds)) {
    problems.push(invalidValue(path, value, 'must validate at least one schema (anyOf)'));
  }
  if (oneOf !== undefined && oneOf.filter(holds).length !== 1) {
    problems.push(invalidValue(path, value, 'must validate one and only one schema (oneOf)'));
  }
  if (not !== undefined && holds(not)) {
    problems.push(invalidValue(path, value, 'must not validate the schema (not)'));
  }
  return problems;
}
