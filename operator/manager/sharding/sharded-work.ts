import type { ShardedIdentity, Shards } from '../../controller/run/term.ts';
import { SLOTS, slotOf } from '../../model/shard/field-hash.ts';
import type { GroupTerm, ShardedWork } from './shard-group.ts';
import type { ShardField } from './sharding.ts';
import { childLabelsBy } from './slotting.ts';

/** How the caches of a process follow the groups of keys that the process takes and gives up. */
export interface ShardedCaches {
  /**
   * Resolves when the caches also have the objects of these slots.
   *
   * @throws `signal.reason` when `signal` aborts before that.
   */
  openSlots(slots: ReadonlySet<number>, signal: AbortSignal): Promise<void>;
  dropSlots(slots: ReadonlySet<number>): void;
}

/** The groups that this process works on now, for its controllers. */
export class GroupsAtWork implements ShardedWork {
  /** See `Shards`. */
  readonly childLabels: Shards['childLabels'];
  readonly #groups: number;
  readonly #by: ShardField;
  readonly #caches: ShardedCaches;
  readonly #terms = new Map<number, GroupTerm>();
  readonly #running = new Map<number, number>();
  readonly #drains = new Map<number, () => void>();
  readonly #listeners = new Set<(groups: ReadonlySet<number>) => void>();
  /** Groups that were opened and that have not been reported to the listeners yet. */
  #opened = new Set<number>();

  constructor(
    { groups, by }: { readonly groups: number; readonly by: ShardField },
    caches: ShardedCaches,
  ) {
    this.#groups = groups;
    this.#by = by;
    this.childLabels = childLabelsBy(by);
    this.#caches = caches;
  }

  /** See `Shards`. */
  groupOf({ uid, namespace }: ShardedIdentity): number | undefined {
    const text = this.#by === 'uid' ? uid : (namespace ?? '');
    return text === undefined ? undefined : Math.floor((slotOf(text) * this.#groups) / SLOTS);
  }

  termOf(group: number): GroupTerm | undefined {
    return this.#terms.get(group);
  }

  onOpened(opened: (groups: ReadonlySet<number>) => void): () => void {
    const added = (groups: ReadonlySet<number>): void => opened(groups);
    this.#listeners.add(added);
    if (this.#terms.size > 0) added(new Set(this.#terms.keys()));
    return () => this.#listeners.delete(added);
  }

  /** See `Shards`. */
  begin(group: number): () => void {
    this.#running.set(group, (this.#running.get(group) ?? 0) + 1);
    return () => {
      const left = (this.#running.get(group) ?? 1) - 1;
      this.#running.set(group, left);
      if (left === 0) this.#drains.get(group)?.();
    };
  }

  open(group: number, signal: AbortSignal): Promise<void> {
    return this.#caches.openSlots(this.#slotsOf(group), signal);
  }

  dispatch(group: number, term: GroupTerm): void {
    this.#terms.set(group, term);
    if (this.#opened.size === 0) queueMicrotask(() => this.#tellOpened());
    this.#opened.add(group);
  }

  async drain(group: number): Promise<void> {
    this.#terms.delete(group);
    if ((this.#running.get(group) ?? 0) === 0) return;
    await new Promise<void>((resolve) => this.#drains.set(group, resolve));
    this.#drains.delete(group);
  }

  drop(group: number): void {
    this.#caches.dropSlots(this.#slotsOf(group));
  }

  /**
   * Called once for all groups that were opened together, because each listener iterates over all cached
   * objects.
   */
  #tellOpened(): void {
    const opened = new Set([...this.#opened].filter((group) => this.#terms.has(group)));
    this.#opened = new Set();
    if (opened.size === 0) return;
    for (const listener of [...this.#listeners]) listener(opened);
  }

  #slotsOf(group: number): ReadonlySet<number> {
    const each = SLOTS / this.#groups;
    return new Set(Array.from({ length: each }, (_, index) => group * each + index));
  }
}
