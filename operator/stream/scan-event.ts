import type { HeldObject } from '../model/held-object.ts';
import { type HoldOptions, heldObject, tailOf } from './held-object-text.ts';
import { mayComeTwice } from './repeated-members.ts';
import { endOfRest, isAt, scanIdentity } from './scan-identity.ts';

/** An event about an object that was not parsed. */
export interface HeldEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly object: HeldObject;
}

const CLOSE_BRACE = 0x7d;
const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
const BEFORE_TYPE = '{"type":"';

/** How a line of each type begins, by the first letter of the type. */
const BEGINNINGS = new Map(
  TYPES.map((type) => [type.charCodeAt(0), { type, text: `${BEFORE_TYPE}${type}","object":` }]),
);

/**
 * The event in `bytes` from `start` to `end`: one line without its terminator. Undefined for a line
 * that is not as kube-apiserver writes it, and for BOOKMARK and ERROR: such a line is to be parsed.
 *
 * Behind the metadata, only members that would say something else of the event or of its object are
 * looked for: of a member that comes twice the last counts. Whether the rest is JSON shows when the
 * object is read; see `HeldObject`. A line that could not be parsed cannot be read either, unless the
 * fault lies in managedFields that are dropped.
 */
export function scanEvent(
  bytes: Buffer,
  start: number,
  end: number,
  options: HoldOptions,
): HeldEvent | undefined {
  const beginning = BEGINNINGS.get(bytes[start + BEFORE_TYPE.length] ?? 0);
  if (beginning === undefined || !isAt(bytes, start, end, beginning.text)) return undefined;
  const from = start + beginning.text.length;
  // The last byte is the brace of the envelope; the one before it is to be the object's.
  const to = end - 1;
  if (bytes[to] !== CLOSE_BRACE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
  const found = scanIdentity(bytes, from, to, true);
  if (found === undefined) return undefined;
  const range = { bytes, from, to };
  const tail = tailOf(range, found);
  if (mayComeTwice(tail) && endOfRest(bytes, found.behind, to) !== to) return undefined;
  return { type: beginning.type, object: heldObject(range, found, tail, options) };
}
