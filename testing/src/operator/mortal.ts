import type { Clock } from 'chancery';
import type { Cancel, TransportRequest, TransportResponse } from 'chancery/internal';
import type { Transport } from 'chancery/low-level';

/** A clock that can be killed. After that, none of its timers fires, like in a killed process. */
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

/** Never settles. Only code of a killed operator awaits this promise, and that code is garbage-collected. */
const NEVER: Promise<never> = new Promise(() => {});

/**
 * A transport that can be killed. Its connections then break, and nothing more is sent or answered.
 */
export class MortalTransport implements Transport {
  readonly #transport: Transport;
  #dead = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  async send(request: TransportRequest): Promise<TransportResponse> {
    if (this.#dead) return NEVER;
    try {
      const response = await this.#transport.send(request);
      return await (this.#dead ? NEVER : response);
    } catch (error) {
      if (this.#dead) return NEVER;
      throw error;
    }
  }

  close(): Promise<void> {
    return this.#transport.close();
  }

  async kill(): Promise<void> {
    this.#dead = true;
    await this.#transport.close();
  }
}
