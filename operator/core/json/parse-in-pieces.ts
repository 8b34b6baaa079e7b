import { messageOf } from '../errors.ts';
import { parseExact } from './parse-exact.ts';
import { type JsonPart, PIECE_CHARS } from './scan-json.ts';

/** The text has a syntax error. The message does not quote the text. */
export class JsonSyntaxError extends Error {
  /** Index in the text, from 0. Undefined if it is unknown, or if the text ends too early. */
  readonly position: number | undefined;
  readonly endsEarly: boolean;

  constructor({ position, endsEarly = false }: { position?: number; endsEarly?: boolean }) {
    const where = position === undefined ? '' : `, at position ${position}`;
    super(endsEarly ? 'is JSON that ends too early' : `is not JSON${where}`);
    this.position = position;
    this.endsEarly = endsEarly;
  }
}

/**
 * `parseExact` for JSON that is part of a larger text. JSON.parse quotes the text around an error, which may
 * come from a Secret.
 *
 * @param offset - where `text` begins in the larger text.
 * @throws JsonSyntaxError
 */
export function parsePart(text: string, offset: number): unknown {
  try {
    return parseExact(text);
  } catch (error) {
    const message = messageOf(error);
    const [, position] = /at position (\d+)/.exec(message) ?? [];
    if (position !== undefined) throw new JsonSyntaxError({ position: offset + Number(position) });
    throw new JsonSyntaxError({ endsEarly: message.includes('end of JSON') });
  }
}

/**
 * The value of one object or list, as `parseExact` reads it. Yields after each piece of about 64 Ki
 * characters, so that even a value of 10 MB takes only a millisecond or two of each turn of the event loop.
 *
 * @param large - the start and the end of each object or list with more characters than a piece.
 * @throws JsonSyntaxError
 */
export function* parseInPieces(
  text: string,
  { start, end }: JsonPart,
  large: ReadonlyMap<number, number>,
): Generator<void, unknown, undefined> {
  if (!large.has(start)) {
    yield;
    return parsePart(text.slice(start, end), start);
  }
  const container = new Container(text, start, end);
  for (let at = start + 1; at < end - 1; ) {
    const code = text.charCodeAt(at);
    const inner = large.get(at);
    if (inner !== undefined) {
      container.flush();
      const key = container.keyBefore(at);
      container.add(key, yield* parseInPieces(text, { start: at, end: inner }, large));
      at = container.skipTo(inner);
      continue;
    }
    if (code === COMMA && container.comma(at)) yield;
    at = code === QUOTE || OPEN.has(code) ? container.endOf(at) : at + 1;
  }
  container.close();
  yield;
  return container.value;
}

const COMMA = 0x2c;
const QUOTE = 0x22;
const OPEN: ReadonlySet<number> = new Set([0x7b, 0x5b]);
const CLOSE: ReadonlySet<number> = new Set([0x7d, 0x5d]);

/**
 * A large object or list while it is being read. Its text before `#piece` is already parsed. The members
 * between `#piece` and `#member` are complete, but not parsed yet.
 */
class Container {
  readonly value: Record<string, unknown> | unknown[];
  readonly #text: string;
  readonly #end: number;
  /** Index in the text of the first member that is not parsed yet. */
  #piece: number;
  /** Index in the text where the current member begins. */
  #member: number;
  /** True if a comma precedes the piece. */
  #afterComma = false;

  constructor(text: string, start: number, end: number) {
    this.#text = text;
    this.#end = end;
    this.#piece = start + 1;
    this.#member = start + 1;
    const isList = text[start] === '[';
    this.value = isList ? [] : {};
    if (text[end - 1] !== (isList ? ']' : '}')) throw new JsonSyntaxError({ position: end - 1 });
  }

  /** Call this at a comma, where a member ends. Returns true when a piece was parsed. */
  comma(at: number): boolean {
    const isFull = at - this.#piece >= PIECE_CHARS;
    if (isFull) this.#parse(at);
    this.#member = at + 1;
    if (isFull) this.#begin(at + 1);
    return isFull;
  }

  /** Parses the complete members before the current member. */
  flush(): void {
    if (this.#member === this.#piece) return;
    this.#parse(this.#member - 1);
    this.#begin(this.#member);
  }

  /** The key of the current member, whose value begins at `at`. Undefined for an item of a list. */
  keyBefore(at: number): string | undefined {
    const before = this.#text.slice(this.#member, at);
    if (Array.isArray(this.value)) {
      if (!/^[ \t\r\n]*$/.test(before)) throw new JsonSyntaxError({ position: this.#member });
      return undefined;
    }
    if (!/:[ \t\r\n]*$/.test(before)) throw new JsonSyntaxError({ position: at });
    const object = parsePart(`{${before}0}`, this.#member - 1);
    return Object.keys(object as object)[0];
  }

  add(key: string | undefined, value: unknown): void {
    if (Array.isArray(this.value)) this.value.push(value);
    else if (key !== undefined) define(this.value, key, value);
  }

  /** Returns the index where the next member begins, after a value that ends at `at`. */
  skipTo(at: number): number {
    const rest = /[ \t\r\n]*/y;
    rest.lastIndex = at;
    rest.test(this.#text);
    const next = rest.lastIndex;
    if (next === this.#end - 1) {
      this.#piece = this.#end;
      return next;
    }
    if (this.#text.charCodeAt(next) !== COMMA) throw new JsonSyntaxError({ position: next });
    this.#begin(next + 1);
    return next + 1;
  }

  /** Returns the index after a string, or a small object or list, that begins at `at`. */
  endOf(at: number): number {
    let depth = 0;
    for (let next = at; ; next++) {
      const code = this.#text.charCodeAt(next);
      if (code === QUOTE) next = endOfString(this.#text, next);
      else if (OPEN.has(code)) depth += 1;
      else if (CLOSE.has(code)) depth -= 1;
      if (depth === 0) return next + 1;
    }
  }

  close(): void {
    if (this.#piece < this.#end) this.#parse(this.#end - 1);
  }

  #begin(at: number): void {
    this.#piece = at;
    this.#member = at;
    this.#afterComma = true;
  }

  #parse(to: number): void {
    const piece = this.#text.slice(this.#piece, to);
    const isEmpty = piece.trim() === '';
    if (isEmpty && (this.#afterComma || to < this.#end - 1))
      throw new JsonSyntaxError({ position: to });
    const [open, close] = Array.isArray(this.value) ? '[]' : '{}';
    const members = parsePart(`${open}${piece}${close}`, this.#piece - 1);
    if (Array.isArray(this.value)) for (const item of members as unknown[]) this.value.push(item);
    else
      for (const key of Object.keys(members as object))
        define(this.value, key, (members as Record<string, unknown>)[key]);
  }
}

/** Sets a member. Like JSON.parse, it treats `__proto__` as an ordinary name. */
function define(object: Record<string, unknown>, key: string, value: unknown): void {
  if (key !== '__proto__') object[key] = value;
  else
    Object.defineProperty(object, key, {
      value,
      configurable: true,
      enumerable: true,
      writable: true,
    });
}

function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at;
  }
  throw new JsonSyntaxError({ endsEarly: true });
}
