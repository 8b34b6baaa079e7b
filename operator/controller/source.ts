import type { Transform } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { IndexFunction } from '../store/indices.ts';
import type { OnUnserved } from '../store/shared-informer.ts';

/** What to list and watch: a value, compared by its parts, shared by whoever names the same. */
export interface Source<T extends KubernetesObject = KubernetesObject> {
  /** The resource to list and watch. */
  readonly resource: Resource<T>;
  /**
   * `configured`: the namespaces from the manager's settings, the default of a namespaced resource.
   * `all`: every namespace. Anything else is a namespace by name.
   */
  readonly namespace: 'configured' | 'all' | { readonly name: string };
  /** Only objects that it selects, as text: `app=shop`. Default: all. */
  readonly labelSelector?: string;
  /** Only objects that it selects, as text: `metadata.name=a`. Default: all. */
  readonly fieldSelector?: string;
  /**
   * Do without it while the server does not serve the resource or forbids it, and begin when it
   * does. Default false: the controller waits for it before it starts.
   */
  readonly optional: boolean;
  /**
   * What becomes of the cached objects when the API server does not serve the resource any more.
   * Default `retain`; see `OnUnserved`. Sources share a cache only where this is the same.
   */
  readonly onUnserved?: OnUnserved;
  /** Only `metadata` is asked of the server, and cached. Default false: whole objects. */
  readonly metadataOnly?: boolean;
  /**
   * What is kept of each object. Default: all but `metadata.managedFields`; `(object) => object`
   * keeps them. Sources share a cache only where this is the same function.
   */
  readonly transform?: Transform<T>;
  /** Indices of the cache, by name: see `Store.byIndex`. Shared with other equal sources. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

/** What a source leaves out of a resource; see `Source` for the defaults. */
export type SourceOptions<T extends KubernetesObject = KubernetesObject> = Partial<
  Omit<Source<T>, 'resource'>
>;

/** A source over `resource`; see `Source` for the defaults. */
export function source<T extends KubernetesObject>(
  resource: Resource<T>,
  options: SourceOptions<T> = {},
): Source<T> {
  return Object.freeze({ namespace: 'configured', optional: false, ...options, resource } as const);
}

/** A resource stands for a source with its defaults. */
export function sourceOf<T extends KubernetesObject>(given: Source<T> | Resource<T>): Source<T> {
  return 'resource' in given ? given : source(given);
}

/** True for one resource in two declarations of it. */
export function isSameResource(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.version === b.version && a.plural === b.plural;
}
