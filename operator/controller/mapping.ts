import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import type { Predicate } from './predicate.ts';
import { type Source, sourceOf } from './source.ts';
import type { Keys } from './trigger.ts';

/** The stores that a mapping can read. */
export interface MappingContext {
  /**
   * The read-only cache of one of the controller's own sources, as its reconciler sees it. It already
   * contains the change for which the mapping is called. At that time every required source has received its
   * first list; for an optional source, check `synced`.
   *
   * A mapping can therefore search this cache for objects that refer to the changed object, best through an
   * index of the source. No object is missed: a referring object that is not in the cache yet is reconciled
   * when it arrives, unless the controller's predicate drops that change.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
}

/** A source whose objects are mapped to keys of the controller's own resource. */
export interface Mapping {
  /** The source whose objects are mapped. */
  readonly source: Source;
  /**
   * Called with the old and the new state of a changed object. The keys of both results are enqueued, each
   * key once. A name, such as `{ namespace, name }`, can be used instead of a key. The object is read-only,
   * and is parsed when a field is read; reading only `metadata` costs less.
   *
   * The mapping may be asynchronous. Then up to 16 objects are mapped at a time, and the changes of one
   * object stay in order. When more than 1,000 changes wait, the changes of each object are merged.
   *
   * If a mapping throws, it is called again twice, at once. If its promise rejects, it is called again after
   * 0.1 s and after 1 s. After that the change is dropped, logged and counted.
   */
  readonly map: (object: KubernetesObject, context: MappingContext) => Keys | Promise<Keys>;
  /** Drops a change if it returns false. Default: no change is dropped. */
  readonly predicate?: Predicate;
}

/**
 * Enqueues the keys or names that `map` returns whenever an object of `of` changes. If `of` is a resource, it
 * is used as a source with defaults. See `Mapping.map`, and `MappingContext` for the stores that the mapping
 * can read.
 */
export function enqueueMapped<T extends KubernetesObject>(
  of: Source<T> | Resource<T>,
  map: (object: T, context: MappingContext) => ReturnType<Mapping['map']>,
  { predicate }: { readonly predicate?: Predicate<T> } = {},
): Mapping {
  return {
    source: sourceOf(of) as unknown as Source,
    map: map as Mapping['map'],
    ...(predicate && { predicate: predicate as Predicate }),
  };
}
