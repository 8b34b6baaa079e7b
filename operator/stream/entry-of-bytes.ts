import { Entry } from '../model/entry.ts';
import { type KubernetesObject, objectKey } from '../model/object.ts';
import { mayComeTwice } from './repeated-members.ts';
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
