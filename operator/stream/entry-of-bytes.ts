import { Entry } from '../model/entry.ts';
import { type KubernetesObject, objectKey } from '../model/object.ts';
import { endOfRest, type ScannedIdentity, type Span } from './scan-identity.ts';

/** The `apiVersion` and `kind` of an object. */
export interface Form {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface EntryOptions {
  /** `metadata.managedFields` are left out. Default false. */
  readonly dropManagedFields?: boolean | undefined;
  /**
   * `apiVersion` and `kind` that an object is given in place of its own, or where it has none, as items
   * of a list. Default: it keeps them.
   */
  readonly form?: Form | undefined;
}

/** Where the JSON of an object lies. */
export interface ByteRange {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** It says neither its apiVersion nor its kind, as items of a list need not. */
export function isFormless({ apiVersion, kind }: ScannedIdentity): boolean {
  return apiVersion === '' && kind === '';
}

/**
 * The entry of the object that `found` was read from. It keeps no part of `bytes`. Undefined where the
 * object is to be parsed.
 *
 * @param isRestTold - the members behind the metadata were told apart. Default false: they are looked
 *   through for those that were read before, for of a member that comes twice the last counts.
 */
export function entryOfBytes<T extends KubernetesObject>(
  { bytes, from, to }: ByteRange,
  found: ScannedIdentity,
  { dropManagedFields = false, form }: EntryOptions = {},
  isRestTold = false,
): Entry<T> | undefined {
  const replaces = form !== undefined && !isFormless(found);
  if (replaces && !found.isFormFirst) return undefined;
  const end = found.metadataTo - 1; // the brace that closes metadata
  const cuts = dropManagedFields && found.managedFrom >= 0;
  const prefix = form === undefined ? '' : headOf(form);
  const begin = replaces ? found.metadataFrom : from + (form === undefined ? 0 : 1);
  const cutFrom = cuts ? found.managedFrom : end;
  const cutTo = cuts ? found.managedTo : end;
  const text = textOf(prefix, bytes, begin, cutFrom, cutTo, to);
  const headBytes = prefix.length + (cutFrom - begin) + (end - cutTo);
  const isAscii = text.length === headBytes + (to - end);
  const metadataEnd = isAscii
    ? headBytes
    : textOf(prefix, bytes, begin, cutFrom, cutTo, end).length;
  if (!isRestTold && mayComeTwice(text, metadataEnd)) {
    if (endOfRest(bytes, found.behind, to) !== to) return undefined;
  }
  const namespace = found.namespace === '' ? undefined : found.namespace;
  const identity = {
    key: objectKey(namespace, plain(bytes, found.name)),
    // Copies: parts of the text would keep all of it.
    uid: plain(bytes, found.uid),
    resourceVersion: plain(bytes, found.resourceVersion),
  };
  return Entry.ofText<T>(identity, text, metadataEnd);
}

/** Of what `scanIdentity` finds, bytes are characters. */
function plain(bytes: Buffer, { from, to }: Readonly<Span>): string {
  return bytes.toString('latin1', from, to);
}

/** Begins an object that is given a form: what comes behind is its metadata. */
function headOf({ apiVersion, kind }: Form): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** Texts up to this size are put together as bytes: joined as strings they are copied when parsed. */
const SCRATCH_BYTES = 64 * 1024;
let scratch: Buffer | undefined;

/** `prefix`, and `bytes` from `from` to `to` without what lies between the cuts. */
function textOf(
  prefix: string,
  bytes: Buffer,
  from: number,
  cutFrom: number,
  cutTo: number,
  to: number,
): string {
  if (prefix === '' && cutFrom === cutTo) return bytes.toString('utf8', from, to);
  const length = prefix.length + (cutFrom - from) + (to - cutTo);
  if (length > SCRATCH_BYTES) {
    return prefix + bytes.toString('utf8', from, cutFrom) + bytes.toString('utf8', cutTo, to);
  }
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  const begun = prefix === '' ? 0 : scratch.write(prefix, 0, 'latin1');
  const cut = begun + bytes.copy(scratch, begun, from, cutFrom);
  return scratch.toString('utf8', 0, cut + bytes.copy(scratch, cut, cutTo, to));
}

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
function mayComeTwice(text: string, from: number): boolean {
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
