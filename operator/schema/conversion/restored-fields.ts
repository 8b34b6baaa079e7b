import { goJson } from '../../core/go/go-json.ts';
import { deepCopy } from '../../core/json/deep-json.ts';
import { isMapping, type Mapping } from '../../core/mapping.ts';
import { jsonEquals } from '../validation/json-equality.ts';
import type { KeptField } from './kept-fields.ts';

/**
 * A copy of `fields`, with the fields added that an annotation keeps. A field is restored only if it is still
 * missing, or still has the value `insteadOf` that the conversion gave it. So a change that was made in the
 * other version is kept. Nothing is restored below a field that no longer exists.
 *
 * It reads each list once, and copies no object per entry, because any user who may change the annotations of
 * an object can write thousands of entries.
 */
export function withKept(fields: Mapping, kept: readonly KeptField[]): Mapping {
  if (kept.length === 0) return fields;
  const all = deepCopy(fields);
  const lists: Lists = new Map();
  for (const entry of kept) restore(all, deepCopy(entry), 0, lists);
  for (const items of lists.values()) items.write();
  return all;
}

/** The lists whose items have keys, by which the entries refer to the items. */
type Lists = Map<readonly unknown[], KeyedItems>;

/** Applies an entry to `value`, which is the value at the first `depth` steps of the entry's path. */
function restore(value: unknown, entry: KeptField, depth: number, lists: Lists): void {
  const step = entry.path[depth];
  const isLast = depth === entry.path.length - 1;
  if (typeof step === 'string') {
    if (!isMapping(value)) return;
    const present = Object.hasOwn(value, step) ? { value: value[step] } : undefined;
    if (!isLast) restore(present?.value, entry, depth + 1, lists);
    else setMember(value, step, merged(present, entry, lists));
    return;
  }
  if (step === undefined || !Array.isArray(value)) return;
  const items = lists.get(value) ?? new KeyedItems(value, Object.keys(step));
  lists.set(value, items);
  const present = items.get(step);
  if (!isLast) restore(present?.value, entry, depth + 1, lists);
  else items.set(step, merged(present, entry, lists), entry.at);
}

/** The value of a field; undefined if the field is missing. */
type Present = { readonly value: unknown } | undefined;

function merged(present: Present, entry: KeptField, lists: Lists): Present {
  const had = 'insteadOf' in entry;
  const isOther = present === undefined ? had : !had || !isEqual(present, entry.insteadOf, lists);
  if (isOther) return present;
  return 'value' in entry ? { value: entry.value } : undefined;
}

function isEqual({ value }: NonNullable<Present>, other: unknown, lists: Lists): boolean {
  const items = Array.isArray(value) ? lists.get(value) : undefined;
  return jsonEquals(items === undefined ? value : items.list, other);
}

/** The function does not assign the value, because a member may have the name `__proto__`. */
function setMember(mapping: Mapping, name: string, next: Present): void {
  if (next === undefined) Reflect.deleteProperty(mapping, name);
  else {
    const { value } = next;
    const isOpen = { writable: true, enumerable: true, configurable: true };
    Object.defineProperty(mapping, name, { value, ...isOpen });
  }
}

/** The place of an item in a list. The place remains when the item is removed. */
interface Place {
  present: Present;
}

/**
 * A list whose items have keys. `get` and the member `list` include every change by `set`. The list that was
 * passed to the constructor changes only when `write` is called.
 */
class KeyedItems {
  readonly #list: unknown[];
  readonly #names: readonly string[];
  readonly #places: readonly Place[];
  readonly #byKey = new Map<string, Place>();
  readonly #added: { readonly place: Place; readonly at: number | undefined }[] = [];

  /** @param names - the names of the keys. An entry with other keys matches no item. */
  constructor(list: unknown[], names: readonly string[]) {
    this.#list = list;
    this.#names = names.toSorted();
    this.#places = list.map((value) => ({ present: { value } }));
    for (const [at, place] of this.#places.entries()) {
      const item = list[at];
      if (!isMapping(item) || !this.#names.every((name) => Object.hasOwn(item, name))) continue;
      const key = this.#keyOf(item);
      if (!this.#byKey.has(key)) this.#byKey.set(key, place);
    }
  }

  get(key: Mapping): Present {
    return this.#isKey(key) ? this.#byKey.get(this.#keyOf(key))?.present : undefined;
  }

  set(key: Mapping, present: Present, at: number | undefined): void {
    if (!this.#isKey(key)) return;
    const text = this.#keyOf(key);
    const place = this.#byKey.get(text);
    if (place !== undefined) place.present = present;
    else if (present !== undefined) {
      const added = { present };
      this.#byKey.set(text, added);
      this.#added.push({ place: added, at });
    }
  }

  /** The list with all changes that were made by `set`. */
  get list(): readonly unknown[] {
    const items = this.#places.flatMap(({ present }) => (present ? [present.value] : []));
    for (const { place, at = items.length } of this.#added) {
      if (place.present !== undefined) items.splice(at, 0, place.present.value);
    }
    return items;
  }

  write(): void {
    const { list } = this;
    this.#list.length = 0;
    for (const item of list) this.#list.push(item);
  }

  #isKey(key: Mapping): boolean {
    return (
      Object.keys(key).length === this.#names.length &&
      this.#names.every((name) => Object.hasOwn(key, name))
    );
  }

  #keyOf(item: Mapping): string {
    return goJson(this.#names.map((name) => item[name] ?? null));
  }
}
