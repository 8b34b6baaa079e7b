import type { Readable } from 'node:stream';
import { ProtocolError } from '../core/errors.ts';
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

export interface ReadItemsOptions {
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
 * takes no more memory than what is kept of it, and no longer than a chunk at a time.
 *
 * @returns the text of the object without its items: `"items":[]`. Of an object without items, all of it.
 * @throws ProtocolError `DECODE` for what is no such object, or ends before its end; its context has
 *   sizes, and no content. What `body` fails with.
 */
export async function readItems(body: Readable, options: ReadItemsOptions): Promise<string> {
  const reader = new ItemReader(options);
  for await (const chunk of body as AsyncIterable<Buffer>) reader.read(chunk);
  return reader.end();
}

/** Where in the object the next byte lies. */
type Place = 'before' | 'items' | 'behind';

class ItemReader {
  readonly #options: ReadItemsOptions;
  #place: Place = 'before';
  /** All but the items. */
  #frame: Buffer[] = [];
  #frameBytes = 0;
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
    if (this.#place === 'before') this.#readBefore(chunk);
    else if (this.#place === 'items') this.#readItems(chunk, 0);
    else this.#keep(chunk);
  }

  end(): string {
    if (this.#place === 'items') throw this.#undecodable('the answer is not complete JSON');
    return Buffer.concat(this.#frame).toString('utf8');
  }

  #readBefore(chunk: Buffer): void {
    const before = Buffer.concat([...this.#frame, chunk]);
    const items = beginOfItems(before);
    this.#frame = [];
    this.#frameBytes = 0;
    if (items < 0) {
      this.#keep(before);
      return;
    }
    this.#keep(before.subarray(0, items));
    this.#place = 'items';
    this.#readItems(before, items);
  }

  #readItems(chunk: Buffer, from: number): void {
    let at = from;
    while (at < chunk.length) {
      if (this.#nesting.isClosed) {
        at = this.#toItem(chunk, at);
        if (at === chunk.length) return;
        if (chunk[at] === CLOSE_BRACKET) {
          this.#place = 'behind';
          this.#keep(chunk.subarray(at));
          return;
        }
      }
      const end = this.#held.length === 0 ? this.#oneItem(chunk, at) : this.#heldItem(chunk, at);
      if (end < 0) {
        this.#hold(chunk.subarray(at));
        return;
      }
      this.#next = 'comma';
      at = end;
    }
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

  #hold(piece: Buffer): void {
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

  #keep(piece: Buffer): void {
    this.#frame.push(piece);
    this.#frameBytes += piece.length;
    if (this.#frameBytes > MAX_FRAME_BYTES) throw this.#undecodable('the answer is not a list');
  }

  #undecodable(message: string): ProtocolError {
    return new ProtocolError(message, { code: 'DECODE', context: { readBytes: this.#readBytes } });
  }
}

/**
 * Behind the bracket that opens `items` of the object that begins in `bytes`; -1 where it is yet to
 * come, and where that cannot be told: such an answer is taken as a whole.
 */
function beginOfItems(bytes: Buffer): number {
  let at = behindSpace(bytes, 0);
  if (bytes[at] !== OPEN_BRACE) return -1;
  do {
    const key = behindSpace(bytes, at + 1);
    if (bytes[key] !== QUOTE) return -1;
    const colon = behindSpace(bytes, endOfValue(bytes, key, bytes.length));
    if (bytes[colon] !== COLON) return -1;
    const value = behindSpace(bytes, colon + 1);
    const isItems = isAt(bytes, key, value, '"items"');
    if (isItems && bytes[value] === OPEN_BRACKET) return value + 1;
    const end = endOfValue(bytes, value, bytes.length);
    if (end < 0) return -1;
    at = behindSpace(bytes, end);
  } while (bytes[at] === COMMA);
  return -1;
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
