import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { Clock } from '../../core/clock.ts';

/** client-go's figures. */
const BURST = 25;
const REFILL_MS = 300_000;
const MANY_SIMILAR = 10;
const SIMILAR_WITHIN_MS = 600_000;

/** How many sources, objects and kinds of Events are told apart; client-go's. */
export const MAX_REMEMBERED: number = 4_096;

/** New Events of one source about one object: 25 at once, then one in 300 s. */
export class EventRate {
  readonly #clock: Clock;
  readonly #buckets = new LeastRecent<{ tokens: number; atMs: number }>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param of - names the source and the object. */
  allows(of: string): boolean {
    const now = this.#clock.monotonic();
    const { tokens, atMs } = this.#buckets.get(of) ?? { tokens: BURST, atMs: now };
    const refilled = Math.min(tokens + (now - atMs) / REFILL_MS, BURST);
    const allowed = refilled >= 1;
    this.#buckets.set(of, { tokens: allowed ? refilled - 1 : refilled, atMs: now });
    return allowed;
  }
}

/** Finds Events that differ in nothing but their notes: ten different notes in 600 s are many. */
export class SimilarEvents {
  readonly #clock: Clock;
  /** When each of the latest ten different notes was last seen, by the note's digest. */
  readonly #seen = new LeastRecent<Map<string, number>>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes note of one; true when there are many like it. @param identity - all but the note. */
  areMany(identity: string, note: string): boolean {
    const now = this.#clock.monotonic();
    const seen = this.#seen.get(identity) ?? new Map<string, number>();
    this.#seen.set(identity, seen);
    const digest = nodeCrypto().hash('sha1', note, 'base64');
    seen.delete(digest);
    seen.set(digest, now);
    for (const [each, atMs] of seen) {
      if (now - atMs <= SIMILAR_WITHIN_MS && seen.size <= MANY_SIMILAR) break;
      seen.delete(each);
    }
    return seen.size >= MANY_SIMILAR;
  }
}

/** A map of so many entries at most: the one that was set longest ago makes room for a new one. */
export class LeastRecent<V> {
  readonly #max: number;
  readonly #entries = new Map<string, V>();

  constructor(max: number) {
    this.#max = max;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  /** @returns what had to make room. */
  set(key: string, value: V): V | undefined {
    this.#entries.delete(key);
    this.#entries.set(key, value);
    if (this.#entries.size <= this.#max) return undefined;
    const [oldest] = this.#entries;
    if (oldest === undefined) return undefined;
    this.#entries.delete(oldest[0]);
    return oldest[1];
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  values(): Iterable<V> {
    return this.#entries.values();
  }
}
