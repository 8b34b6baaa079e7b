import type { KubernetesObject } from '../model/object.ts';
import type { Resource } from '../model/resource.ts';

/** What to list and watch: a value, compared by its parts, shared by whoever names the same. */
export interface Source<T extends KubernetesObject = KubernetesObject> {
  readonly resource: Resource<T>;
  /**
   * `configured`: the namespace from the manager's settings, the default of a namespaced resource.
   * `all`: every namespace. Anything else is a namespace by name.
   */
  readonly namespace: 'configured' | 'all' | { readonly name: string };
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /**
   * Do without it while the server does not serve the resource or forbids it, and begin when it
   * does. Default false: the controller waits for it before it starts.
   */
  readonly optional: boolean;
}

export interface SourceOptions {
  readonly namespace?: Source['namespace'];
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  readonly optional?: boolean;
}

/** A source over `resource`; see `Source` for the defaults. */
export function source<T extends KubernetesObject>(
  resource: Resource<T>,
  options: SourceOptions = {},
): Source<T> {
  return Object.freeze({ namespace: 'configured', optional: false, ...options, resource } as const);
}
