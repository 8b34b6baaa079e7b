import { parseGoJson } from '../../objects/go-json.ts';
import { jsonText } from '../../objects/json-text.ts';
import { fieldOf, isJsonObject, type JsonObject } from '../../objects/json-value.ts';

/**
 * One step of a field path, in the notation of fieldsV1: `f:name` is a field, `k:{…}` the item of
 * an associative list with these keys, `v:…` the item of a set, and `i:0` the item at an index.
 */
export type PathElement = string;

export type FieldPath = readonly PathElement[];

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** The path element of a list item, made of its key fields and their defaults. */
export function keyElement(
  item: unknown,
  keys: readonly string[],
  defaults: JsonObject,
): PathElement | undefined {
  if (!isJsonObject(item)) return undefined;
  const pairs = keys
    .toSorted()
    .map((key): [string, unknown] => [key, fieldOf(item, key) ?? fieldOf(defaults, key)])
    .filter(([, value]) => value !== undefined);
  return pairs.length === 0 ? undefined : `k:${jsonText(Object.fromEntries(pairs))}`;
}

export function valueElement(item: unknown): PathElement {
  return `v:${jsonText(item)}`;
}

export function indexElement(index: number): PathElement {
  return `i:${index}`;
}

/** A path in the notation of the server's messages: `.spec.containers[name="app"].image`. */
export function describePath(path: FieldPath): string {
  return path.map(describeElement).join('');
}

function describeElement(element: PathElement): string {
  const text = element.slice(2);
  if (element.startsWith('f:')) return `.${text}`;
  if (element.startsWith('v:')) return `[=${text}]`;
  if (element.startsWith('i:')) return `[${text}]`;
  const keys = Object.entries(parseGoJson(text).value as JsonObject);
  return `[${keys.map(([key, value]) => `${key}=${jsonText(value)}`).join(',')}]`;
}

/**
 * Compares in the server's order: fields, keys, values, indices. Within each group, elements are sorted as
 * strings.
 */
export function compareElements(left: PathElement, right: PathElement): number {
  const byKind = 'fkvi'.indexOf(left.charAt(0)) - 'fkvi'.indexOf(right.charAt(0));
  if (byKind !== 0) return byKind;
  return left < right ? -1 : left > right ? 1 : 0;
}
