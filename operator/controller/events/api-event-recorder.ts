import type { Client } from '../../client/client.ts';
import { nodeCrypto } from '../../core/builtin-modules.ts';
import type { Cancel, Clock } from '../../core/clock.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import type { Log, Self } from '../reconciler.ts';
import { EventDrops } from './drops.ts';
import {
  cutNote,
  type EventFacts,
  EventObjects,
  eventFacts,
  identityOf,
  nameOfReference,
} from './event-object.ts';
import type { EventNote, EventRecorder } from './event-recorder.ts';
import { EventSender } from './sender.ts';
import { EventSeries } from './series.ts';

/** Time limit in milliseconds for sending the remaining Events when the process ends. */
export const EVENT_FLUSH_MS: number = 5_000;

const COMBINED = '(combined from similar events): ';

/** Minimum milliseconds between two checks for series that are due or over. */
const LOOK_SPACING_MS = 1_000;

interface ApiEventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** The Pod name becomes `reportingInstance`. */
  readonly self: Self;
  readonly log: Log;
  /** Default: no measurements. */
  readonly meter?: Meter;
  /** Returns random numbers, uniform in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Sends the Events of a process to the API server (`events.k8s.io/v1`) in the background. Recording an Event
 * never waits and never throws.
 *
 * - An Event that repeats within 6 minutes of its last occurrence is counted in the `series` of the Event
 *   that was sent. The series is sent at the first repetition, then every 30 minutes, and after 6 minutes
 *   without a repetition. The version of the object is not compared.
 * - When ten Events within 600 s differ only in their notes, these and later ones are combined into one
 *   Event. Its note begins with `(combined from similar events): `.
 * - One source may begin 25 Events about one object at once, and then one every 300 s.
 * - If an Event cannot be sent because of the network, or is refused with a 429 or 5xx, it is sent again
 *   after 10 s, up to 11 times. Any other refusal is final. At most 1,000 Events wait.
 *
 * Dropped Events are counted in `chancery_events_dropped_total` and logged once a minute.
 */
export class ApiEventRecorder {
  readonly #options: ApiEventRecorderOptions;
  readonly #drops: EventDrops;
  readonly #rate: EventRate;
  readonly #similar: SimilarEvents;
  readonly #objects: EventObjects;
  readonly #sender: EventSender;
  readonly #series = new LeastRecent<EventSeries>(MAX_REMEMBERED);
  readonly #mended = new Set<string>();
  #cancelLook: Cancel | undefined;
  #closed = false;

