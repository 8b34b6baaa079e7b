import { nodeCrypto } from '../core/builtin-modules.ts';

/**
 * What `object` has where `stated` says something: the fields that follow from what was applied, in
 * the server's form (`"1"` for a quantity of `"1000m"`). A list is taken whole, with what the server
 * or another writer has added to its items.
 */
export function shownFields(object: unknown, stated: unknown): unknown {
  if (!isRecord(stated) || !isRecord(object)) return object;
  return Object.fromEntries(
    Object.keys(stated).map((key) => [key, shownFields(own(object, key), stated[key])]),
  );
}

/** True when `object` has all that `stated` says, in the same words: applying it changes no value. */
export function showsAll(object: unknown, stated: unknown): boolean {
  if (Array.isArray(stated)) {
    if (!Array.isArray(object) || object.length !== stated.length) return false;
    return stated.every((item, at) => showsAll(object[at], item));
  }
  if (!isRecord(stated)) return Object.is(object, stated);
  if (!isRecord(object)) return false;
  return Object.entries(stated).every(
    ([key, value]) => value === undefined || showsAll(own(object, key), value),
  );
}

/**
 * A digest of a JSON value. Keys count in any order; an undefined member is none.
 */
export function digestOf(value: unknown): string {
  return nodeCrypto().createHash('sha256').update(canonical(value)).digest('base64');
}

/** Keys sorted: an object with keys such as `"1"` changes their order by itself. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (isRecord(value)) {
    const members = Object.keys(value)
      .sort()
      .filter((key) => value[key] !== undefined)
      .map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`);
    return `{${members.join()}}`;
  }
  return typeof value === 'bigint' ? `${value}` : (JSON.stringify(value) ?? 'null');
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
