import { endOfFlatArray, endOfValue } from './json-bytes.ts';

/** The position of a string in bytes, without its quotes. `from` is -1 when the string was not found. */
export interface Span {
  from: number;
  to: number;
}

/** The identity of an object, and the positions in the bytes from which it was read. */
export interface ScannedIdentity {
  /** Empty when the object does not have an `apiVersion` before its metadata. The same applies to `kind`. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty when the object has no namespace. */
  readonly namespace: string;
  readonly name: Readonly<Span>;
  readonly uid: Readonly<Span>;
  readonly resourceVersion: Readonly<Span>;
  /** The index of the opening quote of the member `metadata`. */
  readonly metadataFrom: number;
  /** The index after the brace that closes `metadata`. */
  readonly metadataTo: number;
  /** True if only `apiVersion` and `kind` come before `metadata`, and neither comes after it. */
  readonly isFormFirst: boolean;
  /** The index after the last member that was read. This member may come after the metadata. */
  readonly behind: number;
  /**
   * The range of `managedFields`, including the comma before or after it. `managedFrom` is -1 when there are
   * no managedFields.
   */
  readonly managedFrom: number;
  readonly managedTo: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** The values that were found so far. Before a value is found, a string is empty and a position is -1. */
class Found implements ScannedIdentity {
  apiVersion = '';
  kind = '';
  namespace = '';
  readonly name: Span = { from: -1, to: -1 };
  readonly uid: Span = { from: -1, to: -1 };
  readonly resourceVersion: Span = { from: -1, to: -1 };
  metadataFrom = -1;
  metadataTo = -1;
  isFormFirst = true;
  behind = -1;
  managedFrom = -1;
  managedTo = -1;

  clear(): void {
    this.apiVersion = '';
    this.kind = '';
    this.namespace = '';
    this.name.from = -1;
    this.uid.from = -1;
    this.resourceVersion.from = -1;
    this.metadataFrom = -1;
    this.metadataTo = -1;
    this.isFormFirst = true;
    this.behind = -1;
    this.managedFrom = -1;
    this.managedTo = -1;
  }
}

/**
 * This object is reused for every scan, because creating an object for each line would take a large part of
 * the time.
 */
const found = new Found();

/**
 * The strings that were read last. Most lines of a watch contain the same strings, so reusing them saves
 * memory and time.
 */
const latest = { apiVersion: '', kind: '', namespace: '' };

/** Names of members, indexed by their lengths, which are all different. */
const OF_OBJECT = byLength('kind', 'apiVersion', 'metadata');
const OF_METADATA = byLength('uid', 'name', 'namespace', 'resourceVersion', 'managedFields');

/**
 * Reads the identity of the object that begins at `from`, without parsing the object. It stops as soon as it
 * has the identity and does not check the bytes after it. It accepts members in any order, because Go writes
 * structs and maps in different orders.
 *
 * The result is valid until the next call. It is correct only if the rest of the object does not repeat a
 * member: see `endOfRest`.
 *
 * The result is undefined when the object must be parsed. This is so when a string other than the namespace
 * is missing, when a string is empty, repeated, not ASCII or contains an escape, when a value is not a
 * string, and when there is white space between members.
 *
 * @param formed - true if the object must have apiVersion and kind. Items of a list may lack them, so if
 *   `formed` is false, the two are not searched for after the metadata.
 */
export function scanIdentity(
  bytes: Buffer,
  from: number,
  to: number,
  formed: boolean,
): ScannedIdentity | undefined {
  found.clear();
  if (!scanObject(bytes, from, to, formed)) return undefined;
  if (found.name.from < 0 || found.uid.from < 0 || found.resourceVersion.from < 0) return undefined;
  if ((found.kind === '') !== (found.apiVersion === '')) return undefined;
  return found;
}

/** Scans the members of an object. Returns true when all members that are needed were found. */
function scanObject(bytes: Buffer, from: number, to: number, formed: boolean): boolean {
  if (bytes[from] !== OPEN_BRACE) return false;
  let at = from;
  do {
    const key = at + 1;
    const value = endOfKey(bytes, key, to);
    if (value < 0) return false;
    const member = memberAt(bytes, key, value, OF_OBJECT);
    if (member === 'metadata') {
      if (found.metadataTo >= 0) return false;
      at = scanMetadata(bytes, value, to);
      found.metadataFrom = key;
      found.metadataTo = at;
    } else if (member !== undefined) {
      at = takeText(member, bytes, value, to);
      if (found.metadataTo >= 0) found.isFormFirst = false;
    } else {
      at = endOfValue(bytes, value, to);
      if (found.metadataTo < 0) found.isFormFirst = false;
    }
    if (at < 0) return false;
    if (found.metadataTo > 0 && (!formed || (found.kind !== '' && found.apiVersion !== ''))) {
      found.behind = at;
      return bytes[at] === COMMA || bytes[at] === CLOSE_BRACE;
    }
  } while (bytes[at] === COMMA);
  return false;
}

/** The index after the metadata that begin at `from`; -1 if they cannot be scanned. */
function scanMetadata(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== OPEN_BRACE) return -1;
  let at = from;
  do {
    const before = at;
    const value = endOfKey(bytes, before + 1, to);
    if (value < 0) return -1;
    const member = memberAt(bytes, before + 1, value, OF_METADATA);
    if (member === 'managedFields') {
      if (found.managedFrom >= 0) return -1;
      at = endOfFlatArray(bytes, value, to);
      if (at < 0) at = endOfValue(bytes, value, to);
      found.managedFrom = before === from ? before + 1 : before;
      found.managedTo = before === from && bytes[at] === COMMA ? at + 1 : at;
    } else if (member === 'namespace') {
      at = takeText(member, bytes, value, to);
    } else if (member !== undefined) {
      at = takeSpan(found[member], bytes, value, to);
    } else {
      at = endOfValue(bytes, value, to);
    }
    if (at < 0) return -1;
  } while (bytes[at] === COMMA);
  return bytes[at] === CLOSE_BRACE ? at + 1 : -1;
}

