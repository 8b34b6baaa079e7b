import { nodeCrypto } from '../../core/builtin-modules.ts';
import { deepJson } from '../../core/deep-json.ts';

/** Of ES2025, and in every Node that we run on; TypeScript's library does not know it yet. */
const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };

/**
 * What `object` has where `stated` says something: the fields that follow from what was applied, in
 * the server's form (`"1"` for a quantity of `"1000m"`). A list is taken whole, with what the server
 * or another writer has added to its items. Without recursion, as all that follows: an API server takes
 * objects of 10,000 levels.
 */
export function shownFields(object: unknown, stated: unknown): unknown {
  const whole: Fields = emptyFields();
  const waiting = [{ shown: whole, key: 'all', object, stated }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const { shown, key, object: part, stated: said } = next;
    if (!isRecord(said) || !isRecord(part)) {
      shown[key] = part;
      continue;
    }
    const inner = emptyFields();
    shown[key] = inner;
    for (const name of Object.keys(said)) {
      waiting.push({ shown: inner, key: name, object: own(part, name), stated: said[name] });
    }
  }
  return whole.all;
}

/** True when `object` has all that `stated` says, in the same words: applying it changes no value. */
export function showsAll(object: unknown, stated: unknown): boolean {
  const waiting: [unknown, unknown][] = [[object, stated]];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [part, said] = next;
    if (Array.isArray(said)) {
      if (!Array.isArray(part) || part.length !== said.length) return false;
      for (const [at, item] of said.entries()) waiting.push([part[at], item]);
    } else if (!isRecord(said)) {
      if (!Object.is(part, said)) return false;
    } else {
      if (!isRecord(part)) return false;
      for (const [key, value] of Object.entries(said)) {
        if (value !== undefined) waiting.push([own(part, key), value]);
      }
    }
  }
  return true;
}

/**
 * A digest of a JSON value. Keys count in any order; an undefined member is none.
 *
 * @throws OperatorError `USER_CODE` for a value that contains itself.
 */
export function digestOf(value: unknown): string {
  return nodeCrypto().createHash('sha256').update(sortedText(value)).digest('base64');
}

function sortedText(value: unknown): string {
  try {
    return JSON.stringify(sortedForm(value)) ?? 'null';
  } catch (error) {
    // Nested more deeply than the call stack: the same text, at half the speed.
    if (error instanceof RangeError) return deepJson(value, (_key, part) => sortedLevel(part));
    throw error;
  }
}

/** Keys and values by turns: an object with keys such as `"1"` changes their order by itself. */
class Members {
  readonly members: readonly unknown[];

  constructor(members: readonly unknown[]) {
    this.members = members;
  }
}

function sortedForm(value: unknown): unknown {
  const level = sortedLevel(value);
  if (Array.isArray(level)) return level.map(sortedForm);
  return level instanceof Members ? new Members(level.members.map(sortedForm)) : level;
}

function sortedLevel(value: unknown): unknown {
  if (typeof value === 'bigint') return rawJSON(String(value));
  if (!isRecord(value) || typeof value.toJSON === 'function') return value;
  const members: unknown[] = [];
  for (const key of Object.keys(value).sort()) {
    if (value[key] !== undefined) members.push(key, value[key]);
  }
  return new Members(members);
}

type Fields = Record<string, unknown>;

/** A member named `__proto__` is one like any other. */
function emptyFields(): Fields {
  return Object.create(null) as Fields;
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
