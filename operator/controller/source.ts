import { ConfigurationError } from '../core/errors.ts';
import type { Prepare, Transform } from '../model/entry.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';
import type { IndexFunction } from '../store/indices.ts';
import type { OnUnserved } from '../store/shared-informer.ts';
import { KNOWN, type NamesOf, requireNames } from './known-options.ts';

/**
 * The objects to list and watch. Sources are equal if their members are equal; equal sources share one cache.
 */
export interface Source<T extends KubernetesObject = KubernetesObject> {
  /** The resource to list and watch. */
  readonly resource: Resource<T>;
  /**
   * `configured`: the namespaces from the manager's settings. This is the default for a namespaced
   * resource. `all`: every namespace. `{ name }`: one namespace.
   */
  readonly namespace: 'configured' | 'all' | { readonly name: string };
  /** Label selector, such as `app=shop`. Default: all objects. */
  readonly labelSelector?: string;
  /** Field selector, such as `metadata.name=a`. Default: all objects. */
  readonly fieldSelector?: string;
  /**
   * If false, the controller does not start before the server serves the resource and allows access. If true,
   * the controller starts anyway, and uses the resource once it is available. Default false.
   */
  readonly optional: boolean;
  /**
   * What happens to the cached objects when the API server no longer serves the resource. Default `retain`;
   * see `OnUnserved`. Sources share a cache only if this value is the same.
   */
  readonly onUnserved?: OnUnserved;
  /** If true, only `metadata` is requested and cached. Default false: whole objects. */
  readonly metadataOnly?: boolean;
  /**
   * Reduces each object before it is cached. Default: drops `metadata.managedFields`; use
   * `(object) => object` to keep them. Sources share a cache only if this is the same function.
   */
  readonly transform?: Transform<T>;
  /**
   * Milliseconds between comparisons of the cache with a list from the API server, in addition to the
   * comparisons that the manager's settings enable. Each comparison lists all objects. Default: none. Sources
   * share a cache only if this value is the same.
   */
  readonly relistIntervalMs?: number;
  /** Indices of the cache, by name: see `Store.byIndex`. Equal sources share them. */
  readonly indexes?: Readonly<Record<string, IndexFunction<T>>>;
}

/**
 * A source for the other packages of the toolkit. They return it as a `Source`, so that users do not see
 * `prepare`.
 */
export interface PreparedSource<T extends KubernetesObject = KubernetesObject> extends Source<T> {
  /**
   * Replaces objects before they are cached, for conversions that take long or run in another thread. Called
   * with the received objects of one page of a list or one chunk of a watch. Reading waits for the result,
   * which must have an entry with the same identity for each object. If the promise rejects, the list or
   * watch fails and is repeated. Not allowed together with `transform`. Sources share a cache only if this is
   * the same function. The cache contains writes of this process only after the watch has delivered them.
   * Default: none.
   */
  readonly prepare?: Prepare;
}

/** The options of `source`; see `Source` for the defaults. */
export type SourceOptions<T extends KubernetesObject = KubernetesObject> = Partial<
  Omit<Source<T>, 'resource'>
>;

/**
 * A source over `resource`; see `Source` for the defaults.
 *
 * @throws ConfigurationError `CONFIG` for an unknown option, which a type check would also find.
 */
export function source<T extends KubernetesObject>(
  resource: Resource<T>,
  options: SourceOptions<T> = {},
): Source<T> {
  requireNames(`source(${resource.plural})`, options, KNOWN.source satisfies NamesOf<Source<T>>);
  return Object.freeze({ namespace: 'configured', optional: false, ...options, resource } as const);
}

/**
 * A source whose objects pass through `prepare` before they are cached; see `PreparedSource`.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `source`, and for `transform` together with
 *   `prepare`.
 */
export function preparedSource<T extends KubernetesObject>(
  resource: Resource<T>,
  prepare: Prepare,
  options: SourceOptions<T> = {},
): PreparedSource<T> {
  if (options.transform !== undefined) {
    throw new ConfigurationError(
      `source(${resource.plural}) has transform and prepare: do the work of both in prepare`,
    );
  }
  return Object.freeze({ ...source(resource, options), prepare });
}

/** `given` as a source: a resource becomes a source with the defaults. */
export function sourceOf<T extends KubernetesObject>(given: Source<T> | Resource<T>): Source<T> {
  return 'resource' in given ? given : source(given);
}

/** True when `a` and `b` declare the same group, version and plural. */
export function isSameResource(a: Resource, b: Resource): boolean {
  return a.group === b.group && a.version === b.version && a.plural === b.plural;
}

/**
 * The namespaces that a source watches; undefined for all namespaces, or if the resource is cluster-scoped.
 *
 * @param configured - the namespaces of the settings; undefined for all namespaces.
 */
export function namespacesOf(
  { resource, namespace }: Source,
  configured: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!resource.namespaced || namespace === 'all') return undefined;
  return namespace === 'configured' ? configured : [namespace.name];
}
