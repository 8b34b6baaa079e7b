import { JSON_LIMITS, JsonLimitError } from '../core/json/json-limits.ts';
import { encodeExact } from './rest-client.ts';

/**
 * Number of levels whose members are written one by one: the members of an answer, and the children in its
 * list.
 */
const LEVELS = 2;

/**
 * The JSON of plain data, as `encodeExact` writes it. Undefined for a value that JSON omits. Yields after
 * each child of an answer, so that thousands of children do not cause one long turn of the event loop.
 *
 * @throws JsonLimitError for more values than `JSON_LIMITS` allows, or for more than `maxChars` characters;
 *   otherwise the same errors as `encodeExact`.
 */
export function* encodeInPieces(
  value: unknown,
  maxChars: number,
): Generator<void, string | undefined, undefined> {
  yield* requireBounded(value);
  const writer = new Writer(maxChars);
  return yield* writer.write(value, LEVELS);
}

class Writer {
  readonly #maxChars: number;
  #chars = 0;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  *write(value: unknown, levels: number): Generator<void, string | undefined, undefined> {
    if (levels === 0 || !isPlain(value)) return yield* this.#whole(value);
    const isList = Array.isArray(value);
    const parts: string[] = [];
    for (const [key, member] of Object.entries(value)) {
      const text = yield* this.write(member, levels - 1);
      if (isList) parts.push(text ?? 'null');
      else if (text !== undefined) parts.push(`${JSON.stringify(key)}:${text}`);
    }
    return isList ? `[${parts.join(',')}]` : `{${parts.join(',')}}`;
  }

  *#whole(value: unknown): Generator<void, string | undefined, undefined> {
    // The result is undefined for a function, which JSON cannot represent. The return type of `encodeExact`
    // omits this case.
    const text = encodeExact(value) as string | undefined;
    this.#chars += text?.length ?? 0;
    if (this.#chars > this.#maxChars) {
      throw new JsonLimitError(1, `has more than ${this.#maxChars} characters`);
    }
    yield;
    return text;
  }
}

/** True for a plain object, and for a list without holes. False if the object has the method `toJSON`. */
function isPlain(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || 'toJSON' in value) return false;
  if (Array.isArray(value)) return Object.keys(value).length === value.length;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Number of values that are counted in one turn of the event loop. */
const SLICE = 20_000;

/** Counts the values in `value`. If an object contains itself, the count never ends and exceeds the limit. */
function* requireBounded(value: unknown): Generator<void, void, undefined> {
  const { values: most } = JSON_LIMITS;
  const open: unknown[] = [value];
  let values = 0;
  for (let next = open.pop(); open.length > 0 || next !== undefined; next = open.pop()) {
    values += 1;
    if (values > most) {
      throw new JsonLimitError(1, `has more than ${most} values, or contains itself`);
    }
    if (values % SLICE === 0) yield;
    if (typeof next !== 'object' || next === null) continue;
    for (const member of Object.values(next)) {
      if (typeof member === 'object') open.push(member);
      else values += 1;
    }
  }
}
