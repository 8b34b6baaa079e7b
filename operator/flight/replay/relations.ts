import type { KubernetesObject } from '../../model/object.ts';
import { idOf } from './recorded/replayed-watches.ts';

/** Records which objects belong together: owners, and the objects that they own. */
export class Relations {
  readonly #ids = new Set<string>();
  /** For each uid, the object with this uid and the objects that it owns. */
  readonly #byLink = new Map<string, Set<string>>();
  readonly #links = new Map<string, Set<string>>();

  get size(): number {
    return this.#ids.size;
  }

  add(collection: string, object: KubernetesObject): void {
    const id = idOf(collection, object);
    const { uid, ownerReferences = [] } = object.metadata;
    this.#ids.add(id);
    for (const link of [uid, ...ownerReferences.map((owner) => owner.uid)]) {
      if (link === undefined) continue;
      put(this.#byLink, link, id);
      put(this.#links, id, link);
    }
  }

  /** The objects in `begun`, and all objects that are related to them, directly or indirectly. */
  from(begun: ReadonlySet<string>): ReadonlySet<string> {
    const found = new Set(begun);
    // The set grows during this loop, and the loop also visits the new members.
    for (const id of found) {
      for (const link of this.#links.get(id) ?? []) {
        for (const other of this.#byLink.get(link) ?? []) found.add(other);
      }
    }
    return found;
  }
}

function put(map: Map<string, Set<string>>, key: string, value: string): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, new Set([value]));
  else known.add(value);
}
