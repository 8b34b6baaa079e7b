/** A member of an object in its JSON. */
export interface Member {
  readonly name: string;
  /** Where its text begins, with the comma in front. */
  readonly from: number;
  /** Behind its value. */
  readonly to: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The members in `text` from `at`, where a comma comes before each, up to the brace that ends their
 * object and the text, which is JSON. Undefined where white space lies between them, where a name has
 * an escape or comes twice, and for `__proto__`, which is no name like others.
 */
export function membersOf(text: string, at: number): readonly Member[] | undefined {
  const members: Member[] = [];
  let from = at;
  while (text.charCodeAt(from) === COMMA) {
    const quote = text.indexOf('"', from + 2);
    if (text.charCodeAt(from + 1) !== QUOTE || text.charCodeAt(quote + 1) !== COLON)
      return undefined;
    const name = text.slice(from + 2, quote);
    const to = endOfValue(text, quote + 2);
    if (to < 0 || name.includes('\\') || name === '__proto__') return undefined;
    if (members.some((member) => member.name === name)) return undefined;
    members.push({ name, from, to });
    from = to;
  }
  return from === text.length - 1 && text.charCodeAt(from) === CLOSE_BRACE ? members : undefined;
}

/** Behind the value that begins at `from`; -1 where none does. */
function endOfValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0) return -1;
      if (depth === 0) return at;
      continue;
    }
    // A bracket and a brace are 0x20 apart, be it that they open or close.
    const brace = code >= OPEN_BRACKET ? code | 0x20 : 0;
    if (brace === OPEN_BRACE) depth++;
    else if (depth === 0 && (code === COMMA || brace === CLOSE_BRACE)) return at > from ? at : -1;
    else if (brace === CLOSE_BRACE && --depth === 0) return at + 1;
    at++;
  }
  return -1;
}

/** Behind the string whose opening quote is at `from`. */
function endOfString(text: string, from: number): number {
  let quote = text.indexOf('"', from + 1);
  while (quote >= 0) {
    let before = quote - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    if ((quote - before) % 2 === 1) return quote + 1;
    quote = text.indexOf('"', quote + 1);
  }
  return -1;
}
