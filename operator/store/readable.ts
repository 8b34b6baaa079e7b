import { HeldObject, readObject } from '../model/held-object.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Change } from './cache.ts';

/**
 * Changes as handlers see them: what is held as text is read. A change whose object cannot be read is
 * left out, for nobody can say what has changed. For text that cannot be read the list that follows tells
 * of it again, see `Reflector.unreadable`; an object whose transform failed is told of when that
 * succeeds. A delete is told of in any case, with no more of the object than its name.
 */
export function readable<T extends KubernetesObject>(
  changes: readonly Change<T>[],
): readonly Change<T>[] {
  return changes.some(isHeld) ? changes.flatMap(readChange) : changes;
}

/** Text that is read in one turn of the event loop, in characters: about 5 ms of parsing. */
const TEXT_A_TURN = 512 * 1024;

/** Reads what `readable` would, a turn's worth a step; there is no step where it is no more than that. */
export function* reading(changes: readonly Change[]): Generator<void, void, undefined> {
  let characters = 0;
  for (const { object } of changes) {
    if (!(object instanceof HeldObject) || object.textLength === 0) continue;
    characters += object.textLength;
    if (characters > TEXT_A_TURN) {
      yield;
      characters = object.textLength;
    }
    readOrUndefined(object);
  }
}

function isHeld(change: Change): boolean {
  return (
    change.object instanceof HeldObject ||
    (change.type === 'update' && change.old instanceof HeldObject)
  );
}

function readChange<T extends KubernetesObject>(change: Change<T>): Change<T> | readonly [] {
  const object = readOrUndefined(change.object);
  if (change.type === 'delete') {
    if (object !== undefined) return { ...change, object };
    const { apiVersion, kind, metadata } = change.object;
    return { ...change, object: { apiVersion, kind, metadata } as T, finalStateUnknown: true };
  }
  if (object === undefined) return [];
  if (change.type === 'add') return { ...change, object };
  const { old } = change;
  return old instanceof HeldObject && old.textLength > 0
    ? withUnreadOld(change, object)
    : { ...change, object, old: readOrUndefined(old) ?? object };
}

/** Few handlers look at what was before: it is read when one does. */
function withUnreadOld<T extends KubernetesObject>(change: Update<T>, object: T): Update<T> {
  return {
    type: 'update',
    key: change.key,
    object,
    get old() {
      // A state that nobody could read never was, for anybody.
      return readOrUndefined(change.old) ?? object;
    },
    ...(change.resync === true && { resync: true }),
    ...(change.relist === true && { relist: true }),
  };
}

type Update<T extends KubernetesObject> = Extract<Change<T>, { type: 'update' }>;

function readOrUndefined<T extends KubernetesObject>(object: T): T | undefined {
  try {
    return readObject(object);
  } catch {
    return undefined; // its keeper was told
  }
}
