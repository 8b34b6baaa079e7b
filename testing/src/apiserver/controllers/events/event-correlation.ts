import type { StoredObject } from '../../objects/stored-object.ts';

/** An Event of a controller about an object. */
export interface Report {
  /** Default `Normal`. */
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** An Event that was recorded, and how often since. */
export interface RecordedEvent {
  name: string;
  count: number;
}

/** An Event to write: created when it is the first of its entry, and counted up when it is not. */
export interface Occurrence extends Required<Report> {
  readonly entry: RecordedEvent;
}

/** Different messages of one reason about one object that get Events of their own: client-go's. */
const MOST_SIMILAR = 10;
/** After as long without one they are no longer similar: client-go's. */
const SIMILAR_WITHIN_MS = 600_000;
/** Events about one object that may come at once, and after how long there is one more: client-go's. */
const BURST = 25;
const REFILL_MS = 300_000;
/** Events and objects that are remembered: client-go's. */
const REMEMBERED = 4_096;

interface Similar {
  readonly messages: Set<string>;
  lastAtMs: number;
}

interface Allowance {
  left: number;
  countedAtMs: number;
}

/** Decides which Events are new, which count up, which are summed up and which are too many. */
export class EventCorrelation {
  readonly #recorded = new Map<string, RecordedEvent>();
  readonly #similar = new Map<string, Similar>();
  readonly #allowances = new Map<string, Allowance>();

  /** @returns undefined when there are too many about this object, unless it is the first of its reason. */
  observe(
    about: StoredObject,
    { type = 'Normal', reason, message }: Report,
    nowMs: number,
  ): Occurrence | undefined {
    const object = `${about.kind}/${about.metadata.namespace}/${about.metadata.name}/${about.metadata.uid}`;
    const group = `${object}/${type}/${reason}`;
    // Two thousand Events of created Pods must not hide the Event of a failed one.
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
    // One more than counts would be one too many to remember.
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
  map.set(key, known); // the latest last: the first is the one to forget
  const [oldest] = map.keys();
  if (map.size > REMEMBERED && oldest !== undefined) map.delete(oldest);
  return known;
}
