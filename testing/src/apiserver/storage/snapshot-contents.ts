import type { ObjectKey, OwnerReference } from 'chancery';
import { ConfigurationError, keyOf, messageOf } from 'chancery/internal-objects';
import { isJsonObject } from '../objects/json-value.ts';
import type { Json } from '../objects/metadata.ts';
import type { ResourceName, StoredObject } from '../objects/stored-object.ts';
import { decodeMetadata, describeMismatch } from '../objects/struct-decoder.ts';
import { StorageSnapshot } from './snapshot.ts';

/** The error for a snapshot that is complete, but whose objects cannot come from one server. */
export class ImpossibleSnapshot extends ConfigurationError {}

/** The error for a snapshot file that cannot be restored, with advice for the user. */
export function cannotRestore(path: string, cause: unknown): ConfigurationError {
  return new ConfigurationError(
    `cannot restore the snapshot ${path}: ${messageOf(cause)}; ` +
      'name another one, or a file that is not there to begin with an empty server',
    { cause },
  );
}

/**
 * Collects the objects of a snapshot while it is read. Checks the metadata of every object. Two objects must
 * not share a name, a uid or a resourceVersion, because the storage never assigns these twice.
 */
export class SnapshotContents {
  readonly #revision: number;
  readonly #collections = new Map<ResourceName, Map<ObjectKey, StoredObject>>();
  /** The line on which each uid, and each resourceVersion, occurs. */
  readonly #uids = new Map<string, number>();
  readonly #revisions = new Map<string, number>();

  /** @param revision - the revision of the snapshot. No object may be newer. */
  constructor(revision: number) {
    this.#revision = revision;
  }

  /** @throws ImpossibleSnapshot `CONFIG` with the line and its problem. */
  add({ resource, object }: Json, line: number): void {
    const problem =
      typeof resource !== 'string' || resource === ''
        ? 'names no resource'
        : objectProblem(object, this.#revision);
    if (problem !== undefined) throw new ImpossibleSnapshot(`line ${line} ${problem}`);
    this.#keep(resource as ResourceName, object as StoredObject, line);
  }

  /** @param path - the file that contains the objects. */
  snapshot(path?: string): StorageSnapshot {
    const collections = [...this.#collections].map(
      ([name, objects]) => [name, { objects, events: [], floor: this.#revision }] as const,
    );
    return new StorageSnapshot(this.#revision, new Map(collections), 'text', path);
  }

  #keep(resource: ResourceName, object: StoredObject, line: number): void {
    const key = keyOf(object);
    const collection = this.#collections.get(resource) ?? new Map<ObjectKey, StoredObject>();
    if (collection.has(key)) {
      throw new ImpossibleSnapshot(`line ${line} has ${resource} ${key} again`);
    }
    const { uid = '', resourceVersion = '' } = object.metadata;
    claim(this.#uids, 'uid', uid, line);
    claim(this.#revisions, 'resourceVersion', resourceVersion, line);
    this.#collections.set(resource, collection.set(key, object));
  }
}

/** @throws ImpossibleSnapshot `CONFIG` when another line already has the same value. */
function claim(taken: Map<string, number>, field: string, value: string, line: number): void {
  const other = taken.get(value);
  if (other !== undefined) {
    const text = JSON.stringify(value);
    throw new ImpossibleSnapshot(`line ${line} has the ${field} ${text} of line ${other}`);
  }
  taken.set(value, line);
}

function objectProblem(object: unknown, revision: number): string | undefined {
  if (!isJsonObject(object)) return 'has no object';
  const { apiVersion, kind, metadata } = object;
  if (typeof apiVersion !== 'string' || typeof kind !== 'string') {
    return 'has an object without apiVersion or kind';
  }
  if (!isJsonObject(metadata)) return 'has an object without metadata';
  const { value, mismatch } = decodeMetadata(metadata);
  if (mismatch !== undefined) return `has wrong metadata: ${describeMismatch(mismatch)}`;
  if (!ownersOf(value).every(isComplete)) {
    return 'has an owner reference without apiVersion, kind, name or uid';
  }
  const { name = '', uid = '', resourceVersion } = value;
  if (name === '') return 'has an object without a name';
  if (uid === '') return 'has an object without a uid';
  const isPast = typeof resourceVersion === 'string' && /^[1-9][0-9]{0,15}$/.test(resourceVersion);
  if (isPast && Number(resourceVersion) <= revision) return undefined;
  const found = JSON.stringify(resourceVersion ?? null);
  return `has an object with the resourceVersion ${found}, which is not one up to revision ${revision}`;
}

type Owner = Partial<OwnerReference>;

function ownersOf({ ownerReferences = [] }: Json): readonly Owner[] {
  return ownerReferences as readonly Owner[];
}

function isComplete({ apiVersion, kind, name, uid }: Owner): boolean {
  return [apiVersion, kind, name, uid].every((text) => text !== undefined && text !== '');
}
