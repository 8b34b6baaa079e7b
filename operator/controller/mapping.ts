import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { Store } from '../store/store.ts';
import type { Predicate } from './predicate.ts';
import { type Source, sourceOf } from './source.ts';
import type { Keys } from './trigger.ts';

/** The stores that a mapping can read. */
export interface MappingContext {
  /**
   * The read-only cache of one of the controller's own sources, as its reconciler sees it. The change that
   * the mapping is called for is already in it. Every required source has its first list by then; for an
   * optional source, check `synced`.
   *
   * A mapping can therefore ask this cache which objects refer to the changed one, best through an index of
   * the source. It misses none: an object that refers to it and is not in the cache yet is reconciled when
   * it arrives, unless the controller's predicate drops that change.
   *
   * @throws ConfigurationError `CONFIG` when the controller does not declare `source`.
   */
  store<S extends KubernetesObject>(source: Source<S> | Resource<S>): Store<S>;
}

/** A source whose objects are mapped to keys of the controller's own resource. */
export interface Mapping {
  /** The objects that are mapped. */
  readonly source: Source;
  /**
   * Called with the old and with the new state of a changed object. The keys of both answers are enqueued,
   * each key once. A name, such as `{ namespace, name }`, stands for its key. The object is read-only, and
   * parsed when a field is read; reading only `metadata` costs less.
   *
   * The mapping may be asynchronous. Then up to 16 objects are mapped at a time, and the changes of one
   * object stay in order. Above 1,000 waiting changes, those of one object are merged.
   *
   * A mapping that throws is called again twice, at once. One whose promise rejects is called again after
   * 0.1 s and after 1 s. Then the change is dropped, logged and counted.
   */
  readonly map: (object: KubernetesObject, context: MappingContext) => Keys | Promise<Keys>;
  /** Drops the changes for which it is false. Default: no change is dropped. */
  readonly predicate?: Predicate;
}

/**
 * Enqueues the keys or names that `map` returns whenever an object of `of` changes. A resource stands for a source
 * with its defaults. See `Mapping.map`, and `MappingContext` for the stores that the mapping can read.
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
