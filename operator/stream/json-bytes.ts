const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * Number of bytes at the beginning of a string that are searched one by one. For longer strings, calling a
 * native search is faster.
 */
const NATIVE_SEARCH_FROM_BYTES = 64;

/**
 * The index after the last byte of the value that begins at `from`. -1 if no value begins at `from` (white
 * space is not a value), or if the value continues beyond `to`.
 *
 * The function only follows strings and brackets. It does not check that the value is valid JSON.
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

/**
 * True if the quote at `at` ends the string that begins at `from`. It does not if an odd number of
 * backslashes before it escapes it.
 */
function isClosing(bytes: Buffer, from: number, at: number): boolean {
  let before = at - 1;
  while (before > from && bytes[before] === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

/** The index after the bracket that closes the bracket at `from`; -1 if it lies beyond `to`. */
function endOfNested(bytes: Buffer, from: number, to: number): number {
  one.begin();
  return one.end(bytes, from, to);
}

/**
 * Follows strings and brackets from an opening bracket to the bracket that closes it, across any number of
 * chunks. It does not check that the text is valid JSON: a closing bracket of any kind closes any open
 * bracket.
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

  /** Like `end`, but `from` is inside an object, between two of its members. Earlier chunks are ignored. */
  endWithin(bytes: Buffer, from: number, to: number): number {
    this.#depth = 1;
    return this.end(bytes, from, to);
  }

  /** The index after the bracket that closes the first bracket; -1 when it lies beyond `to`. */
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
        // Most strings are short, so this loop comes first: calling a native search would cost more.
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
        // The codes of `[` and `{` differ only by 0x20, and so do the codes of `]` and `}`.
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

  /**
   * The index after the quote that ends the string at the position `at`; -1 if the quote lies beyond `to`.
   */
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
    // The escaped byte is the first byte of the next chunk.
    this.#escapes = from > to;
    return -1;
  }
}

/** The instance that is used for values that lie in one chunk. */
const one = new Nesting();

/** True for a character that occurs in numbers, `true`, `false` and `null`. */
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
 * Like `endOfValue`, but only for an array that contains no array and is followed by a member, such as
 * `metadata.managedFields`. It is many times faster, because it does not examine the items. The result is -1
 * if the end cannot be found in this way.
 *
 * In JSON, a quote that precedes a letter opens a string, because a closing quote precedes a colon, a comma,
 * a bracket or white space. So the `]` in `],"a` or `]},"a` is not inside a string. It closes the array if it
 * is the first `]` and there is no other `[` before it. If strings contain brackets, the result may be -1 as
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
