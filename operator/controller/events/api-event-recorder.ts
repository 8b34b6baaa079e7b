import type { Client } from '../../client/client.ts';
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
import { EventRate, LeastRecent, MAX_REMEMBERED, SimilarEvents } from './limits.ts';
import { EventSender } from './sender.ts';
import { EventSeries } from './series.ts';

/** What Events get to be sent in when the process ends. */
export const EVENT_FLUSH_MS: number = 5_000;

const COMBINED = '(combined from similar events): ';

/** Between two looks at the series that are going on. */
const LOOK_SPACING_MS = 1_000;

interface ApiEventRecorderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** The Pod is named as `reportingInstance`. */
  readonly self: Self;
  readonly log: Log;
  /** Default: nothing is measured. */
  readonly meter?: Meter;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/**
 * Sends the Events of a process to the API server (`events.k8s.io/v1`), beside everything else: who
 * records one never waits, and nothing is thrown.
 *
 * - The same Event within 6 minutes of the last time is counted in the `series` of the one that was
 *   sent: at its first repetition, then every 30 minutes, and when it has not come for 6 minutes. The
 *   version of its object does not make it another.
 * - Ten that differ only in their notes within 600 s, and those that follow, are one, whose note begins
 *   with `(combined from similar events): `.
 * - A source may begin 25 Events about one object at once, then one in 300 s.
 * - What fails in transport, or with a 429 or 5xx, is sent again after 10 s, 11 times; another refusal is
 *   final. At most 1,000 wait.
 *
 * What is dropped is counted in `chancery_events_dropped_total`, and logged once a minute.
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

  /** A recorder for one part of the process, `chancery.dev/NAME` as `reportingController`. */
  for(controller: string): EventRecorder {
    return {
      record: (note) => {
        try {
          this.#record(controller, note);
        } catch (error) {
          // The caller may be a module that no compiler has seen.
          this.#drops.count(controller, 'invalid', error);
        }
      },
    };
  }

  /** Takes no more; resolves when the rest is sent or dropped, after `limitMs` at the latest. */
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
      log.warn({ controller, field }, 'event has a field that the API does not take, it is mended');
    });
  }

  #begin(key: string, controller: string, facts: EventFacts): void {
    const { clock } = this.#options;
    const source = `${facts.reportingController} ${nameOfReference(facts.regarding)}`;
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

  /** Tells of what has been counted; what follows is another series. */
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
