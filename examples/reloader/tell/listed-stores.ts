/** Objects that were read once, shown as the caches of a controller would show them. For a command, which has none. */
import {
  type Client,
  isUnserved,
  type KubernetesObject,
  keyOf,
  matchesSelector,
  type ObjectKey,
  parseSelector,
  type ReconcileContext,
  type Source,
} from 'chancery';
import type { ResourceKind } from '../workloads/kind.ts';

type Objects = ReadonlyMap<ObjectKey, KubernetesObject>;

/**
 * Sources with `metadataOnly` are read by name: no other object is asked for, unless all names are needed. Of what
 * comes, the metadata stays. The other sources are listed.
 */
export class ListedStores {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #signal: AbortSignal;
  /** Undefined: the API server does not serve the resource, and the source is optional. */
  readonly #objects = new Map<Source, Objects | undefined>();

  constructor(client: Client, namespace: string, signal: AbortSignal) {
    this.#client = client;
    this.#namespace = namespace;
    this.#signal = signal;
  }

  /** Reads what `find` and `names` of a kind look at. */
  async read(
    { watches, reads = [] }: ResourceKind,
    names: readonly string[] | 'all',
  ): Promise<void> {
    for (const each of [...watches.map(({ source }) => source), ...reads]) {
      this.#objects.set(each, await this.#objectsOf(each, names));
    }
  }

  /** Reads the namespace of the workload for sources of namespaces. */
  async readNamespace(sources: readonly Source[]): Promise<void> {
    for (const each of sources) {
      this.#objects.set(each, await this.#objectsOf(each, [this.#namespace]));
    }
  }

  /** Names of the objects of the first source, which are those of the resources for ConfigMaps and Secrets. */
  names(kind: ResourceKind): readonly string[] {
    return kind.names(this.#namespace, { store: this.store });
  }

  /** Only what reconcilers of this operator use: `synced`, `get`, `list` and `byIndex`. */
  readonly store: ReconcileContext['store'] = ((given: Source) => {
    const objects = this.#objects.get(given);
    const all = [...(objects?.values() ?? [])];
    return {
      synced: objects !== undefined,
      get: (key: ObjectKey) => objects?.get(key),
      list: () => all,
      byIndex: (name: string, value: string) =>
        all.filter((each) => given.indexes?.[name]?.(each).includes(value) === true),
    };
  }) as unknown as ReconcileContext['store'];

  async #objectsOf(source: Source, names: readonly string[] | 'all'): Promise<Objects | undefined> {
    try {
      const isByName = source.metadataOnly === true && names !== 'all';
      const found = isByName ? await this.#named(source, names) : await this.#listed(source);
      const shown = found.map((object) => shownBy(source, object));
      return new Map(shown.map((object) => [keyOf(object), object]));
    } catch (error) {
      if (source.optional && isUnserved(error)) return undefined;
      throw error;
    }
  }

  async #named(source: Source, names: readonly string[]): Promise<readonly KubernetesObject[]> {
    const { resource, labelSelector = '' } = source;
    const namespace = resource.namespaced ? this.#namespace : undefined;
    const found: KubernetesObject[] = [];
    for (const name of names) {
      const target = namespace === undefined ? { name } : { namespace, name };
      const object = await this.#client.find(resource, target, { signal: this.#signal });
      if (object !== undefined) found.push(object);
    }
    const selector = parseSelector(labelSelector);
    return found.filter(({ metadata }) => matchesSelector(selector, metadata.labels));
  }

  #listed({ resource, labelSelector }: Source): Promise<readonly KubernetesObject[]> {
    return this.#client.list(resource, {
      namespace: resource.namespaced ? this.#namespace : undefined,
      ...(labelSelector !== undefined && { labelSelector }),
      signal: this.#signal,
    });
  }
}

/** As a cache of the source would have it. */
function shownBy({ metadataOnly, transform }: Source, object: KubernetesObject): KubernetesObject {
  const { apiVersion, kind, metadata } = object;
  const received = metadataOnly === true ? { apiVersion, kind, metadata } : object;
  return transform === undefined ? received : (transform(received) as KubernetesObject);
}
