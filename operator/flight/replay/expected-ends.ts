import type { OutcomeLine } from '../record-line.ts';
import type { Departures } from './departures.ts';
import { endDifference, lateWriteMissing } from './outcome-difference.ts';
import type { RecordedAttempt, RecordedExchange } from './recorded/recorded-run.ts';
import type { ReplayedAttempt } from './replayed-attempt.ts';

/**
 * An attempt in the replay may end this many milliseconds after its recorded end. A write may come this many
 * milliseconds after its recorded time.
 */
const END_MS = 5_000;

/**
 * Checks that attempts end in the replay as in the record, and that the replay makes the recorded writes that
 * the code did not await.
 */
export class ExpectedEnds {
  readonly #departures: Departures;
  readonly #hasMade: (exchange: RecordedExchange) => boolean;
  #attempts: { readonly attempt: ReplayedAttempt; readonly outcome: OutcomeLine }[] = [];
  #lateWrites: { readonly attempt: RecordedAttempt; readonly exchange: RecordedExchange }[] = [];

  /** @param hasMade - returns true for a recorded request that the replay has made as well. */
  constructor(departures: Departures, hasMade: (exchange: RecordedExchange) => boolean) {
    this.#departures = departures;
    this.#hasMade = hasMade;
  }

  attempt(attempt: ReplayedAttempt, outcome: OutcomeLine): void {
    this.#attempts.push({ attempt, outcome });
  }

  lateWrite(attempt: RecordedAttempt, exchange: RecordedExchange): void {
    this.#lateWrites.push({ attempt, exchange });
  }

  /** Forgets attempts that were stopped, and for this reason do not end. */
  forgetAttempts(): void {
    this.#attempts = [];
  }

  /**
   * Adds a difference for each attempt that has not ended in time, and for each write that was not made in
   * time.
   */
  check(now: number): void {
    const departures = this.#departures;
    this.#attempts = this.#attempts.filter(({ attempt, outcome }) => {
      if (attempt.hasEnded || attempt.hasLeft || attempt.isAbandoned) return false;
      if (now - outcome.at < END_MS) return true;
      departures.add(endDifference(attempt, outcome), attempt);
      return false;
    });
    this.#lateWrites = this.#lateWrites.filter(({ attempt, exchange }) => {
      if (this.#hasMade(exchange)) return false;
      if (now - exchange.request.at < END_MS) return true;
      departures.add(lateWriteMissing(attempt, exchange));
      return false;
    });
  }
}
