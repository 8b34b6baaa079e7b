import { keyOf, type ObjectKey, type ObjectMeta } from '../../model/object.ts';
import type { Source } from '../source.ts';

/** What a sweep reads of an object: its name and its finalizers. */
export interface SweptObject {
  readonly metadata: ObjectMeta;
}

/** Lists the metadata of every object in the namespaces of a source, without its selectors, page by page. */
export type MetadataPages = (
  source: Source,
  signal: AbortSignal,
) => AsyncIterable<readonly SweptObject[]>;

/** A sweep stops after this many objects, which are 1,000 pages. */
const MAX_OBJECTS = 500_000;

/** A sweep returns at most this many objects that are being deleted, and at most this many that are not. */
const MAX_FOUND = 10_000;

interface SweepOptions {
  readonly pages: MetadataPages;
  readonly finalizer: string;
  /** True for the key of a cached object. */
  readonly isSelected: (key: ObjectKey) => boolean;
  readonly signal: AbortSignal;
}

/** The objects that have the finalizer and are not selected. */
export interface Swept {
  readonly found: ReadonlyMap<ObjectKey, ObjectMeta>;
  /** False when a limit was reached, so that there may be more objects. */
  readonly isComplete: boolean;
}

/**
 * Looks for objects that have the finalizer and that the source does not select. It searches only the
 * namespaces of the source, because the controller has no rights in namespaces that it no longer watches.
 *
 * @throws the error of a list; `signal.reason` when aborted.
 */
export async function sweep(
  source: Source,
  { pages, finalizer, isSelected, signal }: SweepOptions,
): Promise<Swept> {
  const deleting = new Map<ObjectKey, ObjectMeta>();
  const others = new Map<ObjectKey, ObjectMeta>();
  let isComplete = true;
  let looked = 0;
  for await (const page of pages(source, signal)) {
    for (const { metadata } of page) {
      if (metadata.finalizers?.includes(finalizer) !== true) continue;
      const key = keyOf({ metadata });
      if (isSelected(key)) continue;
      const of = metadata.deletionTimestamp === undefined ? others : deleting;
      if (of.size < MAX_FOUND) of.set(key, metadata);
      else isComplete = false;
    }
    looked += page.length;
    if (looked >= MAX_OBJECTS)
      return { found: new Map([...deleting, ...others]), isComplete: false };
  }
  return { found: new Map([...deleting, ...others]), isComplete };
}
