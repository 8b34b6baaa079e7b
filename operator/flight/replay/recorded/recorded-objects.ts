import { isMapping, type Mapping } from '../../../core/mapping.ts';
import { isOlder, type KubernetesObject, keyOf, objectKey } from '../../../model/object.ts';
import type { RecordedSource } from '../../record-line.ts';

/** The objects of one collection, keyed by their object key. */
type Objects = Map<string, KubernetesObject>;

/** The path of a source's collection, over all namespaces. */
export function collectionOf({
  apiVersion,
  plural,
}: Pick<RecordedSource, 'apiVersion' | 'plural'>): string {
  return `${apiVersion.includes('/') ? '/apis' : '/api'}/${apiVersion}/${plural}`;
}

/**
 * The objects of the API server at the current time of the replay, as far as they are known from the record.
 * At first these are the objects in the caches. Watches and answers then change them. Objects that the
 * operator never received are missing.
 */
export class RecordedObjects {
  readonly #collections = new Map<string, Objects>();
  /** The newest resourceVersion in the record until now. */
  #resourceVersion: string | undefined;

  get resourceVersion(): string {
    return this.#resourceVersion ?? '1';
  }

  /** Called for each resourceVersion in the record. */
  saw(resourceVersion: string | undefined): void {
    if (resourceVersion === undefined || resourceVersion === '') return;
    const newest = this.#resourceVersion;
    if (newest === undefined || isOlder(newest, resourceVersion)) {
      this.#resourceVersion = resourceVersion;
    }
  }

  put(collection: string, object: KubernetesObject): void {
    const objects = this.#collections.get(collection) ?? new Map();
    this.#collections.set(collection, objects);
    const key = keyOf(object);
    const known = objects.get(key)?.metadata.resourceVersion ?? '';
    const { resourceVersion = '' } = object.metadata;
    this.saw(resourceVersion);
    // A watch may lag behind an answer and deliver an older state, which is ignored.
    if (!isOlder(resourceVersion, known)) objects.set(key, object);
  }

  delete(collection: string, object: KubernetesObject): void {
    this.saw(object.metadata.resourceVersion);
    this.#collections.get(collection)?.delete(keyOf(object));
  }

  get(
    collection: string,
    namespace: string | undefined,
    name: string,
  ): KubernetesObject | undefined {
    return this.#collections.get(collection)?.get(objectKey(namespace, name));
  }

  /** True if an object of the collection has occurred in the record. */
  has(collection: string): boolean {
    return this.#collections.has(collection);
  }

  list(collection: string, namespace: string | undefined): readonly KubernetesObject[] {
    const all = [...(this.#collections.get(collection)?.values() ?? [])];
    return namespace === undefined
      ? all
      : all.filter(({ metadata }) => metadata.namespace === namespace);
  }

  /** All collections with their objects. */
  *all(): Generator<readonly [collection: string, objects: readonly KubernetesObject[]]> {
    for (const [collection, objects] of this.#collections)
      yield [collection, [...objects.values()]];
  }
}

/** The value as a Kubernetes object; undefined when it is not a Kubernetes object. */
export function asObject(value: unknown): KubernetesObject | undefined {
  if (!isMapping(value) || !isMapping(value.metadata)) return undefined;
  const { name } = value.metadata as Mapping;
  if (typeof value.kind !== 'string' || typeof name !== 'string') return undefined;
  return value as unknown as KubernetesObject;
}
