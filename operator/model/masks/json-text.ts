/**
 * The values in a JSON text, with their positions. The positions allow replacing single values without
 * changing anything else in the text, such as 64-bit numbers, repeated members and white space.
 */
export type JsonNode = JsonSpan &
  (
    | { readonly type: 'object'; readonly members: readonly JsonMember[] }
    | { readonly type: 'array'; readonly items: readonly JsonNode[] }
    | { readonly type: 'string'; readonly value: string }
    /** A number, true, false or null. */
    | { readonly type: 'word'; readonly value: string }
  );

interface JsonSpan {
  readonly start: number;
  readonly end: number;
}

export interface JsonMember {
  readonly key: string;
  readonly keySpan: JsonSpan;
  readonly value: JsonNode;
}

/** A range of a text, and its replacement. */
export interface Replacement extends JsonSpan {
  readonly text: string;
}

/** Maximum number of levels. Kubernetes objects have fewer than a hundred. */
const MAX_LEVELS = 500;

/** The values in a text. Undefined for a text that is not JSON, or that has more than 500 levels. */
export function parseJsonText(text: string): JsonNode | undefined {
  try {
    JSON.parse(text);
    return new Reader(text).value(0);
  } catch {
    return undefined;
  }
}

/** `text` with the given replacements made. They must not overlap. */
export function withReplacements(text: string, replacements: readonly Replacement[]): string {
  let result = '';
  let at = 0;
  for (const each of replacements.toSorted((a, b) => a.start - b.start)) {
    result += text.slice(at, each.start) + each.text;
    at = each.end;
  }
  return result + text.slice(at);
}

/** Reads a text that `JSON.parse` accepts. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** @throws RangeError for more than 500 levels. */
  value(level: number): JsonNode {
    if (level > MAX_LEVELS) throw new RangeError('too many levels');
    const first = this.#next();
    if (first === '{') return this.#object(level);
    if (first === '[') return this.#array(level);
    if (first === '"') return this.#string();
    const start = this.#at;
    const [value = ''] = /[^\s,\]}]*/.exec(this.#text.slice(start, start + 32)) ?? [];
    this.#at += value.length;
    // The characters of a number after the first 32 are read here.
    while (/[\d.eE+-]/.test(this.#text.charAt(this.#at))) this.#at += 1;
    return { type: 'word', start, end: this.#at, value: this.#text.slice(start, this.#at) };
  }

  #object(level: number): JsonNode {
    const start = this.#at++;
    const members: JsonMember[] = [];
    while (this.#next() !== '}') {
      if (this.#next() === ',') this.#at += 1;
      this.#next();
      const { value: key, ...keySpan } = this.#string();
      this.#next(); // the colon
      this.#at += 1;
      members.push({ key, keySpan, value: this.value(level + 1) });
    }
    return { type: 'object', start, end: ++this.#at, members };
  }

  #array(level: number): JsonNode {
    const start = this.#at++;
    const items: JsonNode[] = [];
    while (this.#next() !== ']') {
      if (this.#next() === ',') this.#at += 1;
      items.push(this.value(level + 1));
    }
    return { type: 'array', start, end: ++this.#at, items };
  }

  #string(): JsonSpan & { readonly type: 'string'; readonly value: string } {
    const start = this.#at;
    let end = start;
    let before: number;
    do {
      end = this.#text.indexOf('"', end + 1);
      before = end;
      while (this.#text.charAt(before - 1) === '\\') before -= 1;
    } while ((end - before) % 2 === 1);
    this.#at = end + 1;
    const value: string = JSON.parse(this.#text.slice(start, this.#at));
    return { type: 'string', start, end: this.#at, value };
  }

  /**
   * Skips white space.
   *
   * @returns the first character after the white space.
   */
  #next(): string {
    while (/\s/.test(this.#text.charAt(this.#at))) this.#at += 1;
    return this.#text.charAt(this.#at);
  }
}
