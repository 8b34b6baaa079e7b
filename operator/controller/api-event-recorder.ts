import type { Client } from '../client/client.ts';
import type { Clock } from '../core/clock.ts';
import { events, type KubernetesEvent } from '../model/builtin.ts';
import { rfc3339Micro } from '../model/condition.ts';
import type { EventNote, EventRecorder } from './event-recorder.ts';
import type { Log, Self } from './reconciler.ts';

/** Repeats within this time say nothing new (client-go's figure for one series). */
const REPEAT_MS = 6 * 60 * 1_000;

/** Different Events remembered for that; client-go keeps as many. */
const MAX_REMEMBERED = 4_096;

/** Events that may wait to be sent; more are dropped, for an outage must not fill memory. */
const MAX_WAITING = 1_000;

const MAX_NOTE_BYTES = 1_024;

/** Room for the suffix: the name of an Event is a DNS subdomain of at most 253 characters. */
const MAX_NAME_PREFIX = 253 - 1 - 16;

export interface ApiEventRecorderOptions {
  readonly client: Client;
  readonly clock: Clock;
  /** Named as `reportingController`, e.g. `chancery.dev/config-restart`. */
  readonly reportingController: string;
  readonly self: Self;
  readonly log: Log;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
}

/** How many names fit into a millisecond: a name carries the time in nanoseconds. */
const NAMES_PER_MS = 1_000_000;

/** Sends Events to the API server, one after the other, beside everything else. */
export class ApiEventRecorder implements EventRecorder {
  readonly #options: ApiEventRecorderOptions;
  /** When each Event was sent last, by what makes it the same; oldest first. */
  readonly #sentAt = new Map<string, number>();
  readonly #waiting: EventNote[] = [];
  #sending: Promise<void> | undefined;
  #sequence: number;
  readonly #stop = new AbortController();

  constructor(options: ApiEventRecorderOptions) {
    this.#options = options;
    const { random = Math.random } = options;
    // Somewhere: two recorders, of one process or of two, may speak of one object at one time.
    this.#sequence = Math.floor(random() * NAMES_PER_MS);
  }

  record(event: EventNote): void {
    try {
      this.#enqueue(event);
    } catch (error) {
      // The caller may be a module that no compiler has seen.
      this.#options.log.warn({ err: error }, 'event not recorded');
    }
  }

  #enqueue(event: EventNote): void {
    if (this.#isRepeat(event) || this.#stop.signal.aborted) return;
    if (this.#waiting.length >= MAX_WAITING) {
      this.#options.log.warn({ reason: event.reason }, 'event dropped, too many are waiting');
      return;
    }
    this.#waiting.push(event);
    this.#sending ??= this.#sendAll();
  }

  /** Resolves when everything recorded so far is sent or dropped, or after `limitMs`. */
  async close(limitMs: number): Promise<void> {
    const cancel = this.#options.clock.schedule(limitMs, () => this.#stop.abort());
    await this.#sending;
    cancel();
    this.#stop.abort();
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      if (this.#stop.signal.aborted) {
        const count = this.#waiting.splice(0).length + 1;
        this.#options.log.warn({ count }, 'events dropped, the time to send them is over');
        break;
      }
      try {
        await this.#send(next);
      } catch (error) {
        this.#options.log.warn({ err: error, reason: next.reason }, 'event not sent');
      }
    }
    this.#sending = undefined;
  }

  async #send({ regarding, type, reason, action, note }: EventNote): Promise<void> {
    const { client, clock, reportingController, self } = this.#options;
    const { apiVersion, kind, metadata } = regarding;
    const { name, namespace, uid, resourceVersion } = metadata;
    const event: KubernetesEvent = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${namePrefix(name)}.${this.#nextSuffix()}`,
        namespace: namespace ?? 'default',
      },
      eventTime: rfc3339Micro(clock.now()),
      reportingController,
      reportingInstance: self.podName ?? 'unknown',
      type,
      reason,
      action,
      note: cut(note, MAX_NOTE_BYTES),
      regarding: {
        apiVersion,
        kind,
        name,
        ...(namespace !== undefined && { namespace }),
        ...(uid !== undefined && { uid }),
        ...(resourceVersion !== undefined && { resourceVersion }),
      },
    };
    await client.create(events, event, { signal: this.#stop.signal });
  }

  /** The time in nanoseconds, as in client-go, and unique where the clock is not. */
  #nextSuffix(): string {
    const nowMs = BigInt(Math.floor(this.#options.clock.now()));
    this.#sequence = (this.#sequence + 1) % NAMES_PER_MS;
    return (nowMs * BigInt(NAMES_PER_MS) + BigInt(this.#sequence)).toString(16);
  }

  #isRepeat({ regarding, type, reason, action, note }: EventNote): boolean {
    const { uid, name, namespace } = regarding.metadata;
    const identity = JSON.stringify([
      uid,
      namespace,
      name,
      regarding.kind,
      type,
      reason,
      action,
      note,
    ]);
    const nowMs = this.#options.clock.monotonic();
    const sentAt = this.#sentAt.get(identity);
    if (sentAt !== undefined && nowMs - sentAt < REPEAT_MS) return true;
    this.#sentAt.delete(identity);
    this.#sentAt.set(identity, nowMs);
    const oldest = this.#sentAt.keys().next();
    if (this.#sentAt.size > MAX_REMEMBERED && !oldest.done) this.#sentAt.delete(oldest.value);
    return false;
  }
}

/** What of an object's name may begin the name of an Event: `system:node` and `a-` may not. */
function namePrefix(name: string): string {
  const prefix = name.slice(0, MAX_NAME_PREFIX).replace(/[-.]+$/, '');
  const isSubdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
  return isSubdomain.test(prefix) ? prefix : 'event';
}

/** `text` in at most `maxBytes` of UTF-8, cut between characters. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}
