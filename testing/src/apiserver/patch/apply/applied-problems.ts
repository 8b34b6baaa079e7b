import { fieldOf, isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import { rebuildJson } from '../../objects/json-walk.ts';
import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  isNamedField,
  itemSchema,
} from '../fields/field-schema.ts';
import {
  describePath,
  type FieldPath,
  fieldElement,
  indexElement,
  keyElement,
  type PathElement,
  valueElement,
} from '../fields/path-element.ts';

/**
 * Why a configuration cannot be applied, in the words of the server: fields that the schema does not
 * declare, values of another type, items of a keyed list that are there twice or have no key.
 *
 * @returns undefined when it can.
 */
export function appliedProblem(applied: JsonObject, schema: FieldSchema): string | undefined {
  const problems = [...problemsOf(applied, schema, [])];
  const [only] = problems;
  if (problems.length <= 1) return only;
  return ['errors:', ...problems.map((problem) => `  ${problem}`)].join('\n');
}

function* problemsOf(
  value: unknown,
  schema: FieldSchema,
  path: FieldPath,
): Generator<string, void, undefined> {
  if (value === null || value === undefined) return;
  const say = (what: string): string => `${describePath(path)}: ${what}`;
  if (schema.scalar !== undefined) {
    const problem = scalarProblem(value, schema.scalar);
    if (problem !== undefined) yield say(problem);
  } else if (schema.fields !== undefined) {
    if (isJsonObject(value)) yield* fieldProblems(value, schema, path);
    else yield say(`expected map, got ${goPrinted(value)}`);
  } else if (isList(schema)) {
    if (Array.isArray(value)) yield* itemProblems(value, schema, path);
    else yield say(`expected list, got ${goPrinted(value)}`);
  } else if (schema.items !== undefined && isJsonObject(value)) {
    yield* fieldProblems(value, schema, path);
  }
}

function isList(schema: FieldSchema): boolean {
  return schema.keys !== undefined || schema.set === true || schema.list === true;
}

function* fieldProblems(
  value: JsonObject,
  schema: FieldSchema,
  path: FieldPath,
): Generator<string, void, undefined> {
  for (const name of Object.keys(value)) {
    const at = [...path, fieldElement(name)];
    if (schema.closed && !isNamedField(schema, name)) {
      yield `${describePath(at)}: field not declared in schema`;
    } else {
      yield* problemsOf(fieldOf(value, name), fieldSchema(schema, name), at);
    }
  }
}

function* itemProblems(
  items: readonly unknown[],
  schema: FieldSchema,
  path: FieldPath,
): Generator<string, void, undefined> {
  const seen = new Set<PathElement>();
  for (const [index, item] of items.entries()) {
    const element = elementOf(item, schema, index);
    if (element === undefined) {
      const keys = (schema.keys ?? []).map((key) => JSON.stringify(key)).join(' ');
      yield `${describePath(path)}: element ${index}: associative list with keys has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`;
      return;
    }
    if (seen.has(element)) {
      yield `${describePath(path)}: duplicate entries for key ${describePath([element])}`;
    }
    seen.add(element);
    yield* problemsOf(item, itemSchema(schema), [...path, element]);
  }
}

function elementOf(item: unknown, schema: FieldSchema, index: number): PathElement | undefined {
  if (!isAssociative(schema)) return indexElement(index);
  if (schema.keys === undefined) return valueElement(item);
  return keyElement(item, schema.keys, schema.keyDefaults ?? {});
}

function scalarProblem(
  value: unknown,
  scalar: NonNullable<FieldSchema['scalar']>,
): string | undefined {
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goText(value)}}`;
    case 'numeric':
      if (typeof value === 'number' || typeof value === 'bigint') return undefined;
      return `expected numeric (int or float), got ${goType(value)}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${goPrinted(value)}`;
    case 'untyped':
      return typeof value === 'object' ? `expected any scalar, got ${goPrinted(value)}` : undefined;
  }
}

function goType(value: unknown): string {
  if (Array.isArray(value)) return '[]interface {}';
  if (typeof value === 'object') return 'map[string]interface {}';
  return typeof value === 'boolean' ? 'bool' : typeof value;
}

/** A value as Go's `%v` prints it inside of the struct that carries it. */
function goPrinted(value: unknown): string {
  return `&{${goText(value)}}`;
}

/** A value as Go's `%v` prints it: keys of maps in their order. */
export function goText(value: unknown): string {
  const text = (part: unknown): string =>
    Array.isArray(part) ? `[${part.map(text).join(' ')}]` : String(part ?? '<nil>');
  const printed = rebuildJson(value, {
    namesOf: (object) => Object.keys(object).sort(),
    object: (entries) =>
      `map[${[...entries].map(([name, field]) => `${name}:${text(field)}`).join(' ')}]`,
  });
  return text(printed);
}
