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
 * False only if no member of `tail` can be one that came before: `tail` is the rest of an object from the
 * brace that closes its metadata. True says nothing: then the members are to be told apart.
 */
export function mayComeTwice(tail: string): boolean {
  if (tail.length > WORTH_SEARCHING || hasEscapedLetter(tail)) return true;
  for (const name of SOUGHT) if (isNamedBehindMember(tail, name)) return true;
  return false;
}

/** Whether the name comes elsewhere than as the first of an object, which it cannot be behind metadata. */
function isNamedBehindMember(tail: string, { quoted, end }: SoughtName): boolean {
  const before = quoted.length - end.length;
  for (let at = tail.indexOf(end); at >= 0; at = tail.indexOf(end, at + end.length)) {
    const from = at - before;
    if (tail.startsWith(quoted, from) && tail[from - 1] !== '{') return true;
  }
  return false;
}

/** Whether there may be an escape such as `\u0064`, which is a letter. Go writes none. */
function hasEscapedLetter(tail: string): boolean {
  for (let at = tail.indexOf('\\u00'); at >= 0; at = tail.indexOf('\\u00', at + 4)) {
    if ('567'.includes(tail[at + 4] ?? '5')) return true;
  }
  return false;
}
