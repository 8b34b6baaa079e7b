import { endOfFlatArray, endOfValue } from './json-bytes.ts';

/** What a line of a watch says, as far as it can be told without parsing it. */
export interface ScannedEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly uid: string;
  readonly resourceVersion: string;
  /** The object as JSON, without `metadata.managedFields`. Keeps neither line nor chunk alive. */
  readonly text: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
const BEFORE_TYPE = '{"type":"';
const BEHIND_TYPE = '","object":';

/** What has been read so far. Strings that have not been found, and a cut from -1, are none. */
class Found {
  apiVersion = '';
  kind = '';
  name = '';
  namespace = '';
  uid = '';
  resourceVersion = '';
  hasMetadata = false;
  cutFrom = -1;
  cutTo = -1;
}

/**
 * The strings read last. Those of one watch mostly have kind, apiVersion and namespace in common: one
 * string serves them all, which saves both memory and the time to make it.
 */
const latest = new Found();

/** Member by member, as no two that are looked for have the same length. */
const OF_OBJECT = byLength('kind', 'apiVersion', 'metadata');
const OF_METADATA = byLength('uid', 'name', 'namespace', 'resourceVersion', 'managedFields');

/**
 * The event in `bytes` from `start` to `end`: one line without its terminator. Undefined for a line
 * that is not as kube-apiserver writes it, and for BOOKMARK and ERROR: such a line is to be parsed.
 *
 * For every line that is JSON, an answer agrees with `JSON.parse`: it names what the parsed object
 * names, and `text` parses to that object without `metadata.managedFields`. The members of the object
 * and of its metadata may come in any order: Go's structs and its maps differ. No answer is given
 * where a member that is named here is missing (but for the namespace), empty, not a string, escaped,
 * not ASCII or there twice, nor where white space lies between members.
 *
 * A line that is not JSON is answered only if what is wrong with it lies within the value of a member
 * that `text` keeps, so that parsing `text` fails too, or within `metadata.managedFields`.
 */
export function scanEvent(
  bytes: Buffer,
  start: number = 0,
  end: number = bytes.length,
): ScannedEvent | undefined {
  const type = typeOf(bytes, start, end);
  if (type === undefined) return undefined;
  const from = start + BEFORE_TYPE.length + type.length + BEHIND_TYPE.length;
  // The last byte is the brace of the envelope: nothing may lie between it and the object's.
  const to = end - 1;
  if (bytes[to] !== CLOSE_BRACE) return undefined;
  const found = new Found();
  if (scanObject(bytes, from, to, found) !== to) return undefined;
  const { apiVersion, kind, name, namespace, uid, resourceVersion } = found;
  if (apiVersion === '' || kind === '') return undefined;
  if (name === '' || uid === '' || resourceVersion === '') return undefined;
  return {
    type,
    apiVersion,
    kind,
    name,
    namespace: namespace === '' ? undefined : namespace,
    uid,
    resourceVersion,
    text: textWithoutCut(bytes, from, to, found),
  };
}

function typeOf(bytes: Buffer, start: number, end: number): ScannedEvent['type'] | undefined {
  if (!isAt(bytes, start, end, BEFORE_TYPE)) return undefined;
  const at = start + BEFORE_TYPE.length;
  for (const type of TYPES) {
    if (isAt(bytes, at, end, type) && isAt(bytes, at + type.length, end, BEHIND_TYPE)) return type;
  }
  return undefined;
}

/** Behind the object that begins at `from`, or -1. */
function scanObject(bytes: Buffer, from: number, to: number, found: Found): number {
  if (bytes[from] !== OPEN_BRACE) return -1;
  let at = from;
  do {
    const key = at + 1;
    const value = endOfKey(bytes, key, to);
    if (value < 0) return -1;
    const member = memberAt(bytes, key, value, OF_OBJECT);
    if (member === 'metadata') {
      if (found.hasMetadata) return -1;
      found.hasMetadata = true;
      at = scanMetadata(bytes, value, to, found);
    } else {
      at = endOfValue(bytes, value, to);
      if (at > 0 && member !== undefined && !take(found, member, bytes, value, at)) return -1;
    }
    if (at < 0) return -1;
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACE ? at + 1 : -1;
}

/** Behind the metadata that begin at `from`, or -1. */
function scanMetadata(bytes: Buffer, from: number, to: number, found: Found): number {
  if (bytes[from] !== OPEN_BRACE) return -1;
  let at = from;
  do {
    const before = at;
    const value = endOfKey(bytes, before + 1, to);
    if (value < 0) return -1;
    const member = memberAt(bytes, before + 1, value, OF_METADATA);
    if (member === 'managedFields') {
      if (found.cutFrom >= 0) return -1;
      at = endOfFlatArray(bytes, value, to);
      if (at < 0) at = endOfValue(bytes, value, to);
      // With the comma in front of it, or else with the one behind it.
      found.cutFrom = before === from ? before + 1 : before;
      found.cutTo = before === from && bytes[at] === COMMA ? at + 1 : at;
    } else {
      at = endOfValue(bytes, value, to);
      if (at > 0 && member !== undefined && !take(found, member, bytes, value, at)) return -1;
    }
    if (at < 0) return -1;
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACE ? at + 1 : -1;
}

/** Where the value begins whose key has its opening quote at `from`; -1 without, or with an escape. */
function endOfKey(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== QUOTE) return -1;
  let at = from + 1;
  while (at < to && bytes[at] !== QUOTE) {
    if (bytes[at] === BACKSLASH) return -1;
    at++;
  }
  return bytes[at + 1] === COLON ? at + 2 : -1;
}

function memberAt<Name extends string>(
  bytes: Buffer,
  key: number,
  value: number,
  names: readonly (Name | undefined)[],
): Name | undefined {
  const name = names[value - key - '"":'.length];
  return name !== undefined && isAt(bytes, key + 1, value, name) ? name : undefined;
}

function byLength<Name extends string>(...names: readonly Name[]): readonly (Name | undefined)[] {
  const table: (Name | undefined)[] = Array(1 + Math.max(...names.map(({ length }) => length)));
  table.fill(undefined);
  for (const name of names) table[name.length] = name;
  return table;
}

type Taken = 'apiVersion' | 'kind' | 'name' | 'namespace' | 'uid' | 'resourceVersion';

/** False where the member is there twice, or anything but a string of plain characters. */
function take(found: Found, member: Taken, bytes: Buffer, from: number, to: number): boolean {
  const length = to - from - '""'.length;
  if (found[member] !== '' || bytes[from] !== QUOTE || length <= 0) return false;
  const before = latest[member];
  if (before.length === length && isAt(bytes, from + 1, to, before)) {
    found[member] = before;
    return true;
  }
  for (let at = from + 1; at < to - 1; at++) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return false;
  }
  latest[member] = found[member] = bytes.toString('latin1', from + 1, to - 1);
  return true;
}

function textWithoutCut(bytes: Buffer, from: number, to: number, found: Found): string {
  const { cutFrom, cutTo } = found;
  if (cutFrom < 0) return bytes.toString('utf8', from, to);
  return bytes.toString('utf8', from, cutFrom) + bytes.toString('utf8', cutTo, to);
}

function isAt(bytes: Buffer, at: number, end: number, text: string): boolean {
  if (at + text.length > end) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
