import { keyOf, type ObjectKey, type ObjectMeta } from '../../model/object.ts';
import type { Controller } from '../controller.ts';
import type { Log } from '../reconciler.ts';
import type { Source } from '../source.ts';
import { finalizerNameOf } from './finalizer.ts';

/** The part of an object that a sweep reads: names and finalizers. */
export interface SweptObject {
  readonly metadata: ObjectMeta;
}

/** The metadata of every object in the namespaces of a source, without its selectors, page by page. */
export type MetadataPages = (
  source: Source,
  signal: AbortSignal,
) => AsyncIterable<readonly SweptObject[]>;

/** A sweep stops after this many objects. */
const MAX_OBJECTS = 50_000;

/** Maximum number of keys in the log line. */
const MAX_NAMES = 10;

interface FinalizerSweepOptions {
  readonly controller: Controller;
  readonly pages: MetadataPages;
  /** True for a key that the cache has. */
  readonly isSelected: (key: ObjectKey) => boolean;
  readonly log: Log;
  readonly signal: AbortSignal;
  readonly found: (count: number) => void;
}

/**
 * Logs and counts objects that carry the controller's finalizer and are no longer selected. Nothing would
 * finalize them, so they could never be deleted. Looks once, and only if the source has a selector. It
 * looks only in the namespaces of the source: the controller has no rights for namespaces that it no longer
 * watches. Failures are logged and change nothing.
 */
export async function sweepFinalizers({
  controller,
  pages,
  isSelected,
  log,
  signal,
  found,
}: FinalizerSweepOptions): Promise<void> {
  const { for: source } = controller;
  const finalizer = finalizerNameOf(controller);
  const hasSelector = source.labelSelector !== undefined || source.fieldSelector !== undefined;
  if (finalizer === undefined || !hasSelector) return;
  const left: ObjectKey[] = [];
  let looked = 0;
  try {
    for await (const page of pages(source, signal)) {
      for (const { metadata } of page) {
        if (metadata.finalizers?.includes(finalizer)) left.push(keyOf({ metadata }));
      }
      looked += page.length;
      if (looked >= MAX_OBJECTS) break;
    }
  } catch (err) {
    if (!signal.aborted) log.warn({ err }, 'could not look for finalizers of objects not selected');
    return;
  }
  const keys = left.filter((key) => !isSelected(key));
  found(keys.length);
  if (keys.length === 0) return;
  log.warn(
    {
      finalizer,
      count: keys.length,
      keys: keys.slice(0, MAX_NAMES),
      remedy: 'select them again until they are deleted, or remove the finalizer from them',
    },
    'objects carry the finalizer and are not selected, they cannot be deleted',
  );
}
