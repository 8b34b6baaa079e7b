import type { Clock } from '../../core/clock.ts';

const MINUTE_MS = 60_000;

/** How many minutes are remembered. */
const MINUTES = 60;

/** Counts by the minute, over the last hour. */
export class MinuteCounts {
  readonly #clock: Clock;
  /** By the minute since the clock's zero, modulo the hour. */
  readonly #counts: number[] = new Array(MINUTES).fill(0);
  #latest: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#latest = this.#minute();
  }

  count(): void {
    this.#advance();
    const at = this.#latest % MINUTES;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  /** One for each minute, the running one last. */
  values(): readonly number[] {
    this.#advance();
    const after = (this.#latest % MINUTES) + 1;
    return [...this.#counts.slice(after), ...this.#counts.slice(0, after)];
  }

  #advance(): void {
    const now = this.#minute();
    const first = Math.max(this.#latest + 1, now - MINUTES + 1);
    for (let minute = first; minute <= now; minute++) this.#counts[minute % MINUTES] = 0;
    this.#latest = now;
  }

  #minute(): number {
    return Math.floor(this.#clock.monotonic() / MINUTE_MS);
  }
}
