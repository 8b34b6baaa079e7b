import { ShardedSource } from '../../client/sharded-source.ts';
import type { Clock } from '../../core/clock.ts';
import type { KubernetesObject } from '../../model/object.ts';
import type { Informer } from '../../store/informer.ts';
import type { ListWatch } from '../../watch/list-watch.ts';
import type { NamedSlotting } from '../sharding/slotting.ts';

type AnyListWatch = ListWatch<KubernetesObject>;

/** A source of which a replica shows the objects in its own slots. */
export interface SlottedSource {
  readonly source: AnyListWatch;
  readonly slotting: NamedSlotting;
  /** Lists the objects of some slots. */
  readonly part: (slots: ReadonlySet<number>) => AnyListWatch;
}

interface Slotted {
  readonly informer: Informer<KubernetesObject>;
  readonly slotted: SlottedSource | undefined;
}

/** The slots that the caches of this process show, of all sources that replicas share. */
export class OwnSlots {
  readonly #clock: Clock;
  readonly #all: () => Iterable<Slotted>;
  #slots: ReadonlySet<number> = new Set();

  constructor(clock: Clock, all: () => Iterable<Slotted>) {
    this.#clock = clock;
    this.#all = all;
  }

  /** @param prepared - what is done with the objects of a list or watch before they are cached. */
  of(
    bare: AnyListWatch,
    slotting: NamedSlotting,
    prepared: (source: AnyListWatch) => AnyListWatch,
  ): SlottedSource {
    const sharded = new ShardedSource(bare, slotting, {
      clock: this.#clock,
      slots: () => this.#slots,
    });
    const part = (slots: ReadonlySet<number>): AnyListWatch => prepared(sharded.part(slots));
    return { source: prepared(sharded), slotting, part };
  }

  /** See `ShardedCaches`. */
  async openSlots(slots: ReadonlySet<number>, signal: AbortSignal): Promise<void> {
    const isFirst = this.#slots.size === 0;
    this.#slots = new Set([...this.#slots, ...slots]);
    const widened = [...this.#all()].map(async ({ informer, slotted }) => {
      // The first list of a source that is not served now will have these slots, too.
      const isAbsent = informer.state === 'unserved' || informer.state === 'forbidden';
      if (slotted !== undefined && !isAbsent)
        await informer.widen(slotted.part(slots), isFirst, signal);
    });
    await Promise.all(widened);
  }

  /** See `ShardedCaches`. */
  dropSlots(slots: ReadonlySet<number>): void {
    const left = new Set([...this.#slots].filter((slot) => !slots.has(slot)));
    this.#slots = left;
    for (const { informer, slotted } of this.#all()) {
      if (slotted === undefined) continue;
      informer.narrow((entry) => {
        const of = slotted.slotting.slotsOf(entry);
        return of.length > 0 && !of.some((slot) => left.has(slot));
      });
    }
  }
}
