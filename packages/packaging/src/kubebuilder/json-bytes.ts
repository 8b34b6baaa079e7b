import { Buffer } from 'node:buffer';
import { ConfigurationError } from 'chancery';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Space, tab, line feed and carriage return: the white space of JSON. */
const WHITESPACE: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads a JSON document piece by piece while its bytes arrive. A value that the caller skips is
 * never in memory as a whole. The caller must know the structure of the document, and request each
 * value in order.
 *
 * A string that is skipped is not checked. Only its end is found.
 */
export class JsonBytes {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #maxBytes: number;
  readonly #tooLong: ConfigurationError;
  #chunk: Buffer = Buffer.alloc(0);
  #at = 0;
  /** Total length of the earlier chunks in bytes. */
  #before = 0;

  /**
   * @param maxBytes - limit of the whole document.
   * @param tooLong - the error to throw when the document is longer than the limit.
   */
  constructor(chunks: AsyncIterable<Uint8Array>, maxBytes: number, tooLong: ConfigurationError) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#maxBytes = maxBytes;
    this.#tooLong = tooLong;
  }

  /** The next character that is not white space, without consuming it. '' at the end. */
  async next(): Promise<string> {
    for (;;) {
      while (this.#at < this.#chunk.length) {
        const byte = this.#chunk[this.#at] ?? 0;
        if (!WHITESPACE.has(byte)) return String.fromCharCode(byte);
        this.#at++;
      }
      if (!(await this.#refill())) return '';
    }
  }

  /**
   * Consumes one character.
   *
   * @throws ConfigurationError `CONFIG` when the next character is not `character`.
   */
  async expect(character: string): Promise<void> {
    const found = await this.next();
    if (found !== character) throw this.#unexpected(found, JSON.stringify(character));
    this.#at++;
  }

  /**
   * The keys of an object, one by one. The caller must consume the value of each key before the
   * next key.
   *
   * @throws ConfigurationError `CONFIG` when the next value is not an object.
   */
  async *keys(maxBytes: number): AsyncGenerator<string | undefined, void, undefined> {
    await this.expect('{');
    if ((await this.next()) === '}') {
      this.#at++;
      return;
    }
    for (;;) {
      const key = await this.string(maxBytes);
      await this.expect(':');
      yield key;
      const after = await this.next();
      if (after !== ',' && after !== '}') throw this.#unexpected(after, '"," or "}"');
      this.#at++;
      if (after === '}') return;
    }
  }

  /**
   * The next string. A string that is longer than `maxBytes` in the document is skipped without
   * using memory. The result is then undefined.
   */
  async string(maxBytes: number): Promise<string | undefined> {
    await this.expect('"');
    const parts: Buffer[] = [];
    let bytes = 0;
    let isEscaped = false;
    for (;;) {
      const from = this.#at;
      const end = endOfString(this.#chunk, from, isEscaped);
      this.#at = end.at;
      isEscaped = end.isEscaped;
      bytes += end.at - from;
      if (bytes > maxBytes) parts.length = 0;
      else parts.push(this.#chunk.subarray(from, end.at));
      if (end.isFound) break;
      if (!(await this.#refill())) throw this.#unexpected('', 'the end of a string');
    }
    this.#at++;
    if (bytes > maxBytes) return undefined;
    return this.#parsed(`"${Buffer.concat(parts).toString('utf8')}"`) as string;
  }

  /**
   * The next value of any type.
   *
   * @throws ConfigurationError `CONFIG` when the value has more than `maxBytes`.
   */
  async value(maxBytes: number): Promise<unknown> {
    const parts: Buffer[] = [];
    let bytes = 0;
    for await (const part of this.#partsOfValue()) {
      parts.push(part);
      bytes += part.length;
      if (bytes > maxBytes) throw new ConfigurationError(`a value has more than ${maxBytes} bytes`);
    }
    return this.#parsed(Buffer.concat(parts).toString('utf8'));
  }

  /** Skips a value of any type. Only its end is found: it is not checked, and uses no memory. */
  async skip(): Promise<void> {
    for await (const _part of this.#partsOfValue());
  }

  async *#partsOfValue(): AsyncGenerator<Buffer> {
    const scan = new ValueScan();
    await this.next();
    for (;;) {
      const from = this.#at;
      this.#at = scan.through(this.#chunk, from);
      yield this.#chunk.subarray(from, this.#at);
      if (scan.isComplete || !(await this.#refill())) return;
    }
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      const where = this.#before + this.#at;
      throw new ConfigurationError(`no JSON: a value that ends at byte ${where} is malformed`, {
        cause,
      });
    }
  }

  #unexpected(found: string, expected: string): ConfigurationError {
    const got = found === '' ? 'the end' : JSON.stringify(found);
    const where = this.#before + this.#at;
    return new ConfigurationError(`no JSON: expected ${expected} at byte ${where}, got ${got}`);
  }

  async #refill(): Promise<boolean> {
    this.#before += this.#chunk.length;
    this.#at = 0;
    if (this.#before > this.#maxBytes) {
      throw this.#tooLong;
    }
    const { done, value } = await this.#chunks.next();
    this.#chunk =
      done === true
        ? Buffer.alloc(0)
        : Buffer.from(value.buffer, value.byteOffset, value.byteLength);
    return done !== true;
  }
}

interface EndOfString {
  /**
   * Index of the quote that ends the string. If the string does not end in the chunk, the end of
   * the chunk.
   */
  readonly at: number;
  readonly isFound: boolean;
  /** True when the first character of the next chunk follows a backslash. */
  readonly isEscaped: boolean;
}

/**
 * Finds the end of a string. `indexOf` is much faster than a loop over the bytes, and a binary file
 * contains few quotes.
 */
function endOfString(chunk: Buffer, from: number, isEscaped: boolean): EndOfString {
  let start = isEscaped ? from + 1 : from;
  for (;;) {
    const quote = chunk.indexOf(QUOTE, start);
    const end = quote < 0 ? chunk.length : quote;
    const isOdd = backslashesBefore(chunk, end, isEscaped ? from + 1 : from) % 2 === 1;
    if (quote < 0) {
      const isWaiting = isEscaped && chunk.length === from;
      return { at: end, isFound: false, isEscaped: isOdd || isWaiting };
    }
    if (!isOdd) return { at: quote, isFound: true, isEscaped: false };
    start = quote + 1;
  }
}

function backslashesBefore(chunk: Buffer, end: number, from: number): number {
  let at = end;
  while (at > from && chunk[at - 1] === BACKSLASH) at--;
  return end - at;
}

/** Finds the end of a value by counting brackets and quotes. `JSON.parse` checks the content later. */
class ValueScan {
  isComplete = false;
  #depth = 0;
  #isString = false;
  #isEscaped = false;

  /**
   * Returns the end of the value. If the value does not end in the chunk, returns the end of the
   * chunk.
   */
  through(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (this.#isString) this.#inString(byte);
      else if (byte === QUOTE) this.#isString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) this.#depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === 0x2c) {
        if (this.#depth === 0) {
          this.isComplete = true;
          return at;
        }
        if (byte !== 0x2c) this.#depth--;
      }
    }
    return chunk.length;
  }

  #inString(byte: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (byte === BACKSLASH) this.#isEscaped = true;
    else if (byte === QUOTE) this.#isString = false;
  }
}
