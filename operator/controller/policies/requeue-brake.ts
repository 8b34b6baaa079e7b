import type { Clock } from '../../core/clock.ts';
import type { ObjectKey } from '../../model/object.ts';
import type { AttemptOutcome, KeyPolicy } from './key-gate.ts';

/**
 * A reconciler may request `freely` times in a row that a key is reconciled again in less than `soonMs`. That
 * is enough for a task that is done in several steps. After that the key must wait 10 ms, and each further
 * time twice as long, up to one second. Without this limit, such a key would cause thousands of attempts in
 * that second.
 */
export const REQUEUE_BRAKE = { soonMs: 100, freely: 100, firstMs: 10, lastMs: 1_000 } as const;

/** Minimum milliseconds between two log lines about slowed keys. */
const LINE_MS = 10 * 60_000;

const REMEDY =
  'return nothing, or requeueAfterMs with the time after which there is news, and do work of many steps within one reconcile';

/**
 * Slows down keys for which the reconciler repeatedly requests another attempt at once. A change of an object
 * ends the delay.
 */
export class RequeueBrake implements KeyPolicy {
  readonly name = 'requeue-brake';
  readonly #clock: Clock;
  /**
   * The keys for which the last attempt has requested another attempt soon. These keys are in the queue, so
   * the map has at most as many entries as the queue.
   */
  readonly #asked = new Map<ObjectKey, { inARow: number; untilMs: number }>();
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  changed(key: ObjectKey): void {
    const asked = this.#asked.get(key);
    if (asked !== undefined) asked.untilMs = 0;
  }

  delayMs(key: ObjectKey): number {
    const asked = this.#asked.get(key);
    return asked === undefined ? 0 : Math.max(0, asked.untilMs - this.#clock.monotonic());
  }

  finished(key: ObjectKey, { kind, requeueAfterMs, log }: AttemptOutcome): void {
    if (kind !== 'success' && kind !== 'terminal') return;
    if (requeueAfterMs === undefined || requeueAfterMs >= REQUEUE_BRAKE.soonMs) {
      this.#asked.delete(key);
      return;
    }
    const inARow = (this.#asked.get(key)?.inARow ?? 0) + 1;
    const brakeMs = brakeAfter(inARow);
    this.#asked.set(key, { inARow, untilMs: this.#clock.monotonic() + brakeMs });
    if (brakeMs > 0) this.#tell(brakeMs, log);
  }

  #tell(waitMs: number, log: AttemptOutcome['log']): void {
    const now = this.#clock.monotonic();
    if (now - this.#toldAt < LINE_MS) return;
    this.#toldAt = now;
    log.warn(
      { waitMs, remedy: REMEDY },
      'a key requests an immediate reconcile again and again; it is delayed',
    );
  }
}

function brakeAfter(inARow: number): number {
  const beyond = inARow - REQUEUE_BRAKE.freely;
  if (beyond <= 0) return 0;
  return Math.min(REQUEUE_BRAKE.firstMs * 2 ** (beyond - 1), REQUEUE_BRAKE.lastMs);
}
