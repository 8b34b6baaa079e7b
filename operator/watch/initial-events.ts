import type { Entry } from '../model/entry.ts';
import type { KubernetesObject, ObjectKey } from '../model/object.ts';
import type { WatchEvent } from '../model/watch-event.ts';
import type { CompleteList } from './list-all.ts';

/**
 * The list that a watch begins with when it was asked for one: events in the order of names, not of
 * history, up to a bookmark that ends them. Only that bookmark's resourceVersion counts.
 *
 * Objects are kept here until then, so that a stream that ends early has changed nothing.
 */
export class InitialEvents<T extends KubernetesObject> {
  readonly #entries = new Map<ObjectKey, Entry<T>>();

  /**
   * Takes events up to the end marker. A marker without a resourceVersion is none: no watch could
   * go on from it.
   *
   * @returns the list and the events after the marker; undefined when the marker is still to come.
   */
  take(
    batch: readonly WatchEvent<T>[],
  ): { readonly list: CompleteList<T>; readonly rest: readonly WatchEvent<T>[] } | undefined {
    for (const [index, event] of batch.entries()) {
      if (event.type === 'BOOKMARK') {
        const { initialEventsEnd, resourceVersion = '0' } = event;
        if (!initialEventsEnd || resourceVersion === '0') continue;
        const items = [...this.#entries.values()];
        return { list: { items, resourceVersion }, rest: batch.slice(index + 1) };
      }
      const { entry } = event;
      if (event.type === 'DELETED') this.#entries.delete(entry.key);
      else this.#entries.set(entry.key, entry);
    }
    return undefined;
  }
}
