import type { Clock } from '../../core/clock.ts';
import type { Meter } from '../../core/metrics.ts';
import type { Log } from '../reconciler.ts';

/**
 * Why an Event was not sent. In the order below: too many Events were waiting; its source sends too many
 * Events about its object; the API refused it; all tries failed; the process ended; its namespace is being
 * deleted; it was malformed.
 */
export type DropReason =
  | 'queue-full'
  | 'rate-limited'
  | 'refused'
  | 'unreachable'
  | 'closed'
  | 'namespace-terminating'
  | 'invalid';

/** Milliseconds between two log lines about the same controller and reason. */
const LINE_EVERY_MS = 60_000;

/** Expected reasons, which are counted without a log line. */
const SILENT: readonly DropReason[] = ['namespace-terminating'];

interface Drops {
  readonly controller: string;
  readonly reason: DropReason;
  atMs: number;
  unreported: number;
}

/** Counts dropped Events, and logs one line a minute per controller and reason. */
export class EventDrops {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #meter: Meter;
  readonly #drops = new Map<string, Drops>();

  constructor({ clock, log, meter }: { clock: Clock; log: Log; meter: Meter }) {
    this.#clock = clock;
    this.#log = log;
    this.#meter = meter;
  }

  count(controller: string, reason: DropReason, err?: unknown): void {
    this.#meter.count('chancery_events_dropped_total', { controller, reason });
    if (SILENT.includes(reason)) return;
    const now = this.#clock.monotonic();
    const of = `${controller} ${reason}`;
    const atMs = Number.NEGATIVE_INFINITY;
    const drops = this.#drops.get(of) ?? { controller, reason, atMs, unreported: 0 };
    drops.unreported++;
    this.#drops.set(of, drops);
    if (now - drops.atMs >= LINE_EVERY_MS) this.#report(drops, now, err);
  }

  /** Logs the drops that have not been logged yet. */
  flush(): void {
    for (const drops of this.#drops.values()) {
      if (drops.unreported > 0) this.#report(drops, this.#clock.monotonic());
    }
  }

  #report(drops: Drops, nowMs: number, err?: unknown): void {
    const { controller, reason, unreported: count } = drops;
    drops.atMs = nowMs;
    drops.unreported = 0;
    const facts = { controller, reason, count, ...(err !== undefined && { err }) };
    this.#log.warn(facts, 'events dropped');
  }
}
