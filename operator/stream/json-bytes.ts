const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Number of bytes of a string that are searched one by one. Beyond that, calling a native search pays off.
 */
const NATIVE_SEARCH_FROM_BYTES = 64;

/**
 * The end of the value that begins at `from`, as the index after its last byte. -1 if no value begins at
 * `from` (white space is not a value), or if the value continues beyond `to`.
 *
 * Follows strings and brackets only. Does not check that the value is JSON.
 */
export function endOfValue(bytes: Buffer, from: number, to: number): number {
  const first = bytes[from];
  if (first === QUOTE) return endOfString(bytes, from, to);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return endOfNested(bytes, from, to);
  let at = from;
  while (at < to && isOfLiteral(bytes[at])) at++;
  return at > from ? at : -1;
}

/** The index after the string whose opening quote is at `from`, or -1 if it continues beyond `to`. */
function endOfString(bytes: Buffer, from: number, to: number): number {
  let at = from + 1;
  const near = Math.min(to, at + NATIVE_SEARCH_FROM_BYTES);
  while (at < near) {
    if (bytes[at] === QUOTE && (bytes[at - 1] !== BACKSLASH || isClosing(bytes, from, at))) {
      return at + 1;
    }
    at++;
  }
  return endOfLongString(bytes, from, at, to);
}

/** Continues `endOfString` at `at`. A native search costs more per call, but less per byte. */
function endOfLongString(bytes: Buffer, from: number, at: number, to: number): number {
  while (at < to) {
    const quote = bytes.indexOf(QUOTE, at);
    if (quote < 0 || quote >= to) return -1;
    if (bytes[quote - 1] !== BACKSLASH || isClosing(bytes, from, quote)) return quote + 1;
    at = quote + 1;
  }
  return -1;
}

/** True if the quote at `at` ends the string from `from`. An odd number of backslashes escapes it. */
function isClosing(bytes: Buffer, from: number, at: number): boolean {
  let before = at - 1;
  while (before > from && bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

/** The index after the bracket that closes the one at `from`, or -1. */
function endOfNested(bytes: Buffer, from: number, to: number): number {
  one.begin();
  return one.end(bytes, from, to);
}

/**
 * Follows strings and brackets from an opening bracket to the one that closes it, across any number of
 * chunks. Does not check that they are JSON: any bracket closes any other.
 */
export class Nesting {
  #depth = 0;
  #inString = false;
  /** True if the previous chunk ended with a backslash that escapes the first byte of the next chunk. */
  #escapes = false;

  /** True if no bracket is open, so that the next value has not begun. */
  get isClosed(): boolean {
    return this.#depth === 0;
  }

  /** Starts a new value. */
  begin(): void {
    this.#depth = 0;
    this.#inString = false;
    this.#escapes = false;
  }

  /** Like `end`, but starts inside an object, between two of its members, without earlier state. */
  endWithin(bytes: Buffer, from: number, to: number): number {
    this.#depth = 1;
    return this.end(bytes, from, to);
  }

  /** The index after the bracket that closes the first one, or -1 when it lies beyond `to`. */
  end(bytes: Buffer, from: number, to: number): number {
    let depth = this.#depth;
    let at = from;
    if (this.#inString) {
      at = this.#endOfString(bytes, this.#escapes ? from + 1 : from, to);
      if (at < 0) return -1;
    }
    while (at < to) {
      const byte = bytes[at++] ?? 0;
      if (byte === QUOTE) {
        // The most frequent case comes first, because calling a native search costs more than this loop.
        const near = Math.min(to, at + NATIVE_SEARCH_FROM_BYTES);
        let quote = at;
        while (quote < near && bytes[quote] !== QUOTE) quote += bytes[quote] === BACKSLASH ? 2 : 1;
        if (quote < near) {
          at = quote + 1;
          continue;
        }
        this.#inString = true;
        at = this.#endOfString(bytes, quote, to);
        if (at < 0) break;
      } else if (byte >= OPEN_BRACKET) {
        // A bracket and its brace are 0x20 apart, both for opening and for closing.
        const brace = byte | 0x20;
        if (brace === OPEN_BRACE) depth++;
        else if (brace === CLOSE_BRACE && --depth === 0) {
          this.#depth = 0;
          return at;
        }
      }
    }
    this.#depth = depth;
    return -1;
  }

  /** The index after the quote that ends the string which contains `at`; -1 if it lies beyond `to`. */
  #endOfString(bytes: Buffer, at: number, to: number): number {
    let from = at;
    while (from < to) {
      const quote = bytes.indexOf(QUOTE, from);
      const end = quote < 0 || quote >= to ? to : quote;
      let before = end;
      while (before > from && bytes[before - 1] === BACKSLASH) before--;
      const escapes = (end - before) % 2 === 1;
      if (end === to) {
        this.#escapes = escapes;
        return -1;
      }
      from = end + 1;
      if (!escapes) {
        this.#inString = false;
        return from;
      }
    }
    // The escaped byte is the first one of the next chunk.
    this.#escapes = from > to;
    return -1;
  }
}

/** Used for values that lie in one chunk. */
const one = new Nesting();

/** Characters of numbers, `true`, `false` and `null`. */
function isOfLiteral(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (
    (byte >= 0x30 && byte <= 0x39) ||
    (byte >= 0x61 && byte <= 0x7a) ||
    byte === 0x2d ||
    byte === 0x2b ||
    byte === 0x2e ||
    byte === 0x45
  );
}

/**
 * `endOfValue` for an array that contains no array and is followed by a member, such as
 * `metadata.managedFields`. It is many times faster, because it does not examine the items. -1 if the end
 * cannot be found in this way.
 *
 * In JSON a quote before a letter opens a string, because a closing quote is followed by a colon, a comma, a
 * bracket or white space. So the `]` in `],"a` and `]},"a` is not inside a string. It closes the array if it
 * is the first `]` and no other `[` precedes it. If there are brackets inside strings, the result is -1 as
 * well.
 */
export function endOfFlatArray(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== OPEN_BRACKET) return -1;
  const close = bytes.indexOf(CLOSE_BRACKET, from + 1);
  if (close < 0 || close >= to) return -1;
  let behind = close + 1;
  if (bytes[behind] === CLOSE_BRACE) behind++;
  if (bytes[behind] !== COMMA || bytes[behind + 1] !== QUOTE) return -1;
  const letter = bytes[behind + 2] ?? 0;
  if (letter < 0x61 || letter > 0x7a) return -1;
  return bytes.lastIndexOf(OPEN_BRACKET, close) === from ? close + 1 : -1;
}
