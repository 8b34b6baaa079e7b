import type { LeaderLine, WatchLine } from '../../record-line.ts';
import type { Fact, TimelineItem } from '../timeline-data.ts';
import type { GrowingItem, TimelineItems } from './timeline-items.ts';

const GOOD: ReadonlySet<string> = new Set(['watching', 'healthy', 'synced', 'polling']);
const BAD: ReadonlySet<string> = new Set(['failing', 'forbidden', 'unserved', 'error']);
const OFF: ReadonlySet<string> = new Set(['stopped']);

/**
 * The items in rows that have one state at a time: the watches of sources, and leadership. Each state is a
 * bar.
 */
export class StateBars {
  readonly #items: TimelineItems;
  readonly #last = new Map<number, GrowingItem>();

  constructor(items: TimelineItems) {
    this.#items = items;
  }

  watch(line: WatchLine): void {
    const { at, source, scope, state, resourceVersion, note } = line;
    const row = this.#items.source(scope === undefined ? source : `${source} in ${scope}`);
    const tone = GOOD.has(state)
      ? 'good'
      : BAD.has(state)
        ? 'bad'
        : OFF.has(state)
          ? 'off'
          : 'waiting';
    this.enter(row, at, {
      kind: 'watch',
      summary: `${state}${note === undefined ? '' : `: ${note}`}`,
      tone,
      ...(tone === 'bad' && { failed: true }),
      ...(resourceVersion !== undefined && { facts: [['resourceVersion', resourceVersion]] }),
    });
  }

  /** Records whether this process is the leader, for all groups of keys. */
  leads(at: number, leads: boolean): void {
    this.#lead(this.#items.process('Leadership'), at, leads, []);
  }

  leader({ at, group, leads, holder }: LeaderLine): void {
    const name = group === undefined ? 'Leadership' : `Leadership of group ${group}`;
    const facts: readonly Fact[] = holder === undefined ? [] : [['Holder', holder]];
    this.#lead(this.#items.process(name), at, leads, facts);
  }

  #lead(row: number, at: number, leads: boolean, more: readonly Fact[]): void {
    const holder = more[0]?.[1];
    this.enter(row, at, {
      kind: 'leader',
      summary: leads ? 'leads' : `does not lead${holder === undefined ? '' : `, ${holder} does`}`,
      tone: leads ? 'good' : 'off',
      facts: more,
    });
  }

  /**
   * Begins a state, and ends the previous state of the row. If the state is the same as before, its bar
   * continues.
   */
  enter(row: number, at: number, item: Omit<TimelineItem, 'row' | 'at' | 'to'>): void {
    const last = this.#last.get(row);
    if (last !== undefined) {
      if (last.summary === item.summary) return;
      last.to = at;
    }
    this.#last.set(row, this.#items.add({ ...item, row, at }));
  }

  finish(to: number): void {
    for (const item of this.#last.values()) item.to = Math.max(to, item.at);
  }
}
