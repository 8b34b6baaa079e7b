import { endOfFlatArray, endOfValue } from './json-bytes.ts';

/** Where a string lies in bytes, without its quotes; from -1 for none. */
export interface Span {
  from: number;
  to: number;
}

/** What an object says of itself, and where in the bytes that it was read from. */
export interface ScannedIdentity {
  /** Empty where the object does not say so before its metadata. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for none. */
  readonly namespace: string;
  readonly name: Readonly<Span>;
  readonly uid: Readonly<Span>;
  readonly resourceVersion: Readonly<Span>;
  /** Where the member `metadata` begins: its opening quote. */
  readonly metadataFrom: number;
  /** Behind the brace that closes `metadata`. */
  readonly metadataTo: number;
  /** Nothing but `apiVersion` and `kind` comes before `metadata`, and neither of them behind it. */
  readonly isFormFirst: boolean;
  /** Behind the last member that was looked at, which may come after the metadata. */
  readonly behind: number;
  /** `managedFields`, with a comma in front or behind; from -1 where there are none. */
  readonly managedFrom: number;
  readonly managedTo: number;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** What has been read so far. Strings that have not been found are empty, and spans from -1. */
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

/** One for all: an object a line would be a good part of what scanning costs. */
const found = new Found();

/**
 * The strings read last. Those of one watch mostly have them in common: one string serves them all,
 * which saves both memory and the time to make it.
 */
const latest = { apiVersion: '', kind: '', namespace: '' };

/** Member by member, as no two that are looked for have the same length. */
const OF_OBJECT = byLength('kind', 'apiVersion', 'metadata');
const OF_METADATA = byLength('uid', 'name', 'namespace', 'resourceVersion', 'managedFields');

/**
 * Who the object that begins at `from` is, without parsing it, and without looking at more of it than
 * that takes: what lies behind is neither read nor checked. Members may come in any order: Go's structs
 * and its maps differ.
 *
 * The answer is good until the next call. It holds as long as the rest of the object does not say
 * otherwise: see `endOfRest`.
 *
 * Undefined where a name is missing (but for the namespace), empty, not a string, escaped, not ASCII or
 * there twice, and where white space lies between members: such an object is to be parsed.
 *
 * @param formed - the object must name its apiVersion and its kind. Items of a list need not: they
 *   are looked for up to the metadata only.
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

/** True when all that is looked for has been found. */
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

/** Behind the metadata that begin at `from`, or -1. */
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

/** Behind the string that begins at `from`; -1 where the member is there twice, or is no plain one. */
function takeText(member: keyof typeof latest, bytes: Buffer, from: number, to: number): number {
  const end = endOfPlain(bytes, from, to);
  if (end < 0 || found[member] !== '') return -1;
  const before = latest[member];
  if (before.length === end - from - 2 && isAt(bytes, from + 1, end, before))
    found[member] = before;
  else latest[member] = found[member] = bytes.toString('latin1', from + 1, end - 1);
  return end;
}

/** The same of one whose text is not made yet: mostly no two are the same. */
function takeSpan(span: Span, bytes: Buffer, from: number, to: number): number {
  const end = endOfPlain(bytes, from, to);
  if (end < 0 || span.from >= 0) return -1;
  span.from = from + 1;
  span.to = end - 1;
  return end;
}

/** Behind the string that begins at `from`, if it is not empty and all of it plain ASCII; or -1. */
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
 * Behind the brace that closes an object, of which no member from `from` on was looked at. -1 where one
 * of them is named `kind`, `apiVersion` or `metadata`, or may be: of a member that comes twice `JSON.parse`
 * takes the last. So where a name has an escape, where white space lies between members, and where the
 * object goes on beyond `to`.
 *
 * @param from - as `ScannedIdentity.behind` has it.
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

/** Whether `bytes` have `text`, which is ASCII, at a place. */
export function isAt(bytes: Buffer, at: number, end: number, text: string): boolean {
  if (at + text.length > end) return false;
  for (let index = 0; index < text.length; index++) {
    if (bytes[at + index] !== text.charCodeAt(index)) return false;
  }
  return true;
}
