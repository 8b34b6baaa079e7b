import type { Clock } from 'chancery';
import type { FilterFailure } from './filtered-source.ts';

/** Between two reports of one filter: it may fail for each of many thousand objects. */
const AGAIN_MS = 60_000;

/** What a filter did since its last report. */
export interface FilterReport extends FilterFailure {
  /** Failures since the last report, this one included. */
  readonly count: number;
}

interface Failing {
  failure: FilterFailure;
  count: number;
  reportedAt: number | undefined;
}

/**
 * Failures of filters, told once a minute for each filter. Sources may be read before anybody listens, on a replica
 * that does not lead: then the next listener is told.
 */
export class FilterFailures {
  readonly #failing = new Map<string, Failing>();
  #listener: ((report: FilterReport) => void) | undefined;
  #clock: Clock | undefined;

  /** Called for each failure. */
  readonly add = (failure: FilterFailure): void => {
    const { filter } = failure;
    const known = this.#failing.get(filter) ?? { failure, count: 0, reportedAt: undefined };
    known.failure = failure;
    known.count++;
    this.#failing.set(filter, known);
    this.#tell(known);
  };

  /** Tells `listener` from now on until the result is disposed of. */
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
