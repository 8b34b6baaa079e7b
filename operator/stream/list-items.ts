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

/** Of a list, all but its items: kind, apiVersion and metadata. What is larger is no list. */
const MAX_FRAME_BYTES = 1024 * 1024;

/**
 * Bytes that one turn of the event loop reads: 2 to 3 ms of work. A socket that has more delivers up to
 * 2 MiB (32 reads of 64 KiB, by libuv) without letting a timer run.
 */
const BYTES_A_TURN = 512 * 1024;

export interface ReadItemsOptions {
  /**
   * Called where an array of items begins. Each but the first comes in place of the one before: of a
   * member that comes twice the last counts.
   */
  readonly onItems?: () => void;
  /**
   * Called for each item, in order: `bytes` from `from` to `to`, and who it says it is, undefined where
   * that cannot be told without parsing it; all good until it returns. What it throws ends the reading.
   */
  readonly onItem: (
    bytes: Buffer,
    from: number,
    to: number,
    identity: ScannedIdentity | undefined,
  ) => void;
  /** Most bytes of an item. Default 64 MiB: as many as a line of a watch may have. */
  readonly maxItemBytes?: number;
}

/**
 * Reads a JSON object with an array `items` from `body`, item by item as they arrive, so that a page
 * takes no more memory than what is kept of it, and no longer than a chunk at a time. Behind each 512 KiB the event loop turns.
 *
 * @returns the text of the object without its items: `"items":[]`, as often as they come. Of an object
 *   without items, all of it.
 * @throws ProtocolError `DECODE` for what is no such object, or ends before its end; its context has
 *   sizes, and no content. What `body` fails with.
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

/** Where in the object the next byte lies: among its items, or elsewhere. */
type Place = 'frame' | 'items';

class ItemReader {
  readonly #options: ReadItemsOptions;
  #place: Place = 'frame';
  /** All but the items, up to those that were read last. */
  #frame: Buffer[] = [];
  #frameBytes = 0;
  /** What has come since then, in which items may begin yet. */
  #since: Buffer | undefined;
  readonly #nesting = new Nesting();
  /** The start of an item whose end has not arrived. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  /** Before an item there must be a comma, unless it is the first. */
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

  /** Behind the bracket that opens items, or behind the chunk. */
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

  /** Behind the last item, or behind the chunk. */
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

  /** Behind an item that begins in this chunk; -1 when it goes on beyond. */
  #oneItem(chunk: Buffer, from: number): number {
    // First its metadata: without those managedFields that are skipped there, half of it may be done.
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

  /** The next bracket: that of an item, or the one behind the last. */
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
 * Behind the bracket that opens `items` of the object that begins in `bytes`, or goes on there behind
 * other items; -1 where it is yet to come, and where that cannot be told: such an answer is taken as a
 * whole.
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

/** Whether the name that begins at `key` is `items`, be it with escapes. */
function isItems(bytes: Buffer, key: number, to: number): boolean {
  if (isAt(bytes, key, to, '"items"')) return true;
  const text = bytes.toString('latin1', key, to);
  return (
    text.includes('\\') &&
    /^"(?:i|\\u0069)(?:t|\\u0074)(?:e|\\u0065)(?:m|\\u006[dD])(?:s|\\u0073)"/.test(text)
  );
}

/** The first byte from `at` on that is no white space. */
function behindSpace(bytes: Buffer, at: number): number {
  let next = at < 0 ? bytes.length : at;
  while (next < bytes.length && isSpace(bytes[next])) next++;
  return next;
}

/** What JSON has for white space: no other control character. */
function isSpace(byte: number | undefined): boolean {
  return byte === SPACE || byte === NEWLINE || byte === CARRIAGE_RETURN || byte === TAB;
}
