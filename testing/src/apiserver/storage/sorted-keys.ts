import type { ObjectKey } from 'chancery';

/**
 * Keys in etcd's order: by the bytes of `namespace/name`. Adding and removing keys is cheap, because only the
 * next read sorts the new keys into their places.
 */
export class SortedKeys {
  #sorted: readonly ObjectKey[] = [];
  readonly #added = new Set<ObjectKey>();
  readonly #removed = new Set<ObjectKey>();

  add(key: ObjectKey): void {
    if (!this.#removed.delete(key)) this.#added.add(key);
  }

  remove(key: ObjectKey): void {
    if (!this.#added.delete(key)) this.#removed.add(key);
  }

  all(): readonly ObjectKey[] {
    if (this.#added.size > 0 || this.#removed.size > 0) this.#merge();
    return this.#sorted;
  }

  /** The keys that begin with `prefix`. */
  below(prefix: string): readonly ObjectKey[] {
    const keys = this.all();
    if (prefix === '') return keys;
    const from = firstNotBefore(keys, prefix);
    let to = from;
    while (keys[to]?.startsWith(prefix)) to++;
    return keys.slice(from, to);
  }

  #merge(): void {
    const added = [...this.#added].sort(byText);
    const merged: ObjectKey[] = [];
    let next = 0;
    for (const key of this.#sorted) {
      for (let one = added[next]; one !== undefined && one < key; one = added[++next]) {
        merged.push(one);
      }
      if (!this.#removed.has(key)) merged.push(key);
    }
    for (; next < added.length; next++) merged.push(added[next] as ObjectKey);
    this.#sorted = merged;
    this.#added.clear();
    this.#removed.clear();
  }
}

/** The index of the first key that is not less than `text`. */
function firstNotBefore(keys: readonly ObjectKey[], text: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
