import type { Readable } from 'node:stream';
import { ProtocolError } from '../core/errors.ts';
import { yieldToEventLoop } from '../core/time-slice.ts';
import { endOfValue, Nesting } from './json-bytes.ts';
import { DEFAULT_MAX_LINE_BYTES } from './lines.ts';
import { endOfRest, isAt, type ScannedIdentity, scanIdentity } from './scan-identity.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const SPACE = 0x20;
const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;

/**
 * Maximum bytes of a list without its items, which is only kind, apiVersion and metadata. An answer with more
 * bytes outside of its items is not a list.
 */
const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * Number of bytes that are read in one turn of the event loop. This takes 2 to 3 ms. Without this limit,
 * libuv would read up to 2 MiB (32 times 64 KiB) from a socket before a timer can run.
 */
const BYTES_A_TURN = 512 * 1024;

export interface ReadItemsOptions {
  /**
   * Called when an array `items` begins. If there are several, a later array replaces all earlier items,
   * because JSON uses the last of several members with the same name.
   */
  readonly onItems?: () => void;
  /**
   * Called for each item, in order, with the bytes from `from` to `to`, and its identity. The identity is
   * undefined if it can only be read by parsing the item. All arguments are valid only until the call
   * returns. If the function throws an error, reading ends with this error.
   */
  readonly onItem: (
    bytes: Buffer,
    from: number,
    to: number,
    identity: ScannedIdentity | undefined,
  ) => void;
  /** Maximum bytes of an item. Default 64 MiB, as for a line of a watch. */
  readonly maxItemBytes?: number;
}

/**
 * Reads a JSON object with an array `items` from `body`, and passes on each item as soon as it has arrived.
 * So a page needs only the memory of what the caller keeps, and blocks the event loop for only one chunk at a
 * time. The event loop gets a turn after each 512 KiB.
 *
 * @returns the JSON of the object with each `items` array empty: `"items":[]`. If the object has no member
 *   `items`, this is its whole JSON.
 * @throws ProtocolError `DECODE` when the body is not such an object or is incomplete; its context contains
 *   sizes, never content. Also throws the errors of `body`.
 */
export async function readItems(body: Readable, options: ReadItemsOptions): Promise<string> {
  const reader = new ItemReader(options);
  let bytesOfTurn = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    reader.read(chunk);
    bytesOfTurn += chunk.length;
    if (bytesOfTurn < BYTES_A_TURN) continue;
    bytesOfTurn = 0;
    await yieldToEventLoop();
  }
  return reader.end();
}

/** Where the next byte is: inside of `items`, or elsewhere in the object. */
type Place = 'frame' | 'items';

class ItemReader {
  readonly #options: ReadItemsOptions;
  #place: Place = 'frame';
  /** All bytes outside of items, up to the beginning of the last array `items`. */
  #frame: Buffer[] = [];
  #frameBytes = 0;
  /** Bytes after the end of the last array `items`. Another array `items` may begin in these bytes. */
  #since: Buffer | undefined;
  readonly #nesting = new Nesting();
  /** The beginning of an unfinished item. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** What must come next. Every item except the first needs a comma before it. */
  #next: 'first' | 'comma' | 'item' = 'first';
  #readBytes = 0;

  constructor(options: ReadItemsOptions) {
    this.#options = options;
  }

  read(chunk: Buffer): void {
    this.#readBytes += chunk.length;
    let at = 0;
    while (at < chunk.length) {
      at = this.#place === 'items' ? this.#readItems(chunk, at) : this.#readFrame(chunk, at);
    }
  }

