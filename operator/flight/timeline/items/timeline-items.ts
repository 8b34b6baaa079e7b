import type { TimelineItem, TimelineRow } from '../timeline-data.ts';

/** An item while the record is still being read. The end of the item may come in a later line. */
export type GrowingItem = { -readonly [Name in keyof TimelineItem]: TimelineItem[Name] };

/** Maximum number of items of a page. A chart with more items is unreadable, and takes seconds to open. */
const MAX_ITEMS = 100_000;

/** The rows about the process as a whole, from top to bottom. All other rows follow below them. */
const PROCESS_ROWS: readonly string[] = ['Leadership', 'Log', 'Wall clock', 'Leases', 'Requests'];

const GROUPS: readonly TimelineRow['group'][] = ['process', 'sources', 'controller'];

export interface OrderedItems {
  readonly rows: readonly TimelineRow[];
  readonly items: readonly TimelineItem[];
  /** The number of items that were omitted because of the limit. The oldest items are omitted. */
  readonly leftOut: number;
}

/** Collects items and the rows that contain them. */
export class TimelineItems {
  readonly #rows: TimelineRow[] = [];
  readonly #indices = new Map<string, number>();
  readonly #items: GrowingItem[] = [];

  /** The row with this name in the group of the process. */
  process(name: string): number {
    return this.#row({ group: 'process', heading: 'Process', name });
  }

  source(name: string): number {
    return this.#row({ group: 'sources', heading: 'Sources', name });
  }

  key(controller: string, key: string): number {
    return this.#row({ group: 'controller', heading: controller, name: key });
  }

  add(item: GrowingItem): GrowingItem {
    this.#items.push(item);
    return item;
  }

  /**
   * All rows and items in the order in which the page contains them. Rows are ordered by group, then by
   * controller in the order of `headings`, and then by name.
   */
  ordered(headings: readonly string[], maxItems: number = MAX_ITEMS): OrderedItems {
    const byTime = this.#items.toSorted((a, b) => a.at - b.at);
    const kept = byTime.slice(Math.max(0, byTime.length - maxItems));
    const used = new Set(kept.map(({ row }) => row));
    const order = [...this.#rows.keys()]
      .filter((index) => used.has(index))
      .sort((a, b) => compareRows(this.#rows[a], this.#rows[b], headings));
    const placeOf = new Map(order.map((index, place) => [index, place]));
    return {
      rows: order.flatMap((index) => this.#rows[index] ?? []),
      items: kept.map((item) => ({ ...item, row: placeOf.get(item.row) ?? 0 })),
      leftOut: byTime.length - kept.length,
    };
  }

  #row(row: TimelineRow): number {
    const id = JSON.stringify([row.group, row.heading, row.name]);
    const known = this.#indices.get(id);
    if (known !== undefined) return known;
    const index = this.#rows.push(row) - 1;
    this.#indices.set(id, index);
    return index;
  }
}

function compareRows(
  a: TimelineRow | undefined,
  b: TimelineRow | undefined,
  headings: readonly string[],
): number {
  if (a === undefined || b === undefined) return 0;
  if (a.group !== b.group) return GROUPS.indexOf(a.group) - GROUPS.indexOf(b.group);
  if (a.heading !== b.heading) {
    const byOrder = placeIn(headings, a.heading) - placeIn(headings, b.heading);
    return byOrder === 0 ? compareTexts(a.heading, b.heading) : byOrder;
  }
  const byPlace =
    a.group === 'process' ? placeIn(PROCESS_ROWS, a.name) - placeIn(PROCESS_ROWS, b.name) : 0;
  return byPlace === 0 ? compareTexts(a.name, b.name) : byPlace;
}

function placeIn(list: readonly string[], name: string): number {
  const place = list.indexOf(name);
  return place < 0 ? list.length : place;
}

/**
 * Compares names. Numbers in names are compared by their values, so that `web-2` comes before `web-10`. The
 * order does not depend on the locale.
 */
const compareTexts = new Intl.Collator('en', { numeric: true }).compare;
