import { fieldOf, isJsonObject, type JsonObject, jsonEquals } from '../../objects/json-value.ts';
import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  itemElement,
  itemSchema,
} from './field-schema.ts';
import { type FieldSet, fieldSetOf } from './field-set.ts';
import { type FieldPath, fieldElement, type PathElement } from './path-element.ts';

/** The fields that differ between two states of an object. */
export interface FieldComparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

/**
 * The differences from `before` to `after`. The result contains an added or removed map or item itself, not
 * only the fields inside it. An omitted field counts as present if Go writes it in every object of the kind.
 */
export function compareFields(
  before: JsonObject,
  after: JsonObject,
  schema: FieldSchema,
): FieldComparison {
  const changes = [...changesOf(before, after, schema, [])];
  const of = (kind: Change['kind']): FieldSet =>
    fieldSetOf(changes.filter((change) => change.kind === kind).map((change) => change.path));
  return { added: of('added'), modified: of('modified'), removed: of('removed') };
}

interface Change {
  readonly kind: 'added' | 'modified' | 'removed';
  readonly path: FieldPath;
}

function* changesOf(
  before: unknown,
  after: unknown,
  schema: FieldSchema,
  path: FieldPath,
): Generator<Change, void, undefined> {
  if (before === undefined) yield { kind: 'added', path };
  else if (after === undefined) yield { kind: 'removed', path };
  else if (before === after) return;
  const left = childrenOf(before, schema);
  const right = childrenOf(after, schema);
  if (left === undefined && right === undefined) {
    const isBoth = before !== undefined && after !== undefined;
    if (isBoth && !jsonEquals(before, after)) yield { kind: 'modified', path };
    return;
  }
  // A value without a schema may change from a map to another type, or to a map. The value then counts as
  // modified, and its members count as added or removed.
  if (isMapOnlyOnce(before, after)) yield { kind: 'modified', path };
  const names = new Map([...(left ?? []), ...(right ?? [])]);
  for (const [element, { schema: below }] of names) {
    const from = left?.get(element)?.value;
    const to = right?.get(element)?.value;
    yield* changesOf(from, to, below, [...path, element]);
  }
}

function isMapOnlyOnce(before: unknown, after: unknown): boolean {
  const isNothing = (value: unknown): boolean => value === undefined || value === null;
  if (isNothing(before) || isNothing(after)) return false;
  return isJsonObject(before) !== isJsonObject(after);
}

interface Child {
  readonly value: unknown;
  readonly schema: FieldSchema;
}

/**
 * The fields or items of a value that have separate owners. Undefined for a value that is owned as a whole or
 * is empty.
 */
function childrenOf(value: unknown, schema: FieldSchema): Map<PathElement, Child> | undefined {
  const children = new Map<PathElement, Child>();
  if (schema.atomic) return undefined;
  if (Array.isArray(value)) {
    if (!isAssociative(schema)) return undefined;
    value.forEach((item, index) => {
      children.set(itemElement(schema, item, index), { value: item, schema: itemSchema(schema) });
    });
  } else if (isJsonObject(value)) {
    for (const name of Object.keys(value)) {
      const child = { value: fieldOf(value, name), schema: fieldSchema(schema, name) };
      children.set(fieldElement(name), child);
    }
    for (const [name, zero] of schema.present ?? []) {
      if (Object.hasOwn(value, name)) continue;
      children.set(fieldElement(name), { value: zero, schema: fieldSchema(schema, name) });
    }
  }
  return children.size === 0 ? undefined : children;
}