  end(): string {
    if (this.#place === 'items') throw this.#undecodable('the answer is not complete JSON');
    return Buffer.concat([...this.#frame, this.#since ?? Buffer.alloc(0)]).toString('utf8');
  }

  /** Returns the index after the bracket that opens the items, or the end of the chunk. */
  #readFrame(chunk: Buffer, from: number): number {
    const piece = chunk.subarray(from);
    const since = this.#since === undefined ? piece : Buffer.concat([this.#since, piece]);
    const items = beginOfItems(since);
    const read = items < 0 ? since.length : items;
    if (this.#frameBytes + read > MAX_FRAME_BYTES)
      throw this.#undecodable('the answer is not a list');
    if (items < 0) {
      this.#since = since;
      return chunk.length;
    }
    this.#since = undefined;
    this.#frame.push(since.subarray(0, items));
    this.#frameBytes += items;
    this.#place = 'items';
    this.#next = 'first';
    this.#options.onItems?.();
    return chunk.length - (since.length - items);
  }

  /** Returns the index after the last item, or the end of the chunk. */
  #readItems(chunk: Buffer, from: number): number {
    let at = from;
    while (at < chunk.length) {
      if (this.#nesting.isClosed) {
        at = this.#toItem(chunk, at);
        if (at === chunk.length) return at;
        if (chunk[at] === CLOSE_BRACKET) {
          this.#place = 'frame';
          return at;
        }
      }
      const end = this.#held.length === 0 ? this.#oneItem(chunk, at) : this.#heldItem(chunk, at);
      if (end < 0) {
        this.#keep(chunk.subarray(at));
        return chunk.length;
      }
      this.#next = 'comma';
      at = end;
    }
    return at;
  }

  /**
   * Returns the index after an item that begins in this chunk; -1 when it continues beyond the
   * chunk.
   */
  #oneItem(chunk: Buffer, from: number): number {
    // The identity is scanned first, because this scan skips managedFields, which may be half of the item.
    const identity = scanIdentity(chunk, from, chunk.length, false);
    const told = identity === undefined ? -1 : endOfRest(chunk, identity.behind, chunk.length);
    if (told >= 0) {
      this.#options.onItem(chunk, from, told, identity);
      return told;
    }
    const end =
      identity === undefined
        ? this.#nesting.end(chunk, from, chunk.length)
        : this.#nesting.endWithin(chunk, identity.metadataTo, chunk.length);
    if (end >= 0) this.#options.onItem(chunk, from, end, undefined);
    return end;
  }

  #heldItem(chunk: Buffer, from: number): number {
    const end = this.#nesting.end(chunk, from, chunk.length);
    if (end < 0) return end;
    const whole = this.#whole(chunk.subarray(from, end));
    const identity = scanIdentity(whole, 0, whole.length, false);
    const told = identity && endOfRest(whole, identity.behind, whole.length) === whole.length;
    this.#options.onItem(whole, 0, whole.length, told ? identity : undefined);
    return end;
  }

  /** Returns the index of the next item's bracket, or of the bracket that closes the array. */
  #toItem(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (isSpace(byte)) continue;
      if (byte === COMMA && this.#next === 'comma') this.#next = 'item';
      else if (byte === OPEN_BRACE && this.#next !== 'comma') return at;
      else if (byte === CLOSE_BRACKET && this.#next !== 'item') return at;
      else throw this.#undecodable('the items of the answer are not JSON objects');
    }
    return chunk.length;
  }

  #keep(piece: Buffer): void {
    const { maxItemBytes = DEFAULT_MAX_LINE_BYTES } = this.#options;
    this.#held.push(piece);
    this.#heldBytes += piece.length;
    if (this.#heldBytes > maxItemBytes)
      throw this.#undecodable('an item of the answer is too large');
  }

  #whole(piece: Buffer): Buffer {
    const whole = Buffer.concat([...this.#held, piece]);
    this.#held = [];
    this.#heldBytes = 0;
    return whole;
  }

  #undecodable(message: string): ProtocolError {
    return new ProtocolError(message, { code: 'DECODE', context: { readBytes: this.#readBytes } });
  }
}

/**
 * The index after the bracket that opens `items`. `bytes` start at the beginning of the object, or at the
 * bracket that closed an earlier array `items`. The result is -1 when `items` has not begun yet, or cannot be
 * found. If it cannot be found, the whole answer is kept.
 */
function beginOfItems(bytes: Buffer): number {
  let at = behindSpace(bytes, 0);
  if (bytes[at] === CLOSE_BRACKET) {
    at = behindSpace(bytes, at + 1);
    if (bytes[at] !== COMMA) return -1;
  } else if (bytes[at] !== OPEN_BRACE) return -1;
  do {
    const key = behindSpace(bytes, at + 1);
    if (bytes[key] !== QUOTE) return -1;
    const colon = behindSpace(bytes, endOfValue(bytes, key, bytes.length));
    if (bytes[colon] !== COLON) return -1;
    const value = behindSpace(bytes, colon + 1);
    if (bytes[value] === OPEN_BRACKET && isItems(bytes, key, colon)) return value + 1;
    const end = endOfValue(bytes, value, bytes.length);
    if (end < 0) return -1;
    at = behindSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return -1;
}

/** True if the name that begins at `key` is `items`, with or without escapes. */
function isItems(bytes: Buffer, key: number, to: number): boolean {
  if (isAt(bytes, key, to, '"items"')) return true;
  const text = bytes.toString('latin1', key, to);
  return (
    text.includes('\\') &&
    /^"(?:i|\\u0069)(?:t|\\u0074)(?:e|\\u0065)(?:m|\\u006[dD])(?:s|\\u0073)"/.test(text)
  );
}

/** The index of the first byte from `at` on that is not white space. */
function behindSpace(bytes: Buffer, at: number): number {
  let next = at < 0 ? bytes.length : at;
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

/** True for white space according to JSON. Other control characters do not count as white space. */
function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === TAB;
}
