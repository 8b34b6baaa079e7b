/**
 * Fields of objects by their paths: `spec.ports[port=80].name` is a member of the item of a list with that key, and
 * `spec.tags[=a]` the item of a list of texts.
 */
import type { Resource } from '../../../operator/model/resource.ts';

export type Json = Record<string, unknown>;

/** A field, and the values that it can have. */
export interface Slot {
  readonly path: string;
  readonly ours: readonly unknown[];
  readonly theirs: readonly unknown[];
  /** Where a written value is shown, if under another path, and in which form. */
  readonly shownAt?: string;
  readonly shownAs?: (value: unknown) => unknown;
  /** Another name of the field, which the server fills with the same value. */
  readonly mirror?: string;
}

/** A kind, the part that our controller always states, and the fields that come and go. */
export interface Subject {
  readonly resource: Resource;
  readonly always: object;
  readonly slots: readonly Slot[];
}

type Part = string | readonly [key: string, value: string];

/** `a.b[name=x].c` as `['a', 'b', ['name', 'x'], 'c']`. */
function partsOf(path: string): readonly Part[] {
  return path.split(/\.(?![^[]*\])|(?=\[)/).map((part) => {
    const [, key, value] = /^\[(\w*)=(.*)\]$/.exec(part) ?? [];
    return key === undefined ? part : ([key, value ?? ''] as const);
  });
}

export function valueAt(object: unknown, path: string): unknown {
  return valueAtParts(object, partsOf(path));
}

function valueAtParts(object: unknown, parts: readonly Part[]): unknown {
  return parts.reduce<unknown>(
    (at, part) =>
      typeof part === 'string' ? (at as Json | null | undefined)?.[part] : itemOf(at, part),
    object,
  );
}

function itemOf(list: unknown, [key, value]: readonly [string, string]): unknown {
  if (!Array.isArray(list)) return undefined;
  if (key === '') return list.find((item) => item === value);
  return (list as readonly Json[]).find((item) => String(item[key]) === value);
}

/** The item of a list that a slot belongs to; undefined for a slot outside of lists. */
export function itemPathOf({ path }: Slot): string | undefined {
  const end = path.lastIndexOf(']');
  return end < 0 ? undefined : path.slice(0, end + 1);
}

/** Sets the value, and makes what is missing on the way. */
export function put(object: Json, path: string, value: unknown): void {
  const parts = partsOf(path);
  let at: unknown = object;
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1;
    if (typeof part === 'string') {
      const holder = at as Json;
      if (isLast) holder[part] = structuredClone(value);
      else holder[part] ??= typeof parts[index + 1] === 'string' ? {} : [];
      at = holder[part];
    } else {
      const list = at as unknown[];
      const known = itemOf(list, part);
      const item = known ?? newItem(part);
      if (known === undefined) list.push(item);
      at = item;
    }
  }
}

function newItem([key, value]: readonly [string, string]): unknown {
  if (key === '') return value;
  return { [key]: /^\d+$/.test(value) ? Number(value) : value };
}

export function remove(object: Json, path: string): void {
  const parts = partsOf(path);
  const holder = valueAtParts(object, parts.slice(0, -1));
  const last = parts.at(-1);
  if (Array.isArray(holder) && Array.isArray(last)) {
    const at = holder.indexOf(itemOf(holder, last as [string, string]));
    if (at >= 0) holder.splice(at, 1);
  } else if (holder !== undefined && typeof last === 'string') delete (holder as Json)[last];
}

/** As a writer sets the field that reads the object before. */
export function putShown(object: Json, slot: Slot, value: unknown): void {
  const { path, shownAt = path, shownAs = (each: unknown) => each, mirror } = slot;
  put(object, shownAt, shownAs(value));
  if (mirror !== undefined) put(object, mirror, shownAs(value));
}