/**
 * `from` is the index of the opening quote of a key. The result is the index at which the value of the key
 * begins. It is -1 when there is no key, or the key contains an escape.
 */
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

/**
 * Stores the string that begins at `from`, and returns the index after it. The result is -1 when the member
 * is repeated, or is not a plain string.
 */
function takeText(member: keyof typeof latest, bytes: Buffer, from: number, to: number): number {
  const end = endOfPlain(bytes, from, to);
  if (end < 0 || found[member] !== '') return -1;
  const before = latest[member];
  if (before.length === end - from - 2 && isAt(bytes, from + 1, end, before))
    found[member] = before;
  else latest[member] = found[member] = bytes.toString('latin1', from + 1, end - 1);
  return end;
}

/**
 * Like `takeText`, but stores only the position. These strings are rarely the same in two lines, so they are
 * created only when they are needed.
 */
function takeSpan(span: Span, bytes: Buffer, from: number, to: number): number {
  const end = endOfPlain(bytes, from, to);
  if (end < 0 || span.from >= 0) return -1;
  span.from = from + 1;
  span.to = end - 1;
  return end;
}

/**
 * The index after the string that begins at `from`. -1 when the string is empty, or contains an escape or a
 * character that is not printable ASCII.
 */
function endOfPlain(bytes: Buffer, from: number, to: number): number {
  if (bytes[from] !== QUOTE) return -1;
  for (let at = from + 1; at < to; at++) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return at > from + 1 ? at + 1 : -1;
    if (byte < 0x20 || byte > 0x7e || byte === BACKSLASH) return -1;
  }
  return -1;
}

/**
 * The index after the brace that closes an object, if none of its members from `from` on has the name `kind`,
 * `apiVersion` or `metadata`. Such a member would matter, because `JSON.parse` uses the last of several
 * members with the same name. The result is -1 if a member has or may have such a name. It may have one if a
 * name contains an escape, if there is white space between members, or if the object continues beyond `to`.
 *
 * @param from - `ScannedIdentity.behind`.
 */
export function endOfRest(bytes: Buffer, from: number, to: number): number {
  let at = from;
  while (bytes[at] === COMMA) {
    const value = endOfKey(bytes, at + 1, to);
    if (value < 0 || memberAt(bytes, at + 1, value, OF_OBJECT) !== undefined) return -1;
    at = endOfValue(bytes, value, to);
    if (at < 0) return -1;
  }
  return at < to && bytes[at] === CLOSE_BRACE ? at + 1 : -1;
}

/** True if `bytes` contain `text` at the position `at`. `text` must be ASCII. */
export function isAt(bytes: Buffer, at: number, end: number, text: string): boolean {
  if (at + text.length > end) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
