import { durationWords } from '../../../core/text/duration-words.ts';
import type { ClockLine } from '../../record-line.ts';
import type { TimelineItems } from './timeline-items.ts';

/**
 * A difference of fewer milliseconds is only the drift of the two clocks. For a larger difference the
 * recorder writes a line.
 */
const JUMP_MS = 1_000;

/** The wall time at each time of a record, with an item for each jump. */
export class WallClock {
  readonly #items: TimelineItems;
  readonly #times: (readonly [at: number, wall: number])[] = [];

  /** @param began - wall time when `at` is 0, in RFC 3339. */
  constructor(began: string, items: TimelineItems) {
    this.#items = items;
    const wall = Date.parse(began);
    if (!Number.isNaN(wall)) this.#times.push([0, wall]);
  }

  /** The wall times in order. There is at least one entry: if no time is known, the record begins in 1970. */
  get times(): readonly (readonly [at: number, wall: number])[] {
    return this.#times.length === 0 ? [[0, 0]] : this.#times;
  }

  clock({ at, wall }: ClockLine): void {
    const last = this.#times.at(-1);
    const jumpMs = last === undefined ? 0 : wall - (last[1] + at - last[0]);
    if (last !== undefined && Math.abs(jumpMs) <= JUMP_MS) return;
    this.#times.push([at, wall]);
    if (last === undefined) return;
    const words = `${jumpMs > 0 ? 'forward' : 'back'} by ${durationWords(Math.abs(jumpMs))}`;
    this.#items.add({
      kind: 'clock',
      row: this.#items.process('Wall clock'),
      at,
      tone: 'waiting',
      summary: `the wall clock jumped ${words}`,
      facts: [
        ['Jump', words],
        ['New wall time', timeWords(wall)],
      ],
    });
  }
}

function timeWords(wall: number): string {
  const time = new Date(wall);
  return Number.isNaN(time.getTime()) ? `${wall} ms since 1970` : time.toISOString();
}
