import { boundedText, MAX_TEXT_CHARS } from '../../core/text/visible-text.ts';

/**
 * Maximum nesting depth of a logged value. For comparison, a condition of a child in a list is at depth five.
 */
const MAX_DEPTH = 8;

/** Maximum number of values in one line. An ordinary line has about ten. */
const MAX_VALUES = 1_000;

/** Maximum length of a printed stack. This is enough for the frames of an error and of its causes. */
const MAX_STACK_CHARS = 4 * MAX_TEXT_CHARS;

/** Replaces members whose name may belong to a secret. */
const REDACTED = '[redacted]';

/** Replaces values beyond `MAX_DEPTH` or `MAX_VALUES`. */
const DEEP = '[deep]';

/**
 * Matches names of members that may contain a secret, in lower case and without `-` and `_`: the data members
 * of a Secret, and names with a typical ending such as `password`.
 */
const SECRET_NAME =
  /^(?:data|binarydata|stringdata)$|(?:token|authorization|password|passwd|passphrase|cookie|privatekey|apikey|secretkey|clientsecret)$/;

type Fields = Record<string, unknown>;

/** Turns an Error into a printable value. The members of that value are then redacted. */
type DescribeError = (error: unknown) => unknown;

/**
 * A copy of `fields` that a logger can print. A member whose name may belong to a secret becomes
 * `[redacted]`, at every depth, even in lists, Maps, Sets and Errors. Values deeper than 8 levels, or beyond
 * 1,000 in one line, become `[deep]`. Strings and names are cut to 2,048 characters, and a member `stack` to
 * 8,192, by removing the middle. It never throws. It also makes values printable that JSON does not support:
 * Maps, Sets and large integers.
 */
export function redactedFields(fields: object, describe: DescribeError): Fields {
  const walk: Walk = { left: MAX_VALUES, describe };
  const copy: Fields = Object.create(null);
  for (const name of Object.keys(fields)) {
    copy[boundedText(name)] = member(fields, name, 1, walk);
  }
  return copy;
}

interface Walk {
  left: number;
  readonly describe: DescribeError;
}

function member(parent: object, name: string, depth: number, walk: Walk): unknown {
  let value: unknown;
  try {
    value = (parent as Fields)[name];
  } catch {
    return '[unreadable]'; // a getter that throws costs only its own value
  }
  if (value === undefined) return undefined;
  if (isSecretName(name)) return REDACTED;
  if (name === 'stack' && typeof value === 'string') return boundedText(value, MAX_STACK_CHARS);
  return printable(name === 'err' ? walk.describe(value) : value, depth, walk);
}

function printable(value: unknown, depth: number, walk: Walk): unknown {
  if (typeof value === 'string') return boundedText(value);
  if (typeof value === 'bigint') return boundedText(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (depth > MAX_DEPTH || walk.left <= 0) return DEEP;
  if (value instanceof Error) return printable(walk.describe(value), depth, walk);
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) {
    return members([...entriesOf(value)], depth, walk);
  }
  if (Array.isArray(value) || value instanceof Set) return elements(value, depth, walk);
  const plain = inJson(value);
  if (plain !== value) return printable(plain, depth + 1, walk);
  const copy: Fields = Object.create(null);
  for (const name of Object.keys(value)) {
    if (!spend(walk)) {
      copy['…'] = DEEP;
      break;
    }
    copy[boundedText(name)] = member(value, name, depth + 1, walk);
  }
  return copy;
}

function* entriesOf(map: ReadonlyMap<unknown, unknown>): Generator<readonly [string, unknown]> {
  let left = MAX_VALUES;
  for (const [name, value] of map) {
    if (left-- <= 0) return;
    yield [typeof name === 'object' && name !== null ? '[object]' : String(name), value];
  }
}

function members(
  entries: readonly (readonly [string, unknown])[],
  depth: number,
  walk: Walk,
): unknown {
  const copy: Fields = Object.create(null);
  for (const [name, value] of entries) {
    if (!spend(walk)) {
      copy['…'] = DEEP;
      break;
    }
    copy[boundedText(name)] = isSecretName(name) ? REDACTED : printable(value, depth + 1, walk);
  }
  return copy;
}

function elements(values: Iterable<unknown>, depth: number, walk: Walk): unknown[] {
  const copy: unknown[] = [];
  for (const value of values) {
    if (!spend(walk)) {
      copy.push(DEEP);
      break;
    }
    copy.push(printable(value, depth + 1, walk));
  }
  return copy;
}

/** Dates and URLs are printed as their `toJSON` method returns them. */
function inJson(value: object): unknown {
  const { toJSON } = value as { toJSON?: unknown };
  if (typeof toJSON !== 'function') return value;
  try {
    return toJSON.call(value);
  } catch {
    return '[unreadable]';
  }
}

function spend(walk: Walk): boolean {
  walk.left--;
  return walk.left >= 0;
}

/**
 * The same names are used in many lines, so results are cached. The limit prevents names from the objects of
 * a cluster from filling the memory.
 */
const MAX_KNOWN_NAMES = 1_000;
const knownNames = new Map<string, boolean>();

function isSecretName(name: string): boolean {
  const known = knownNames.get(name);
  if (known !== undefined) return known;
  const isSecret = SECRET_NAME.test(name.replace(/[-_]/g, '').toLowerCase());
  if (knownNames.size < MAX_KNOWN_NAMES && name.length < 100) knownNames.set(name, isSecret);
  return isSecret;
}
