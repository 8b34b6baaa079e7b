/** A member's name, by an end of it that is cheap to search for. */
interface SoughtName {
  /** The name with its quotes. */
  readonly quoted: string;
  /**
   * The end of `quoted`, which begins with the rarest of its letters in JSON of Kubernetes: V8 searches
   * for a text of up to six characters by its first one.
   */
  readonly end: string;
}

/** Members of a watch line and of its object that are read before the metadata end. */
const SOUGHT: readonly SoughtName[] = [
  { quoted: '"kind"', end: 'kind"' },
  { quoted: '"metadata"', end: 'data"' },
  { quoted: '"apiVersion"', end: 'Version"' },
  { quoted: '"object"', end: 'ject"' },
  { quoted: '"type"', end: 'ype"' },
];

/** A longer text is mostly made of long strings, and to skip these takes less time than to search them. */
const WORTH_SEARCHING = 16 * 1024;

/**
 * False only if no member of `text` from `from` on can be one that came before. True says nothing: then
 * the members are to be told apart.
 *
 * @param from - where the brace stands that closes the object's metadata.
 */
export function mayComeTwice(text: string, from: number): boolean {
  if (text.length - from > WORTH_SEARCHING || hasEscapedLetter(text, from)) return true;
  for (const name of SOUGHT) if (isNamedBehindMember(text, from, name)) return true;
  return false;
}

/** Whether the name comes elsewhere than as the first of an object, which it cannot be behind metadata. */
function isNamedBehindMember(text: string, from: number, { quoted, end }: SoughtName): boolean {
  const before = quoted.length - end.length;
  for (let at = text.indexOf(end, from); at >= 0; at = text.indexOf(end, at + end.length)) {
    const name = at - before;
    if (text.startsWith(quoted, name) && text[name - 1] !== '{') return true;
  }
  return false;
}

/** Whether there may be an escape such as `\u0064`, which is a letter. Go writes none. */
function hasEscapedLetter(text: string, from: number): boolean {
  for (let at = text.indexOf('\\u00', from); at >= 0; at = text.indexOf('\\u00', at + 4)) {
    if ('567'.includes(text[at + 4] ?? '5')) return true;
  }
  return false;
}
