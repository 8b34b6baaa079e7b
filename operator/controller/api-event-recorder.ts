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
}

/** Sends Events to the API server, one after the other, beside everything else. */
export class ApiEventRecorder implements EventRecorder {
  readonly #options: ApiEventRecorderOptions;
  /** When each Event was sent last, by what makes it the same; oldest first. */
  readonly #sentAt = new Map<string, number>();
  readonly #waiting: EventNote[] = [];
  #sending: Promise<void> | undefined;
  #sequence = 0;
  readonly #stop = new AbortController();

  constructor(options: ApiEventRecorderOptions) {
    this.#options = options;
  }

  record(event: EventNote): void {
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
    const suffix = (BigInt(clock.now()) * 1_000_000n + BigInt(this.#sequence++)).toString(16);
    const event: KubernetesEvent = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: {
        name: `${name.slice(0, MAX_NAME_PREFIX)}.${suffix}`,
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

/** `text` in at most `maxBytes` of UTF-8, cut between characters. */
function cut(text: string, maxBytes: number): string {
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return text;
  let end = maxBytes;
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--;
  return bytes.subarray(0, end).toString();
}
