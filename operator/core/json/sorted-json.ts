/** An object or array that is not closed yet. */
interface Open {
  readonly close: '}' | ']';
  /** The JSON of each finished member or item. For a member, it includes the key. */
  readonly parts: string[];
  /** The key of each element of `parts`, unescaped. Empty for an array. */
  readonly keys: string[];
  /** The JSON of the key whose value is read next. */
  key: string | undefined;
}

/**
 * Matches a string, a punctuation mark, or a sequence of other characters, which is a number or a word. White
 * space is skipped.
 */
const TOKEN = /\s*("[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s{}[\],:"]+)/gy;

/**
 * `text`, which is valid JSON, without white space and with the keys of every object sorted by their UTF-8
 * bytes, as Go writes maps. Numbers and strings are not changed, so that they keep all of their digits and
 * escapes. Works at any depth.
 */
export function sortedJson(text: string): string {
  const open: Open[] = [];
  let done = '';
  const finish = (value: string): void => {
    const level = open.at(-1);
    if (level === undefined) {
      done = value;
    } else if (level.key === undefined) {
      level.parts.push(value);
    } else {
      level.parts.push(`${level.key}:${value}`);
      level.keys.push(plainKey(level.key));
      level.key = undefined;
    }
  };
  TOKEN.lastIndex = 0;
  for (let found = TOKEN.exec(text); found !== null; found = TOKEN.exec(text)) {
    const token = found[1] ?? '';
    const level = open.at(-1);
    if (token === '{' || token === '[') {
      open.push({ close: token === '{' ? '}' : ']', parts: [], keys: [], key: undefined });
    } else if (token === '}' || token === ']') {
      open.pop();
      finish(level === undefined ? '' : closed(level));
    } else if (token !== ',' && token !== ':') {
      if (level?.close === '}' && level.key === undefined) level.key = token;
      else finish(token);
    }
  }
  return done;
}

function closed({ close, parts, keys }: Open): string {
  if (close === ']') return `[${parts.join(',')}]`;
  const isSorted = keys.every(
    (key, index) => index === 0 || compareKeys(keys[index - 1] ?? '', key) <= 0,
  );
  if (isSorted) return `{${parts.join(',')}}`;
  const order = [...keys.keys()].sort((a, b) => compareKeys(keys[a] ?? '', keys[b] ?? ''));
  return `{${order.map((index) => parts[index]).join(',')}}`;
}

function plainKey(text: string): string {
  return text.includes('\\') ? (JSON.parse(text) as string) : text.slice(1, -1);
}

/**
 * Matches characters outside of the basic multilingual plane. `<` compares the UTF-16 of strings, which
 * orders these characters differently than UTF-8.
 */
const SURROGATE = /[\ud800-\udfff]/;

/** Orders keys by their UTF-8 bytes. */
export function compareKeys(a: string, b: string): number {
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b));
  return a < b ? -1 : Number(a > b);
}
