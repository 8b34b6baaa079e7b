import { readObject } from '../model/held-object.ts';
import { isOfMetadata, metadataView } from '../model/metadata-only.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Change } from '../store/cache.ts';
import type { Predicate, PredicateEvent } from './predicate.ts';

/** True for a change that may go on to the queue. */
export type Passes = (change: Change) => boolean;

/**
 * A predicate over changes of a cache. One that throws lets the change through.
 *
 * @param failed - told of the first throw only: it may throw for every object of a cluster.
 */
export function passesOf(
  predicate: Predicate | undefined,
  failed: (error: unknown, change: Change) => void,
): Passes {
  if (predicate === undefined) return () => true;
  const seen = isOfMetadata(predicate) ? metadataView : readObject;
  let hasFailed = false;
  return (change) => {
    const event = eventOrUndefined(change, seen);
    // Its source has told of it. The attempt at its key fails, which the queue sees to.
    if (event === undefined) return true;
    try {
      return predicate(event);
    } catch (error) {
      if (!hasFailed) failed(error, change);
      hasFailed = true;
      return true;
    }
  };
}

/** Undefined where an object cannot be read. */
function eventOrUndefined(...of: Parameters<typeof eventOf>): PredicateEvent | undefined {
  try {
    return eventOf(...of);
  } catch {
    return undefined;
  }
}

/**
 * A resync is no update: a predicate that compares would drop what was asked to be told again, while
 * one that looks at the object itself still decides.
 */
function eventOf(
  change: Change,
  seen: (object: KubernetesObject) => KubernetesObject,
): PredicateEvent {
  const object = seen(change.object);
  if (change.type === 'delete') return { type: 'delete', object };
  if (change.type === 'add') return { type: 'create', object };
  if (change.resync === true) return { type: 'generic', object };
  return { type: 'update', old: seen(change.old), object };
}
