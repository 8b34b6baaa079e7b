import type { Entry } from '../../model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../model/object.ts';
import type { Change } from '../../store/change.ts';
import type { Predicate, PredicateEvent } from '../predicate.ts';

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
  let hasFailed = false;
  return (change) => {
    try {
      return predicate(eventOf(change));
    } catch (error) {
      // Of an object that cannot be read its source has told. The attempt at its key fails, too.
      if (!hasFailed && !isUnreadable(change)) {
        failed(error, change);
        hasFailed = true;
      }
      return true;
    }
  };
}

function isUnreadable(change: Change): boolean {
  return change.entry.isUnreadable || (change.type === 'update' && change.old.isUnreadable);
}

/** An event that has no state before. */
class EventOfEntry {
  readonly type: 'create' | 'delete' | 'generic';
  readonly #entry: Entry;

  constructor(type: 'create' | 'delete' | 'generic', entry: Entry) {
    this.type = type;
    this.#entry = entry;
  }

  get object(): KubernetesObject {
    return this.#entry.object;
  }

  get metadata(): ObjectMeta {
    return this.#entry.metadata;
  }
}

/**
 * A resync is no update: a predicate that compares would drop what was asked to be told again, while
 * one that looks at the object itself still decides.
 */
function eventOf(change: Change): PredicateEvent {
  if (change.type === 'delete') return new EventOfEntry('delete', change.entry);
  if (change.type === 'add') return new EventOfEntry('create', change.entry);
  if (change.resync === true) return new EventOfEntry('generic', change.entry);
  return change;
}
