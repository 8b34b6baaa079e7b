import type { Clock } from 'chancery';
import type { Cancel } from 'chancery/internal';

/** A clock that can be stopped for ever: no alarm of it fires any more, as in a killed process. */
export class MortalClock implements Clock {
  readonly #clock: Clock;
  readonly #alarms = new Set<Cancel>();
  #dead = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  now(): number {
    return this.#clock.now();
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  schedule(delayMs: number, wake: () => void): Cancel {
    if (this.#dead) return () => {};
    const cancel = this.#clock.schedule(delayMs, () => {
      this.#alarms.delete(forget);
      wake();
    });
    const forget = (): void => {
      this.#alarms.delete(forget);
      cancel();
    };
    this.#alarms.add(forget);
    return forget;
  }

  kill(): void {
    this.#dead = true;
    for (const cancel of [...this.#alarms]) cancel();
  }
}
