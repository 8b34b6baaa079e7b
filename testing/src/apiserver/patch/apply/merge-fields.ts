import { fieldOf, isJsonObject, type JsonObject } from '../../objects/json-value.ts';
import {
  type FieldSchema,
  fieldSchema,
  isAssociative,
  itemElement,
  itemSchema,
} from '../fields/field-schema.ts';
import type { PathElement } from '../fields/path-element.ts';

/** The live object with all fields of a configuration merged into it. Neither input is changed. */
export function mergeFields(
  live: JsonObject,
  applied: JsonObject,
  schema: FieldSchema,
): JsonObject {
  const merged = new Map(Object.entries(live));
  for (const name of Object.keys(applied)) {
    const own = fieldSchema(schema, name);
    merged.set(name, mergeValue(fieldOf(live, name), fieldOf(applied, name), own));
  }
  return Object.fromEntries(merged);
}

function mergeValue(live: unknown, applied: unknown, schema: FieldSchema): unknown {
  if (live === undefined || schema.atomic) return applied;
  if (isJsonObject(live)) {
    if (isJsonObject(applied)) return mergeFields(live, applied, schema);
    return applied === null ? live : applied;
  }
  if (!Array.isArray(live) || !isAssociative(schema)) return applied;
  if (Array.isArray(applied)) return mergeLists(live, applied, schema);
  return applied === null ? live : applied;
}

interface Item {
  readonly element: PathElement;
  readonly value: unknown;
}

/**
 * Merges two lists. The items get the order of the configuration. Items that only the live list has keep
 * their position relative to the items that both lists have.
 */
function mergeLists(
  live: readonly unknown[],
  applied: readonly unknown[],
  schema: FieldSchema,
): readonly unknown[] {
  const toItem = (value: unknown, index: number): Item => ({
    element: itemElement(schema, value, index),
    value,
  });
  const left = live.map(toItem);
  const right = applied.map(toItem);
  const inLeft = new Map(left.map((item) => [item.element, item.value]));
  const inRight = new Map(right.map((item) => [item.element, item.value]));
  const shared = right.map((item) => item.element).filter((element) => inLeft.has(element));
  const merged = ({ element, value }: Item): unknown =>
    mergeValue(inLeft.get(element), value, itemSchema(schema));

  const result: unknown[] = [];
  const taken = new Set<PathElement>();
  let l = 0;
  for (const item of right) {
    // Adds the items that only the live list has, up to the next item that both lists have.
    for (; l < left.length; l++) {
      const next = left[l];
      if (next === undefined || next.element === shared[0]) break;
      if (!inRight.has(next.element)) result.push(next.value);
    }
    if (taken.has(item.element)) continue;
    taken.add(item.element);
    result.push(merged(item));
    if (item.element === shared[0]) {
      shared.shift();
      if (left[l]?.element === item.element) l++;
    }
  }
  for (; l < left.length; l++) {
    const next = left[l];
    if (next !== undefined && !inRight.has(next.element)) result.push(next.value);
  }
  return result;
}
