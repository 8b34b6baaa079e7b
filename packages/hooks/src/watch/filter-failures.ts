import type { Clock } from 'chancery';
import type { FilterFailure } from './filtered-source.ts';

/**
 * Minimum time between two reports of one filter, because it may fail for many thousand objects.
 */
const AGAIN_MS = 60_000;

/** The failures of a filter since they were last reported. */
export interface FilterReport extends FilterFailure {
  /** Number of failures since the last report, including this one. */
  readonly count: number;
}

interface Failing {
  failure: FilterFailure;
  count: number;
  reportedAt: number | undefined;
}

/**
 * Collects failures of filters, and reports each filter at most once a minute. A replica that does
 * not lead also reads sources, but nobody listens to their failures yet. These failures are
 * reported to the first listener.
 */
export class FilterFailures {
  readonly #failing = new Map<string, Failing>();
  #listener: ((report: FilterReport) => void) | undefined;
  #clock: Clock | undefined;

  /** Records one failure. */
  readonly add = (failure: FilterFailure): void => {
    const { filter } = failure;
    const known = this.#failing.get(filter) ?? { failure, count: 0, reportedAt: undefined };
    known.failure = failure;
    known.count++;
    this.#failing.set(filter, known);
    this.#tell(known);
  };

  /** Reports failures to `listener` until the result is disposed. */
  listen(clock: Clock, listener: (report: FilterReport) => void): Disposable {
    this.#clock = clock;
    this.#listener = listener;
    for (const known of this.#failing.values()) if (known.count > 0) this.#tell(known);
    return {
      [Symbol.dispose]: () => {
        this.#listener = undefined;
      },
    };
  }

  #tell(known: Failing): void {
    if (this.#clock === undefined || this.#listener === undefined) return;
    const now = this.#clock.monotonic();
    if (known.reportedAt !== undefined && now - known.reportedAt < AGAIN_MS) return;
    const { failure, count } = known;
    known.reportedAt = now;
    known.count = 0;
    this.#listener({ ...failure, count });
  }
}
