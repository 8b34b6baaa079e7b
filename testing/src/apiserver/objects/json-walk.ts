import { isObject, type Json } from './metadata.ts';

/**
 * Deeper than anything that the server stores: its JSON ends at 10 000 levels, lists and events put
 * a few around it.
 */
const DEEPEST = 11_000;

/** A list or an object whose parts are not all rebuilt yet. */
interface Level {
  readonly source: unknown;
  /** The fields that the copy has, in their order; undefined for a list. */
  readonly names: readonly string[] | undefined;
  readonly parts: unknown[];
}

export interface Rebuilding {
  /** The fields that the copy of an object has, in their order. Default: all of them. */
  readonly namesOf?: (object: Json) => readonly string[];
  /** What stands for a text, a number, a boolean or null. Default: the value itself. */
  readonly scalar?: (value: unknown) => unknown;
  /** What stands for an object. Default: an object. */
  readonly object?: (entries: Iterable<readonly [string, unknown]>) => unknown;
}

/**
 * A copy of a JSON value, built from its leaves up. It keeps a stack of its own: the server takes
 * JSON of 10 000 levels, and a function that calls itself ends at about a third of that.
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
    // Every level that is whole becomes a part of the one above it.
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
