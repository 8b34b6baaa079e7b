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
 * The server's message for a configuration that cannot be applied. Such a configuration has fields that the
 * schema does not declare, values of another type, or items of a keyed list that are duplicates or have no
 * key.
 *
 * @returns undefined when the configuration can be applied.
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
  } else if (isList(schema)) {
    if (Array.isArray(value)) yield* itemProblems(value, schema, path);
    else yield say(`expected list, got ${goPrinted(value)}`);
  } else if (schema.map === true || schema.fields !== undefined || schema.items !== undefined) {
    if (isJsonObject(value)) yield* fieldProblems(value, schema, path);
    else yield say(`expected map, got ${goPrinted(value)}`);
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
    if ('problem' in element) {
      yield `${describePath(path)}: element ${index}: ${element.problem}`;
      return;
    }
    if (seen.has(element.path)) {
      yield `${describePath(path)}: duplicate entries for key ${describePath([element.path])}`;
    }
    seen.add(element.path);
    yield* problemsOf(item, itemSchema(schema), [...path, element.path]);
  }
}

type Element = { readonly path: PathElement } | { readonly problem: string };

function elementOf(item: unknown, schema: FieldSchema, index: number): Element {
  if (!isAssociative(schema)) return { path: indexElement(index) };
  if (schema.keys === undefined) return setElement(item);
  const keyed = 'associative list with keys';
  if (item === null) return { problem: `${keyed} may not have a null element` };
  if (!isJsonObject(item)) return { problem: `${keyed} may not have non-map elements` };
  const path = keyElement(item, schema.keys, schema.keyDefaults ?? {});
  if (path !== undefined) return { path };
  const keys = schema.keys.map((key) => JSON.stringify(key)).join(' ');
  return {
    problem: `${keyed} has an element that omits all key fields [${keys}] (and doesn't have default values for any key fields)`,
  };
}

function setElement(item: unknown): Element {
  const keyless = "associative list without keys has an element that's";
  if (item === null) return { problem: `${keyless} an explicit null` };
  if (isJsonObject(item)) return { problem: `${keyless} a map type` };
  if (Array.isArray(item)) {
    return { problem: 'not supported: associative list with lists as elements' };
  }
  return { path: valueElement(item) };
}

function scalarProblem(
  value: unknown,
  scalar: NonNullable<FieldSchema['scalar']>,
): string | undefined {
  switch (scalar) {
    case 'string':
      if (typeof value === 'string') return undefined;
      return `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
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

/** Formats a value as Go's `%v` prints a pointer to a struct that contains only this value. */
function goPrinted(value: unknown): string {
  return `&{${goText(value)}}`;
}

/** A value as Go's `%v` prints it, with the keys of maps sorted. */
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

/** A value as Go's `%#v` prints it. */
function goSyntax(value: unknown): string {
  if (value === null) return 'interface {}(nil)';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  const list = (texts: readonly string[]): string => `{${texts.join(', ')}}`;
  if (Array.isArray(value)) return `[]interface {}${list(value.map(goSyntax))}`;
  const entries = Object.entries(value as JsonObject).sort(([a], [b]) => (a < b ? -1 : 1));
  const fields = entries.map(([name, field]) => `${JSON.stringify(name)}:${goSyntax(field)}`);
  return `map[string]interface {}${list(fields)}`;
}
