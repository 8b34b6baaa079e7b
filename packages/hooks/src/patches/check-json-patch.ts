/** The members that each operation of RFC 6902 must have besides `op` and `path`. */
const MEMBERS: Readonly<Record<string, 'value' | 'from' | undefined>> = {
  add: 'value',
  replace: 'value',
  test: 'value',
  remove: undefined,
  move: 'from',
  copy: 'from',
};

/**
 * A JSON pointer (RFC 6901): empty, or segments that begin with `/`. In a segment `~` is written
 * `~0` and `/` is written `~1`.
 */
const POINTER = /^(?:\/(?:[^~/]|~[01])*)*$/;

/**
 * The reason why `items` is no JSON patch (RFC 6902), with the path of the fault. Undefined when it
 * is valid.
 */
export function checkJsonPatch(items: unknown): string | undefined {
  if (!Array.isArray(items)) return 'jsonPatch must be a list of operations';
  for (const [at, item] of items.entries()) {
    const problem = checkItem(item as unknown);
    if (problem !== undefined) return `jsonPatch[${at}]${problem}`;
  }
  return undefined;
}

function checkItem(item: unknown): string | undefined {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return ' must be an object';
  const { op, path } = item as { readonly op?: unknown; readonly path?: unknown };
  if (typeof op !== 'string' || !Object.hasOwn(MEMBERS, op)) {
    return `.op must be one of ${Object.keys(MEMBERS).join(', ')}`;
  }
  if (typeof path !== 'string' || !POINTER.test(path)) return `.path must be a JSON pointer`;
  const member = MEMBERS[op];
  if (member === undefined) return undefined;
  if (!Object.hasOwn(item, member)) return `.${member} is missing: ${op} needs it`;
  if (member === 'value') return undefined;
  const { from } = item as { readonly from?: unknown };
  return typeof from === 'string' && POINTER.test(from)
    ? undefined
    : '.from must be a JSON pointer';
}
