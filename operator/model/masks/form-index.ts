/** Number of characters that are hashed together. Shorter strings are searched one by one. */
const WINDOW = 6;

/** The hash of a window is a polynomial of its characters, modulo 2³². */
const BASE = 0x01000193;

/** BASE to the power of WINDOW, modulo 2³²: the weight of the character that leaves the window. */
const LEAVING = Array.from({ length: WINDOW }).reduce<number>((power) => Math.imul(power, BASE), 1);

/**
 * A table has one bit for each of 2²⁰ hashes. The bit is set if one of the strings begins with characters
 * that have this hash.
 */
const BITS = 20;

/** A string to search for, and its replacement. */
interface Form {
  readonly text: string;
  readonly instead: string;
}

interface Match extends Form {
  readonly at: number;
}

/**
 * Finds many strings in one pass over a text. The time does not depend on the number of strings. If matches
 * overlap, only the longest match is replaced, because one string may contain another string.
 */
export class FormIndex {
  readonly #forms = new Map<string, string>();
  /** The strings of at least `WINDOW` characters, keyed by their first `WINDOW` characters. */
  readonly #starts = new Map<string, Form[]>();
  readonly #short: Form[] = [];
  readonly #mayBegin = new Uint32Array(2 ** (BITS - 5));

  /** Adds a string, unless it is empty or already known. */
  add(text: string, instead: string): void {
    if (text === '' || this.#forms.has(text)) return;
    this.#forms.set(text, instead);
    const form = { text, instead };
    if (text.length < WINDOW) {
      this.#short.push(form);
      return;
    }
    const start = text.slice(0, WINDOW);
    const known = this.#starts.get(start);
    if (known === undefined) this.#starts.set(start, [form]);
    else known.push(form);
    const slot = slotOf(hashOf(start));
    this.#mayBegin[slot >>> 5] = (this.#mayBegin[slot >>> 5] ?? 0) | (1 << (slot & 31));
  }

  /** `text` with each string replaced. */
  replace(text: string): string {
    const matches = this.#matches(text);
    if (matches.length === 0) return text;
    let result = '';
    let at = 0;
    for (const match of longestOf(matches)) {
      result += text.slice(at, match.at) + match.instead;
      at = match.at + match.text.length;
    }
    return result + text.slice(at);
  }

  #matches(text: string): readonly Match[] {
    const matches: Match[] = [];
    for (const form of this.#short) {
      for (let at = text.indexOf(form.text); at >= 0; at = text.indexOf(form.text, at + 1)) {
        matches.push({ ...form, at });
      }
    }
    if (text.length < WINDOW || this.#starts.size === 0) return matches;
    let hash = hashOf(text);
    const last = text.length - WINDOW;
    for (let at = 0; at <= last; at++) {
      if (this.#hasSlot(slotOf(hash))) this.#addAt(text, at, matches);
      hash =
        (Math.imul(hash, BASE) +
          text.charCodeAt(at + WINDOW) -
          Math.imul(text.charCodeAt(at), LEAVING)) |
        0;
    }
    return matches;
  }

  #hasSlot(slot: number): boolean {
    return (((this.#mayBegin[slot >>> 5] ?? 0) >>> (slot & 31)) & 1) === 1;
  }

  #addAt(text: string, at: number, matches: Match[]): void {
    for (const form of this.#starts.get(text.slice(at, at + WINDOW)) ?? []) {
      if (text.startsWith(form.text, at)) matches.push({ ...form, at });
    }
  }
}

/** The hash of the first `WINDOW` characters of a text. */
function hashOf(text: string): number {
  let hash = 0;
  for (let at = 0; at < WINDOW; at++) hash = (Math.imul(hash, BASE) + text.charCodeAt(at)) | 0;
  return hash;
}

function slotOf(hash: number): number {
  return (hash ^ (hash >>> 16)) & (2 ** BITS - 1);
}

/** The matches, ordered by position. Of matches that overlap, only the longest is kept. */
function longestOf(matches: readonly Match[]): readonly Match[] {
  const taken: Match[] = [];
  for (const match of matches.toSorted((a, b) => b.text.length - a.text.length || a.at - b.at)) {
    const overlaps = taken.some(
      ({ at, text }) => match.at < at + text.length && at < match.at + match.text.length,
    );
    if (!overlaps) taken.push(match);
  }
  return taken.toSorted((a, b) => a.at - b.at);
}
