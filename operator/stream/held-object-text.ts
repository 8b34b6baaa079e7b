import { HeldObject } from '../model/held-object.ts';
import type { ScannedIdentity, Span } from './scan-identity.ts';

/** How objects are held. */
export interface HoldOptions {
  /** They are held, and read, without their `metadata.managedFields`. */
  readonly dropManagedFields: boolean;
}

/** `apiVersion` and `kind` of objects that do not name their own: what a list of them says. */
export interface Form {
  readonly apiVersion: string;
  readonly kind: string;
}

/** Where the JSON of an object lies. */
export interface ByteRange {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

/** The rest of an object's JSON, from the brace that closes its metadata. */
export function tailOf({ bytes, to }: ByteRange, found: ScannedIdentity): string {
  // That brace is the last byte that was looked at.
  return bytes.toString('utf8', found.metadataTo - 1, to);
}

/**
 * The object that `found` was read from, as text that keeps no chunk alive.
 *
 * @param tail - as `tailOf` has it.
 * @param form - what it is given where it names no form; of no use otherwise.
 */
export function heldObject(
  { bytes, from }: ByteRange,
  found: ScannedIdentity,
  tail: string,
  { dropManagedFields }: HoldOptions,
  form?: Form,
): HeldObject {
  const given = isFormless(found) ? form : undefined;
  const { apiVersion, kind } = given ?? found;
  const end = found.metadataTo - 1;
  const cuts = dropManagedFields && found.managedFrom >= 0;
  const cutFrom = cuts ? found.managedFrom : end;
  const cutTo = cuts ? found.managedTo : end;
  const prefix = given === undefined ? '' : headOf(given);
  const begin = given === undefined ? from : from + 1;
  const head = textOf(prefix, bytes, begin, cutFrom, cutTo, end);
  const moved = prefix.length - begin;
  const cut = cutTo - cutFrom;
  const part = {
    head,
    bytes,
    moved,
    cutFrom,
    cut,
    isCheap: head.length === moved + end - cut && head.length <= SCRATCH_BYTES,
  };
  const identity = {
    apiVersion,
    kind,
    namespace: found.namespace,
    // A copy: as the key of a cache it outlives this text, and a part would keep all of it.
    name: bytes.toString('latin1', found.name.from, found.name.to),
    uid: partOf(part, found.uid),
    resourceVersion: partOf(part, found.resourceVersion),
  };
  return new HeldObject(identity, { head, tail });
}

/** A text, the bytes that it was made of, and how far the former lies behind the latter. */
interface Made {
  readonly head: string;
  readonly bytes: Buffer;
  readonly moved: number;
  readonly cutFrom: number;
  readonly cut: number;
  /** Bytes are characters, and the text is in one piece. */
  readonly isCheap: boolean;
}

/** A part of a text costs no copy. What lies behind a cut moves by it. */
function partOf({ head, bytes, moved, cutFrom, cut, isCheap }: Made, span: Readonly<Span>): string {
  if (!isCheap) return bytes.toString('latin1', span.from, span.to);
  const shift = span.from > cutFrom ? moved - cut : moved;
  return head.substring(span.from + shift, span.to + shift);
}

/** It says neither its apiVersion nor its kind, as items of a list need not. */
export function isFormless({ apiVersion, kind }: ScannedIdentity): boolean {
  return apiVersion === '' && kind === '';
}

/** Begins an object that names its form. */
function headOf({ apiVersion, kind }: Form): string {
  return `{"kind":${JSON.stringify(kind)},"apiVersion":${JSON.stringify(apiVersion)},`;
}

/** Texts up to this size are put together as bytes: joined as strings they are copied when read. */
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
  // Go writes managedFields last.
  if (prefix === '' && cutTo === to) return bytes.toString('utf8', from, cutFrom);
  const length = prefix.length + (cutFrom - from) + (to - cutTo);
  if (length > SCRATCH_BYTES) {
    return prefix + bytes.toString('utf8', from, cutFrom) + bytes.toString('utf8', cutTo, to);
  }
  scratch ??= Buffer.allocUnsafeSlow(SCRATCH_BYTES);
  const begun = prefix === '' ? 0 : scratch.write(prefix, 0, 'latin1');
  const cut = begun + bytes.copy(scratch, begun, from, cutFrom);
  return scratch.toString('utf8', 0, cut + bytes.copy(scratch, cut, cutTo, to));
}
