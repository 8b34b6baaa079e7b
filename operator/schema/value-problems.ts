import { isDeepStrictEqual } from 'node:util';
import { DNS_1035_LABEL } from '../model/dns-name.ts';
import { fieldSchema, type StructuralSchema } from '../model/structural-schema.ts';
import { type FieldProblem, joined } from './field-problem.ts';
import { isJson, type Json } from './keywords.ts';
import { listProblems } from './list-problems.ts';
import { numberProblems, textProblems } from './scalar-problems.ts';

/**
 * What is wrong with a value by its schema, as the API server sees it, rules aside. Of a value of the
 * wrong type nothing else is said.
 *
 * @param value - completed: with defaults, and without what the server prunes.
 */
export function* valueProblems(
  value: unknown,
  schema: StructuralSchema,
  path: string,
): Generator<FieldProblem> {
  const wanted = typesOf(schema);
  if (wanted.length > 0 && !isOfType(value, wanted, schema)) {
    const found = value === null ? 'null' : typeOf(value);
    yield { path, message: `must be of type ${wanted.join(' or ')}: "${found}"` };
    return;
  }
  if (schema.enum !== undefined && !schema.enum.some((one) => isDeepStrictEqual(one, value))) {
    const values = schema.enum.map((one) => JSON.stringify(one)).join(', ');
    yield { path, message: `Unsupported value: supported values: ${values}` };
  }
  if (typeof value === 'string') {
    for (const message of textProblems(value, schema)) yield { path, message };
  } else if (typeof value === 'number') {
    for (const message of numberProblems(value, schema)) yield { path, message };
  } else if (Array.isArray(value)) yield* itemProblems(value, schema, path);
  else if (isJson(value)) yield* fieldProblems(value, schema, path);
}

function typesOf(schema: StructuralSchema): readonly string[] {
  if (schema['x-kubernetes-int-or-string'] === true) return ['integer', 'string'];
  return schema.type === undefined ? [] : [schema.type];
}

function isOfType(value: unknown, wanted: readonly string[], schema: StructuralSchema): boolean {
  if (value === null) return schema.nullable === true;
  const found = typeOf(value);
  return wanted.includes(found) || (found === 'integer' && wanted.includes('number'));
}

function typeOf(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}

function* itemProblems(
  value: readonly unknown[],
  schema: StructuralSchema,
  path: string,
): Generator<FieldProblem> {
  const { items, minItems = 0, maxItems = Number.POSITIVE_INFINITY } = schema;
  if (value.length < minItems) yield { path, message: `should have at least ${minItems} items` };
  if (value.length > maxItems) {
    yield { path, message: `Too many: ${value.length}: must have at most ${maxItems} items` };
  }
  if (items !== undefined) {
    for (const [at, item] of value.entries()) yield* valueProblems(item, items, `${path}[${at}]`);
  }
  yield* listProblems(value, schema, path);
}

function* fieldProblems(
  value: Json,
  schema: StructuralSchema,
  path: string,
): Generator<FieldProblem> {
  const { minProperties = 0, maxProperties = Number.POSITIVE_INFINITY, required = [] } = schema;
  const fields = Object.keys(value);
  if (fields.length < minProperties) {
    yield { path, message: `should have at least ${minProperties} properties` };
  }
  if (fields.length > maxProperties) {
    yield { path, message: `Too many: ${fields.length}: must have at most ${maxProperties} items` };
  }
  for (const field of required) {
    if (!Object.hasOwn(value, field))
      yield { path: joined(path, field), message: 'Required value' };
  }
  if (schema['x-kubernetes-embedded-resource'] === true) yield* typeMetaProblems(value, path);
  for (const field of fields) {
    const child = fieldSchema(schema, field);
    if (child !== undefined) yield* valueProblems(value[field], child, joined(path, field));
  }
}

const KIND = new RegExp(`^${DNS_1035_LABEL}$`, 'i');
const API_VERSION = /^[^/]*(\/[^/]*)?$/;

/** An object inside an object has to say what it is. */
function* typeMetaProblems(value: Json, path: string): Generator<FieldProblem> {
  for (const [field, form] of [
    ['apiVersion', API_VERSION],
    ['kind', KIND],
  ] as const) {
    const text = value[field];
    if (text === undefined) yield { path: joined(path, field), message: 'Required value' };
    else if (typeof text !== 'string' || text === '' || !form.test(text)) {
      yield { path: joined(path, field), message: `Invalid value: must be the ${field} of a kind` };
    }
  }
}
