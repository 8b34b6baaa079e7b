import { refOfKey } from '../contract/resource-type.ts';

/**
 * The annotation on a workload's metadata that records the hashes which its Pod template does not show. A change of
 * metadata starts no rollout.
 */
export const BASELINE = 'reloader.chancery.dev/baseline';

/** Hash by `refKey`, such as `configmap/app`; an empty hash: the resource was absent. */
export type Baseline = Readonly<Record<string, string>>;

/**
 * The name in the key of a type, `configmap/*`, whose value says which list of patterns was looked at. A resource
 * that the list means and that has no entry was created since. No resource has this name.
 */
export const EVERY_NAME = '*';

/**
 * In place of a hash: the resource has the ignore annotation, which goes when it is deleted. The entry keeps that
 * deletion from restarting anything.
 */
export const IGNORED = 'ignored';

/** A hash is 40 characters; a name at most 253. An annotation that is longer was not written by the operator. */
const MAX_ENTRY_CHARS = 512;

/** Entries that the operator cannot have written are left out: somebody has edited the annotation. */
export function readBaseline(annotations: Readonly<Record<string, string>> = {}): Baseline {
  const text = annotations[BASELINE];
  if (text === undefined) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  const entries = Object.entries(value as Record<string, unknown>).filter(
    (entry): entry is [string, string] =>
      typeof entry[1] === 'string' &&
      entry[0].length + entry[1].length <= MAX_ENTRY_CHARS &&
      refOfKey(entry[0]) !== undefined,
  );
  return Object.fromEntries(entries);
}

/** The text of the annotation, with sorted keys; null when there is nothing to record. */
export function formatBaseline(baseline: Baseline): string | null {
  const entries = Object.entries(baseline).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.length === 0 ? null : JSON.stringify(Object.fromEntries(entries));
}
