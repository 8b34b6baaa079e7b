import { JsonLimitError, type JsonLimits, MAX_NUMBER_CHARS } from './json-limits.ts';

/** A top-level object or list in a text. */
export interface JsonPart {
  readonly start: number;
  readonly end: number;
}

/** What is known about a text before it is parsed. */
export interface ScannedJson {
  readonly parts: readonly JsonPart[];
  /** The start and the end of every object or list that is too large to be parsed in one piece. */
  readonly large: ReadonlyMap<number, number>;
  /** Number of members of all objects. */
  readonly members: number;
  /** Number of objects, lists, and their members and items. */
  readonly values: number;
  /** True if the text ends inside the last object or list. */
  readonly isCut: boolean;
}

/** Number of characters that are scanned in one turn of the event loop. This takes a few milliseconds. */
const SLICE_CHARS = 512 * 1024;

/** Number of characters of JSON that are parsed in one piece. This takes a millisecond or two. */
export const PIECE_CHARS: number = 64 * 1024;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const BYTE_ORDER_MARK = 0xfeff;

/**
 * Finds the JSON objects and lists in a text, one after the other. Throws if the text exceeds a limit. Yields
 * after each 512 Ki characters. Most syntax errors are found only when the text is parsed.
 *
 * @param onOther - called for each character outside of objects and lists that is not white space.
 * @throws JsonLimitError
 */
export function* scanJson(
  text: string,
  limits: JsonLimits,
  onOther: (document: number) => void,
): Generator<void, ScannedJson, undefined> {
  const scan = new Scan(text, limits, onOther);
  while (scan.continue()) yield;
  return scan.result();
}

class Scan {
  readonly #text: string;
  readonly #limits: JsonLimits;
  readonly #onOther: (document: number) => void;
  readonly #parts: JsonPart[] = [];
  readonly #large = new Map<number, number>();
  /** Indices at which the open objects and lists begin. */
  readonly #open: number[] = [];
  /** Number of members or items so far of each open object or list. */
  readonly #sizes: number[] = [];
  #at = 0;
  /** True if the previous slice ended inside a string. */
  #isInString = false;
  #values = 0;
  #valuesBefore = 0;
  #members = 0;
  /** Index of the last character that does not belong to a number or a word. */
  #mark = 0;

  constructor(text: string, limits: JsonLimits, onOther: (document: number) => void) {
    this.#text = text;
    this.#limits = limits;
    this.#onOther = onOther;
  }

  result(): ScannedJson {
    const isCut = this.#open.length > 0;
    return {
      parts: this.#parts,
      large: this.#large,
      members: this.#members,
      values: this.#values,
      isCut,
    };
  }

  /** Scans the next slice. Returns false at the end of the text. */
  continue(): boolean {
    const text = this.#text;
    const end = Math.min(this.#at + SLICE_CHARS, text.length);
    for (; this.#at < end; this.#at++) {
      const code = text.charCodeAt(this.#at);
      if (this.#isInString || code === QUOTE) this.#string(end);
      else if (code === OPEN_BRACE || code === OPEN_BRACKET) this.#begin();
      else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) this.#finish();
      else if (code === COMMA) this.#next();
      else if (code === COLON) this.#member();
      else if (!isSpace(code)) {
        if (this.#open.length === 0) this.#onOther(this.#parts.length + 1);
        if (this.#at - this.#mark > MAX_NUMBER_CHARS) {
          this.#refuse(`has a number or a word of more than ${MAX_NUMBER_CHARS} characters`);
        }
        continue;
      }
      this.#mark = this.#at;
    }
    return this.#at < text.length;
  }

  /** Finds the end of a string. A long string may continue in the next slice. */
  #string(endOfSlice: number): void {
    const text = this.#text;
    if (this.#open.length === 0) this.#onOther(this.#parts.length + 1);
    let from = this.#isInString ? this.#at : this.#at + 1;
    this.#isInString = false;
    for (;;) {
      this.#at = text.indexOf('"', from);
      from = this.#at + 1;
      if (this.#at < 0) {
        this.#at = text.length;
        return;
      }
      let before = this.#at;
      while (text.charCodeAt(before - 1) === BACKSLASH) before -= 1;
      if ((this.#at - before) % 2 === 0) return;
      if (from < endOfSlice) continue;
      this.#isInString = true;
      return;
    }
  }

  #begin(): void {
    if (this.#open.length === 0) {
      this.#valuesBefore = this.#values;
      if (this.#parts.length === this.#limits.documents) {
        this.#refuse(`is beyond the limit of ${this.#limits.documents} documents`);
      }
    }
    this.#open.push(this.#at);
    this.#sizes.push(1);
    if (this.#open.length > this.#limits.levels) {
      this.#refuse(`has more than ${this.#limits.levels} levels`);
    }
    this.#count();
  }

  #member(): void {
    this.#members += 1;
    if (this.#open.length === 0) this.#onOther(this.#parts.length + 1);
  }

  #next(): void {
    if (this.#open.length === 0) this.#onOther(this.#parts.length + 1);
    const at = this.#sizes.length - 1;
    const size = (this.#sizes[at] ?? 0) + 1;
    this.#sizes[at] = size;
    const { members } = this.#limits;
    if (size > members && this.#text.charCodeAt(this.#open[at] ?? 0) === OPEN_BRACE) {
      this.#refuse(`has an object with more than ${members} members`);
    }
    this.#count();
  }

  #count(): void {
    const { values, documentValues } = this.#limits;
    this.#values += 1;
    if (this.#values - this.#valuesBefore > documentValues) {
      this.#refuse(`has more than ${documentValues} values`);
    }
    if (this.#values > values) this.#refuse(`the file has more than ${values} values up to it`);
  }

  #finish(): void {
    const start = this.#open.pop();
    this.#sizes.pop();
    if (start === undefined) {
      this.#onOther(this.#parts.length + 1);
      return;
    }
    const end = this.#at + 1;
    if (end - start > PIECE_CHARS) this.#large.set(start, end);
    if (this.#open.length > 0) return;
    const { documentChars } = this.#limits;
    if (end - start > documentChars) {
      this.#refuse(`has ${end - start} characters, more than the ${documentChars} of a document`);
    }
    this.#parts.push({ start, end });
  }

  #refuse(problem: string): never {
    throw new JsonLimitError(this.#parts.length + 1, problem);
  }
}

/** True for white space, and for the byte order mark that some programs write at the beginning of a text. */
function isSpace(code: number): boolean {
  if (code <= 0x7f) return code === 0x20 || (code >= 0x09 && code <= 0x0d);
  return code === BYTE_ORDER_MARK || /\s/.test(String.fromCharCode(code));
}
