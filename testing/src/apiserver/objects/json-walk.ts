import { isObject, type Json } from './metadata.ts';

/**
 * A depth that no stored object reaches. The server accepts JSON of at most 10 000 levels, and lists and
 * events add a few levels.
 */
const DEEPEST = 11_000;

/** A list or an object whose items or fields are not all copied yet. */
interface Level {
  readonly source: unknown;
  /** The names of the copy's fields, in order; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly parts: unknown[];
}

export interface Rebuilding {
  /**
   * The names of the fields that the copy of an object has, in order. If omitted, the copy has all fields.
   */
  readonly namesOf?: (object: Json) => readonly string[];
  /** Replaces a string, a number, a boolean or null. If omitted, such values stay unchanged. */
  readonly scalar?: (value: unknown) => unknown;
  /** Makes the copy of an object from its fields. If omitted, the copy is a plain object. */
  readonly object?: (entries: Iterable<readonly [string, unknown]>) => unknown;
}

/**
 * A copy of a JSON value, built from its leaves up. It uses an explicit stack, because the server
 * accepts JSON of 10 000 levels, and a recursive function fails at about a third of that.
 *
 * @throws RangeError for a value that contains itself.
 */
export function rebuildJson(value: unknown, how: Rebuilding = {}): unknown {
  const { namesOf = Object.keys, scalar = (leaf) => leaf, object = Object.fromEntries } = how;
  const levels: Level[] = [];
  let next: unknown = value;
  for (;;) {
    if (levels.length > DEEPEST) throw new RangeError('the value is nested without an end');
    let done: unknown;
    if (Array.isArray(next)) {
      levels.push({ source: next, names: undefined, parts: [] });
    } else if (isObject(next)) {
      levels.push({ source: next, names: namesOf(next), parts: [] });
    } else {
      done = scalar(next);
      if (levels.length === 0) return done;
      levels.at(-1)?.parts.push(done);
    }
    // Every complete level becomes an item or field of the level above it.
    for (;;) {
      const level = levels.at(-1);
      if (level === undefined) return done;
      const { source, names, parts } = level;
      const at = parts.length;
      if (names === undefined) {
        const list = source as readonly unknown[];
        if (at < list.length) {
          next = list[at];
          break;
        }
        done = parts;
      } else {
        const name = names[at];
        if (name !== undefined) {
          next = (source as Json)[name];
          break;
        }
        done = object(names.map((own, index) => [own, parts[index]]));
      }
      levels.pop();
      levels.at(-1)?.parts.push(done);
    }
  }
}
