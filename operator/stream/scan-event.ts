import type { Entry } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import { type EntryOptions, entryOfBytes } from './entry-of-bytes.ts';
import { isAt, type ScannedIdentity, scanIdentity } from './scan-identity.ts';

/** An event about an object that was not parsed. */
interface ScannedEvent<T extends KubernetesObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly entry: Entry<T>;
}

const CLOSE_BRACE = 0x7d;
const TYPES = ['ADDED', 'MODIFIED', 'DELETED'] as const;
const BEFORE_TYPE = '{"type":"';

/** How a line of each type begins, by the first letter of the type. */
const BEGINNINGS = new Map(
  TYPES.map((type) => [type.charCodeAt(0), { type, text: `${BEFORE_TYPE}${type}","object":` }]),
);

/**
 * The event in `bytes` from `start` to `end`: one line without its terminator. `foreign` for an object
 * that `isForeign` does not let pass. Undefined for a line that is not as kube-apiserver writes it, and
 * for BOOKMARK and ERROR: such a line is to be parsed.
 *
 * Behind the metadata, only members that would say something else of the event or of its object are
 * looked for: of a member that comes twice the last counts. Whether the rest is JSON shows when the
 * object is asked for; see `Entry`. A line that could not be parsed cannot be read either, unless the
 * fault lies in managedFields that are left out.
 */
export function scanEvent<T extends KubernetesObject>(
  bytes: Buffer,
  start: number,
  end: number,
  options: EntryOptions = {},
  isForeign: (found: ScannedIdentity) => boolean = () => false,
): ScannedEvent<T> | 'foreign' | undefined {
  const beginning = BEGINNINGS.get(bytes[start + BEFORE_TYPE.length] ?? 0);
  if (beginning === undefined || !isAt(bytes, start, end, beginning.text)) return undefined;
  const from = start + beginning.text.length;
  // The last byte is the brace of the envelope; the one before it is to be the object's.
  const to = end - 1;
  if (bytes[to] !== CLOSE_BRACE || bytes[to - 1] !== CLOSE_BRACE) return undefined;
  const found = scanIdentity(bytes, from, to, true);
  if (found === undefined) return undefined;
  const entry = entryOfBytes<T>({ bytes, from, to }, found, options);
  if (entry === undefined) return undefined;
  return isForeign(found) ? 'foreign' : { type: beginning.type, entry };
}