  constructor(options: ApiEventRecorderOptions) {
    const { client, clock, log, meter = noMeter, random = Math.random } = options;
    this.#options = options;
    this.#drops = new EventDrops({ clock, log, meter });
    this.#rate = new EventRate(clock);
    this.#similar = new SimilarEvents(clock);
    this.#objects = new EventObjects(random());
    this.#sender = new EventSender({
      ...{ client, clock, random, objects: this.#objects },
      lost: (series, reason, error) => {
        this.#series.delete(series.key);
        this.#drops.count(series.controller, reason, error);
      },
    });
  }

  /** A recorder for one component of the process. Its `reportingController` is `chancery.dev/NAME`. */
  for(controller: string): EventRecorder {
    return {
      record: (note) => {
        try {
          this.#record(controller, note);
        } catch (error) {
          // The caller may be untyped JavaScript.
          this.#drops.count(controller, 'invalid', error);
        }
      },
    };
  }

  /**
   * Accepts no more Events. Resolves when the remaining Events are sent or dropped, at the latest after
   * `limitMs`.
   */
  async close(limitMs: number = EVENT_FLUSH_MS): Promise<void> {
    this.#closed = true;
    this.#cancelLook?.();
    for (const series of [...this.#series.values()]) this.#finish(series);
    await this.#sender.close(limitMs);
    this.#drops.flush();
  }

  #record(controller: string, note: EventNote): void {
    if (this.#closed) {
      this.#drops.count(controller, 'closed');
      return;
    }
    const facts = this.#facts(controller, note);
    const identity = identityOf(facts);
    const many = this.#similar.areMany(identity, facts.note);
    const key = many ? identity : `${identity} ${facts.note}`;
    const known = this.#series.get(key);
    if (known !== undefined && !known.isIdle) {
      known.repeat();
      this.#keep(known);
    } else {
      if (known !== undefined) this.#finish(known);
      this.#begin(
        key,
        controller,
        many ? { ...facts, note: cutNote(COMBINED + facts.note) } : facts,
      );
    }
  }

  #facts(controller: string, note: EventNote): EventFacts {
    const { log, self } = this.#options;
    const reportingController = `chancery.dev/${controller}`;
    const source = { reportingController, reportingInstance: self.podName ?? 'unknown' };
    return eventFacts(note, source, (field) => {
      const of = `${controller} ${field}`;
      if (this.#mended.has(of)) return;
      this.#mended.add(of);
      log.warn({ controller, field }, 'event has a field that the API refuses; it is corrected');
    });
  }

  #begin(key: string, controller: string, facts: EventFacts): void {
    const { clock } = this.#options;
    // The reporter does not count as a part of the source. A note may contain any reporter, and each reporter
    // would have its own limit.
    const source = `${controller} ${nameOfReference(facts.regarding)}`;
    if (!this.#rate.allows(source)) {
      this.#drops.count(controller, 'rate-limited');
      return;
    }
    const event = this.#objects.create(facts, clock.now());
    this.#keep(new EventSeries(key, controller, event, clock));
  }

  #keep(series: EventSeries): void {
    const forgotten = this.#series.set(series.key, series);
    if (forgotten !== undefined) this.#finish(forgotten);
    this.#send(series);
    this.#planLook();
  }

  /** Sends the final count of a series. The next repetition begins a new series. */
  #finish(series: EventSeries): void {
    this.#series.delete(series.key);
    series.review(true);
    this.#send(series);
  }

  #send(series: EventSeries): void {
    if (!series.isDue || this.#sender.add(series)) return;
    this.#series.delete(series.key);
    this.#drops.count(series.controller, 'queue-full');
  }

  #planLook(): void {
    if (this.#cancelLook !== undefined || this.#closed || this.#series.size === 0) return;
    const { clock } = this.#options;
    let nextAt = Number.POSITIVE_INFINITY;
    for (const series of this.#series.values()) nextAt = Math.min(nextAt, series.nextAt);
    const inMs = Math.max(nextAt - clock.monotonic(), LOOK_SPACING_MS);
    this.#cancelLook = clock.schedule(inMs, () => {
      this.#cancelLook = undefined;
      for (const series of [...this.#series.values()]) this.#sweepSeries(series);
      this.#planLook();
    });
  }

  #sweepSeries(series: EventSeries): void {
    if (series.isIdle) {
      this.#finish(series);
      return;
    }
    series.review();
    this.#send(series);
  }
}

/** Limits for the number of Events, the same as in client-go. */
const BURST = 25;
const REFILL_MS = 300_000;
const MANY_SIMILAR = 10;
const SIMILAR_WITHIN_MS = 600_000;

/** Number of entries that each of the maps below keeps, the same as in client-go. */
const MAX_REMEMBERED: number = 4_096;

/** Limits new Events of one source about one object: 25 at once, then one every 300 s. */
class EventRate {
  readonly #clock: Clock;
  readonly #buckets = new LeastRecent<{ tokens: number; atMs: number }>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** @param of - identifies a source and an object, in one string. */
  allows(of: string): boolean {
    const now = this.#clock.monotonic();
    const { tokens, atMs } = this.#buckets.get(of) ?? { tokens: BURST, atMs: now };
    const refilled = Math.min(tokens + (now - atMs) / REFILL_MS, BURST);
    const allowed = refilled >= 1;
    this.#buckets.set(of, { tokens: allowed ? refilled - 1 : refilled, atMs: now });
    return allowed;
  }
}

/**
 * Finds Events that differ only in their notes. If one Event has ten different notes within 600 s, they are
 * too many.
 */
class SimilarEvents {
  readonly #clock: Clock;
  /**
   * For each Event without its note: the digests of its latest ten different notes, each with the time when
   * the note was last recorded.
   */
  readonly #seen = new LeastRecent<Map<string, number>>(MAX_REMEMBERED);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /**
   * Records one Event. Returns true when many similar Events were recorded.
   *
   * @param identity - the Event without its note.
   */
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

/** A map with at most `max` entries. A new entry replaces the entry that was set longest ago. */
class LeastRecent<V> {
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

  /** @returns the entry that was removed to make room for the new entry. */
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
