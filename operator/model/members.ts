/** A member of an object in its JSON. */
export interface Member {
  readonly name: string;
  /** Where its text begins, with the comma in front, or the brace that opens the object. */
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
 * The members in `text`, which is JSON, from `from`, where there is the comma before the first or the
 * brace that opens their object, to the brace at `to` that closes it. Undefined where white space lies
 * between them, where a name has an escape or comes twice, and for `__proto__`, no name like others.
 */
export function membersOf(text: string, from: number, to: number): readonly Member[] | undefined {
  const members: Member[] = [];
  let at = from;
  while (at < to) {
    const before = text.charCodeAt(at);
    const end = text.indexOf('"', at + 2);
    if (before !== COMMA && (before !== OPEN_BRACE || at !== from)) return undefined;
    if (text.charCodeAt(at + 1) !== QUOTE || text.charCodeAt(end + 1) !== COLON) return undefined;
    const name = text.slice(at + 2, end);
    const behind = endOfValue(text, end + 2, to);
    if (behind < 0 || name.includes('\\') || name === '__proto__') return undefined;
    if (members.some((member) => member.name === name)) return undefined;
    members.push({ name, from: at, to: behind });
    at = behind;
  }
  return at === to && text.charCodeAt(to) === CLOSE_BRACE ? members : undefined;
}

/** Behind the value that begins at `from`; -1 where none does, and where it goes on beyond `to`. */
function endOfValue(text: string, from: number, to: number): number {
  let depth = 0;
  let at = from;
  while (at < to) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
      if (at < 0 || depth === 0) return at;
      continue;
    }
    // A bracket and a brace are 0x20 apart, be it that they open or close.
    const brace = code >= OPEN_BRACKET ? code | 0x20 : 0;
    if (brace === OPEN_BRACE) depth++;
    else if (brace === CLOSE_BRACE && --depth === 0) return at + 1;
    else if (code === COMMA && depth === 0) return at;
    at++;
  }
  return depth === 0 && at > from ? at : -1;
}

/** Behind the string whose opening quote is at `from`; -1 where it does not end. */
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
