import type { ScopeActivity } from '../manager/sources/scope.ts';
import type { Entry } from '../model/entry.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';
import type { KeptCache } from './kept-line.ts';
import type { RecordedSource, WatchLine } from './record-line.ts';

/**
 * Estimated memory in bytes of an entry that has left its cache and is still in the ring, in addition to the
 * entry's JSON.
 */
const ENTRY_BYTES = 500;

/** The caches of a process: their ids in a record, their states, and their contents at given times. */
export class CacheStates {
  /** The id in the record for each `group` of scopes. */
  readonly #ids = new Map<string, string>();
  readonly #sources = new Map<string, RecordedSource>();
  readonly #states = new WeakMap<object, string>();
  /** The entries to which the newest segment refers. */
  #last: readonly { readonly source: ScopeActivity; readonly entries: readonly Entry[] }[] = [];

  /**
   * The id of a group of scopes, such as `deployments.apps`. Further groups of the same resource get a
   * number.
   */
  idOf(group: string, resource: Resource): string {
    const known = this.#ids.get(group);
    if (known !== undefined) return known;
    const name = resourceName(resource);
    const same = [...this.#ids.values()].filter((id) => id.split('#', 1)[0] === name).length;
    const id = same === 0 ? name : `${name}#${same + 1}`;
    this.#ids.set(group, id);
    return id;
  }

  /** All sources for which a line was created. */
  sources(): readonly RecordedSource[] {
    return [...this.#sources.values()];
  }

  /** The line about the changed state of a source; undefined when the state has not changed. */
  changed(activity: ScopeActivity, at: number): WatchLine | undefined {
    const { informer } = activity;
    const { state, resourceVersion, status } = informer;
    if (this.#states.get(informer) === state) return undefined;
    this.#states.set(informer, state);
    return {
      ...{ kind: 'watch', at, ...this.#named(activity), state },
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(status.reason !== undefined && { note: status.reason }),
    };
  }

  /**
   * The contents of the caches.
   *
   * @returns one line for each cache whose first list is complete. `replacedBytes` is the memory of the
   *   entries that have left the caches since the previous call, and to which only the lines of the previous
   *   call still refer.
   */
  at(
    at: number,
    scopes: Iterable<ScopeActivity>,
  ): { readonly lines: readonly KeptCache[]; readonly replacedBytes: number } {
    const replacedBytes = this.#last.reduce((sum, { source, entries }) => {
      const { informer } = source;
      return entries.reduce(
        (bytes, entry) =>
          informer.cached(entry.key) === entry ? bytes : bytes + ENTRY_BYTES + entry.textLength,
        sum,
      );
    }, 0);
    const now = Array.from(scopes, (source) => ({ source, named: this.#named(source) }))
      .filter(({ source }) => source.informer.synced)
      .map(({ source, named }) => ({ source, named, entries: [...source.informer.entries()] }));
    this.#last = now;
    const lines = now.map(({ source, named, entries }): KeptCache => {
      const { resourceVersion } = source.informer;
      return {
        ...{ kind: 'cached', at, ...named, entries },
        ...(resourceVersion !== undefined && { resourceVersion }),
      };
    });
    return { lines, replacedBytes };
  }

  #named({ group, scope, form }: ScopeActivity): { source: string; scope?: string } {
    const { resource, namespace, labelSelector, fieldSelector } = scope;
    const id = this.idOf(group, resource);
    const { namespaces = [] } = this.#sources.get(id) ?? {};
    this.#sources.set(id, {
      ...{ id, apiVersion: apiVersionOf(resource), kind: resource.kind, plural: resource.plural },
      namespaced: resource.namespaced,
      ...(namespace !== undefined && { namespaces: [...new Set([...namespaces, namespace])] }),
      ...(labelSelector !== undefined && { labelSelector }),
      ...(fieldSelector !== undefined && { fieldSelector }),
      form,
    });
    return { source: id, ...(namespace !== undefined && { scope: namespace }) };
  }
}
