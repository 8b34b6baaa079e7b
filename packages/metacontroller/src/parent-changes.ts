import { isDeepStrictEqual } from 'node:util';
import type { Predicate } from 'chancery';

/**
 * Drops updates of a parent in which generation, labels and annotations stay and which do not delete it: what
 * `ignoreStatusChanges` asks for. Changes of finalizers and owners are dropped with those of the status. Resyncs pass.
 */
export const ignoresStatusChanges: Predicate = (event) => {
  if (event.type !== 'update') return true;
  const { metadata: now } = event;
  const { metadata: old } = event.old;
  return (
    now.deletionTimestamp !== undefined ||
    old.generation !== now.generation ||
    !isDeepStrictEqual(old.labels ?? {}, now.labels ?? {}) ||
    !isDeepStrictEqual(old.annotations ?? {}, now.annotations ?? {})
  );
};
