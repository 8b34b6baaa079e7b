import type { ObjectKey } from 'chancery';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import type { CollectionSnapshot } from './collection.ts';
import type { StorageEvent } from './storage-event.ts';

/**
 * The contents of a storage at one revision. A snapshot never changes, and can be restored into any storage.
 */
export class StorageSnapshot {
  readonly revision: number;
  /** The objects and the history of each resource. Only the storage uses this member. */
  readonly collections: ReadonlyMap<ResourceName, CollectionSnapshot>;
  /**
   * The origin of the snapshot: a `server`, or a `text` such as the contents of a file. Objects from a text
   * are checked before a server restores them.
   */
  readonly origin: 'server' | 'text';
  /** The file from which the text was read; undefined if there was none. */
  readonly path: string | undefined;

  constructor(
    revision: number,
    collections: ReadonlyMap<ResourceName, CollectionSnapshot>,
    origin: 'server' | 'text' = 'server',
    path?: string,
  ) {
    this.revision = revision;
    this.collections = collections;
    this.origin = origin;
    this.path = path;
  }
}

type Objects = ReadonlyMap<ObjectKey, StoredObject>;

const NONE: Objects = new Map();

/** The events that turn the stored objects into the snapshot's objects, deletions first. */
export function changesTo(
  snapshot: StorageSnapshot,
  before: ReadonlyMap<ResourceName, Objects>,
  atMs: number,
): readonly (readonly [ResourceName, StorageEvent])[] {
  const changes: (readonly [ResourceName, StorageEvent])[] = [];
  const { revision } = snapshot;
  for (const [resource, objects] of before) {
    const after = snapshot.collections.get(resource)?.objects ?? NONE;
    for (const [key, object] of objects) {
      if (after.get(key)?.metadata.uid === object.metadata.uid && after.has(key)) continue;
      const gone = { type: 'DELETED', object, previous: object } as const;
      changes.push([resource, { ...gone, revision, key, atMs }]);
    }
  }
  for (const [resource, { objects }] of snapshot.collections) {
    for (const [key, object] of objects) {
      const now = before.get(resource)?.get(key);
      if (now === object) continue;
      const previous = now?.metadata.uid === object.metadata.uid ? now : undefined;
      const type = previous === undefined ? 'ADDED' : 'MODIFIED';
      changes.push([resource, { type, object, previous, revision, key, atMs }]);
    }
  }
  return changes;
}
