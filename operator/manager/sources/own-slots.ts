import { ShardedSource } from '../../client/sharded-source.ts';
import { abortable } from '../../core/abort.ts';
import type { Clock } from '../../core/clock.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Informer } from '../../store/informer.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import type { NamedSlotting } from '../sharding/slotting.ts';

type AnyListWatch = ListWatch<KubernetesObject>;

/** A source that lists and watches only the objects in the slots of this replica. */
export interface SlottedSource {
  readonly source: AnyListWatch;
  readonly slotting: NamedSlotting;
  /** Lists the objects of some slots. */
  readonly part: (slots: ReadonlySet<number>) => AnyListWatch;
}

type Callbacks = Pick<ConstructorParameters<typeof ShardedSource>[2], 'onForeign' | 'onRefused'>;

interface Slotted {
  readonly informer: Informer<KubernetesObject>;
  readonly slotted: SlottedSource | undefined;
}

/** The slots whose objects this process caches. They are the same for all sources that replicas share. */
export class OwnSlots {
  readonly #clock: Clock;
  readonly #all: () => Iterable<Slotted>;
  #slots: ReadonlySet<number> = new Set();
  /**
   * The next batch of slots, which waits until `#current` is done. Until then, further slots can be added to
   * the batch.
   */
  #next: Batch | undefined;
  #current: Promise<void> = Promise.resolve();
  #narrows = false;

  constructor(clock: Clock, all: () => Iterable<Slotted>) {
    this.#clock = clock;
    this.#all = all;
  }

  /**
   * @param callbacks - called for objects of other replicas' slots, and when the API server refuses a
   *   selector.
   * @param prepared - applied to each list or watch before its objects are cached.
   */
  of(
    bare: AnyListWatch,
    slotting: NamedSlotting,
    prepared: (source: AnyListWatch) => AnyListWatch,
    callbacks: Callbacks,
  ): SlottedSource {
    const sharded = new ShardedSource(bare, slotting, {
      ...callbacks,
      clock: this.#clock,
      slots: () => this.#slots,
    });
    const part = (slots: ReadonlySet<number>): AnyListWatch => prepared(sharded.part(slots));
    return { source: prepared(sharded), slotting, part };
  }

  /**
   * See `ShardedCaches`. Slots that are opened while earlier ones are being listed wait, and are then listed
   * together.
   */
  async openSlots(slots: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    this.#next ??= this.#batch(this.#current);
    const { opened, done } = this.#next;
    for (const slot of slots) opened.add(slot);
    await abortable(done, signal);
  }

  /** See `ShardedCaches`. */
  dropSlots(slots: ReadonlySet<number>): void {
    this.#slots = new Set([...this.#slots].filter((slot) => !slots.has(slot)));
    for (const slot of slots) this.#next?.opened.delete(slot);
    this.#narrowSoon();
  }

  #batch(before: Promise<void>): Batch {
    const opened = new Set<number>();
    const done = before.then(() => {
      this.#next = undefined;
      return this.#open(opened);
    });
    this.#current = done;
    return { opened, done };
  }

  async #open(opened: ReadonlySet<number>): Promise<void> {
    const isFirst = this.#slots.size === 0;
    this.#slots = new Set([...this.#slots, ...opened]);
    const widened = [...this.#all()].map(async ({ informer, slotted }) => {
      // If a source is not served now, its first list will include these slots.
      const isAbsent = informer.state === 'unserved' || informer.state === 'forbidden';
      if (slotted === undefined || isAbsent || opened.size === 0) return;
      await informer.widen(slotted.part(opened), isFirst).catch(() => {}); // it has ended
    });
    await Promise.all(widened);
    const isDropped = [...opened].some((slot) => !this.#slots.has(slot));
    if (isDropped) this.#narrowSoon();
  }

  /** Runs once for all slots that are dropped in one turn, because it iterates over all cached objects. */
  #narrowSoon(): void {
    if (this.#narrows) return;
    this.#narrows = true;
    queueMicrotask(() => {
      this.#narrows = false;
      this.#narrow();
    });
  }

  #narrow(): void {
    for (const { informer, slotted } of this.#all()) {
      if (slotted === undefined) continue;
      informer.narrow((entry) => {
        if (entry.isUnreadable) return false; // it is listed again soon
        const of = slotted.slotting.slotsOf(entry);
        return of.length > 0 && !of.some((slot) => this.#slots.has(slot));
      });
    }
  }
}

/** Slots whose objects are listed together. */
interface Batch {
  readonly opened: Set<number>;
  readonly done: Promise<void>;
}
