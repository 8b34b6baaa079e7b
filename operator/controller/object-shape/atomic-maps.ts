import { isMapping, mappingOf } from '../../core/mapping.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { memberOf } from '../children/json-difference.ts';
import { isEmpty } from './maps-of-others.ts';

/**
 * Maximum number of fields that one `AtomicMaps` remembers. A kind of Kubernetes itself has fewer than 100
 * fields that lead to its atomic maps. A map with arbitrary keys may have any number of fields. Maps beyond
 * the maximum are treated as granular.
 */
const MAX_FIELDS = 1_000;

/** What is known about a field that is a map. */
export interface MapField {
  /** True if an apply replaces the map as a whole. */
  readonly isAtomic: boolean;
  readonly members: ReadonlyMap<string, MapField>;
}

interface Learned extends MapField {
  isAtomic: boolean;
  readonly members: Map<string, Learned>;
}

/**
 * The atomic maps of a resource: the maps that an apply replaces as a whole, such as a label selector or a
 * `nodeSelector`. A key that another writer adds to an atomic map is reverted by the next apply, while a key
 * in any other map belongs to its writer.
 *
 * They are learned from the managedFields of answers, which list the keys of a granular map, but not the keys
 * of an atomic map. So no schema is needed, and no right to read definitions. Maps inside of lists are not
 * learned, because lists are always compared as a whole.
 */
export class AtomicMaps {
  readonly #root: Learned = { isAtomic: false, members: new Map() };
  #size = 0;

  get root(): MapField {
    return this.#root;
  }

  /**
   * Call this with the answer to a write of `stated`. Nothing is learned from an empty map, because it looks
   * the same in managedFields whether it is atomic or not.
   */
  learn(answer: KubernetesObject, stated: unknown): void {
    const { managedFields } = answer.metadata;
    const entries = Array.isArray(managedFields) ? managedFields : [];
    const owners = entries.map((entry) => mappingOf(mappingOf(entry).fieldsV1));
    const waiting = [{ stated, shown: answer as unknown, owners, known: this.#root }];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      for (const [name, value] of Object.entries(mappingOf(next.stated))) {
        const shown = memberOf(next.shown, name);
        const owners = next.owners.map((each) => each[`f:${name}`]).filter(isMapping);
        if (!isMapping(value) || isEmpty(shown) || owners.length === 0) continue;
        const known = this.#memberOf(next.known, name);
        if (known === undefined) continue;
        known.isAtomic = owners.every(isEmpty);
        if (!known.isAtomic) waiting.push({ stated: value, shown, owners, known });
      }
    }
  }

  #memberOf({ members }: Learned, name: string): Learned | undefined {
    const known = members.get(name);
    if (known !== undefined || this.#size >= MAX_FIELDS) return known;
    const made: Learned = { isAtomic: false, members: new Map() };
    members.set(name, made);
    this.#size += 1;
    return made;
  }
}
