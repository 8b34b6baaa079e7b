import type { Client } from '../../client/client.ts';
import { abortable } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { AmbassadorError, ProtocolError } from '../../core/errors.ts';
import { events } from '../../model/builtin.ts';
import { isNotFound } from '../../model/not-found.ts';
import { ApiError, isAlreadyExists } from '../../model/status.ts';
import type { DropReason } from './drops.ts';
import type { EventObjects } from './event-object.ts';
import type { EventSeries } from './series.ts';

/** Maximum number of waiting Events. Further Events are dropped, so that an outage does not fill memory. */
const MAX_WAITING_EVENTS: number = 1_000;

/** The number of tries per Event, and the pause between two tries, both as in client-go. */
const MAX_TRIES = 12;
const RETRY_MS = 10_000;

interface EventSenderOptions {
  readonly client: Pick<Client, 'create' | 'patch'>;
  readonly clock: Clock;
  /** Returns random numbers, uniform in [0, 1). */
  readonly random: () => number;
  readonly objects: EventObjects;
  /** Called when a series is dropped. */
  readonly lost: (series: EventSeries, reason: DropReason, error?: unknown) => void;
}

/** Sends series of Events to the API server in the background, one after the other. */
export class EventSender {
  readonly #options: EventSenderOptions;
  /** The series that wait, in the order of sending. The first one is being sent. */
  readonly #waiting = new Set<EventSeries>();
  #sending: Promise<void> | undefined;
  /** Aborts when the sender closes. Then there are no more pauses between tries. */
  readonly #hurry = new AbortController();
  readonly #stop = new AbortController();

  constructor(options: EventSenderOptions) {
    this.#options = options;
  }

  /** Number of waiting series, including the one that is being sent. */
  get size(): number {
    return this.#waiting.size;
  }

  /** @returns false when too many series are waiting. */
  add(series: EventSeries): boolean {
    if (this.#waiting.has(series)) return true;
    if (this.#waiting.size >= MAX_WAITING_EVENTS) return false;
    this.#waiting.add(series);
    this.#sending ??= this.#sendAll();
    return true;
  }

  /** Resolves when all waiting series are sent or dropped, at the latest after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    this.#hurry.abort();
    const cancel = this.#options.clock.schedule(limitMs, () => this.#stop.abort());
    try {
      if (this.#sending !== undefined) await abortable(this.#sending, this.#stop.signal);
    } catch {
      // The time limit is over. The remaining series are dropped below.
    } finally {
      cancel();
      this.#stop.abort();
    }
    for (const series of this.#waiting) this.#drop(series, 'closed');
  }

  async #sendAll(): Promise<void> {
    for (const series of this.#waiting) {
      while (series.isDue && this.#waiting.has(series)) {
        await this.#send(series);
        if (this.#stop.signal.aborted) return;
      }
      this.#waiting.delete(series);
    }
    this.#sending = undefined;
  }

  /**
   * Sends everything that is due in one series. A repetition that comes meanwhile then does not wait behind
   * other series.
   */
  async #send(series: EventSeries): Promise<void> {
    for (let tries = 1; series.isDue && !this.#stop.signal.aborted; tries++) {
      try {
        await this.#call(series, tries);
        tries = 0;
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        const reason = dropReasonOf(error) ?? (tries >= MAX_TRIES ? 'unreachable' : undefined);
        const isOver = this.#hurry.signal.aborted && tries > 1;
        if (reason !== undefined || isOver) return this.#drop(series, reason ?? 'closed', error);
        await this.#pause(tries, error);
      }
    }
  }

  #drop(series: EventSeries, reason: DropReason, error?: unknown): void {
    if (!this.#waiting.delete(series)) return;
    this.#options.lost(series, reason, error);
  }

  async #call(series: EventSeries, tries: number): Promise<void> {
    const { client, clock, objects } = this.#options;
    const { signal } = this.#stop;
    if (series.isPosted) {
      const { name, namespace } = series.event.metadata;
      const { repetitions } = series;
      const patch = { type: 'merge', body: { series: repetitions } } as const;
      try {
        await client.patch(events, { name, namespace }, patch, { signal });
        series.sent(repetitions.count);
        return;
      } catch (error) {
        if (!isNotFound(error)) throw error;
      }
      series.renew(objects.rename(series.event, clock.now()));
    }
    const { event } = series;
    try {
      await client.create(events, event, { signal });
    } catch (error) {
      if (!(tries > 1 && isAlreadyExists(error))) throw error; // else only an answer was lost
    }
    series.sent(event.series?.count ?? 1);
  }

  async #pause(tries: number, error: unknown): Promise<void> {
    const { clock, random } = this.#options;
    const retryMs = tries === 1 ? random() * RETRY_MS : RETRY_MS;
    const askedMs = (error instanceof ApiError && error.retryAfterMs) || 0;
    await sleep(clock, Math.max(retryMs, askedMs), this.#hurry.signal).catch(() => {});
  }
}

/** The drop reason if another try cannot succeed; undefined if it may succeed. */
function dropReasonOf(error: unknown): DropReason | undefined {
  if (error instanceof ApiError) {
    const causes = error.details.causes ?? [];
    if (causes.some(({ reason }) => reason === 'NamespaceTerminating'))
      return 'namespace-terminating';
    const isPassing = error.status === 429 || error.status >= 500;
    return isPassing ? undefined : 'refused';
  }
  if (error instanceof AmbassadorError) {
    return error.code === 'AMBASSADOR_FORBIDDEN' ? 'refused' : undefined;
  }
  return error instanceof ProtocolError ? undefined : 'refused';
}
