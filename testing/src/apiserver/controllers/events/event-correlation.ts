import type { StoredObject } from '../../objects/stored-object.ts';

/** An Event that a controller reports about an object. */
export interface Report {
  /** The type of the Event. Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** The name of a recorded Event, and how often it has occurred. */
export interface RecordedEvent {
  name: string;
  count: number;
}

/** An Event to write. The first occurrence creates the Event. Later occurrences increase its count. */
export interface Occurrence extends Required<Report> {
  readonly entry: RecordedEvent;
}

/**
 * When this many Events about one object with the same reason have different messages, they are combined into
 * one Event (from client-go).
 */
const MOST_SIMILAR = 10;
/**
 * If no similar Event comes for this time, counting the different messages starts again (from client-go).
 */
const SIMILAR_WITHIN_MS = 600_000;
/**
 * How many Events about one object may be recorded at once, and the interval after which one more is allowed
 * (from client-go).
 */
const BURST = 25;
const REFILL_MS = 300_000;
/** The number of remembered Events and objects (from client-go). */
const REMEMBERED = 4_096;

interface Similar {
  readonly messages: Set<string>;
  lastAtMs: number;
}

interface Allowance {
  left: number;
  countedAtMs: number;
}

/**
 * Decides for each Event whether it is new, increases a count, is combined with similar Events, or is
 * dropped.
 */
export class EventCorrelation {
  readonly #recorded = new Map<string, RecordedEvent>();
  readonly #similar = new Map<string, Similar>();
  readonly #allowances = new Map<string, Allowance>();

  /**
   * @returns undefined if the Event is dropped, because the object has too many Events. The first Event with
   * each reason is never dropped.
   */
  observe(
    about: StoredObject,
    { type = 'Normal', reason, message }: Report,
    nowMs: number,
  ): Occurrence | undefined {
    const object = `${about.kind}/${about.metadata.namespace}/${about.metadata.name}/${about.metadata.uid}`;
    const group = `${object}/${type}/${reason}`;
    // The first Event with a reason is never dropped. Otherwise the Event about a failed Pod would be lost
    // after two thousand Events about created Pods.
    const isFirst = !this.#similar.has(group);
    const isMany = this.#isOneOfMany(group, message, nowMs);
    const shown = isMany ? `(combined from similar events): ${message}` : message;
    if (!this.#spend(object, nowMs) && !isFirst) return undefined;
    const entry = remember(this.#recorded, isMany ? group : `${group}/${message}`, () => ({
      name: '',
      count: 0,
    }));
    entry.count++;
    return { type, reason, message: shown, entry };
  }

  #isOneOfMany(group: string, message: string, nowMs: number): boolean {
    const similar = remember(this.#similar, group, () => ({
      messages: new Set<string>(),
      lastAtMs: nowMs,
    }));
    if (nowMs - similar.lastAtMs > SIMILAR_WITHIN_MS) similar.messages.clear();
    similar.lastAtMs = nowMs;
    similar.messages.add(message);
    if (similar.messages.size < MOST_SIMILAR) return false;
    // No more messages are remembered than are needed to reach the limit.
    for (const oldest of similar.messages) {
      if (similar.messages.size <= MOST_SIMILAR) break;
      similar.messages.delete(oldest);
    }
    return true;
  }

  #spend(object: string, nowMs: number): boolean {
    const allowance = remember(this.#allowances, object, () => ({
      left: BURST,
      countedAtMs: nowMs,
    }));
    const gained = (nowMs - allowance.countedAtMs) / REFILL_MS;
    allowance.left = Math.min(allowance.left + gained, BURST);
    allowance.countedAtMs = nowMs;
    if (allowance.left < 1) return false;
    allowance.left--;
    return true;
  }
}

function remember<T>(map: Map<string, T>, key: string, make: () => T): T {
  const known = map.get(key) ?? make();
  map.delete(key);
  map.set(key, known); // newest last, so that the oldest is dropped first
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
  return known;
}
