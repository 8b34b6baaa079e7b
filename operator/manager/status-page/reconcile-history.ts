import type { Attempt, AttemptEnd } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { errorWords } from './error-words.ts';
import type { RecentReconcile } from './process-status.ts';

/** Attempts that the page lists. */
const RECENT = 50;

/** Attempts of one controller whose durations count: enough for a median, few enough to be recent. */
const DURATIONS = 200;

const FAILURES: readonly AttemptEnd['outcome'][] = ['error', 'terminal', 'panic'];

interface Tally {
  reconciles: number;
  errors: number;
  readonly durationsMs: number[];
}

/** What a controller's attempts have come to. */
interface ReconcileTally {
  readonly reconciles: number;
  readonly errors: number;
  readonly medianMs: number | undefined;
  readonly slowestMs: number | undefined;
}

/** Remembers how attempts ended, in bounded memory. `around` is an `ReconcileMiddleware`. */
export class ReconcileHistory {
  readonly #clock: Clock;
  readonly #recent: (Omit<RecentReconcile, 'at'> & { readonly atMs: number })[] = [];
  readonly #tallies = new Map<string, Tally>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest first. */
  get recent(): readonly RecentReconcile[] {
    return this.#recent
      .toReversed()
      .map(({ atMs, ...reconcile }) => ({ at: new Date(atMs).toISOString(), ...reconcile }));
  }

  tallyOf(controller: string): ReconcileTally {
    const { reconciles = 0, errors = 0, durationsMs = [] } = this.#tallies.get(controller) ?? {};
    const sorted = durationsMs.toSorted((a, b) => a - b);
    const medianMs = sorted[Math.floor(sorted.length / 2)];
    return { reconciles, errors, medianMs, slowestMs: sorted.at(-1) };
  }

  async around(attempt: Attempt, next: () => Promise<AttemptEnd>): Promise<AttemptEnd> {
    const end = await next();
    this.#remember(attempt, end);
    return end;
  }

  #remember({ controller, key }: Attempt, { outcome, durationMs, error }: AttemptEnd): void {
    const tally = this.#tallies.get(controller) ?? { reconciles: 0, errors: 0, durationsMs: [] };
    this.#tallies.set(controller, tally);
    tally.reconciles++;
    if (FAILURES.includes(outcome)) tally.errors++;
    tally.durationsMs.push(durationMs);
    if (tally.durationsMs.length > DURATIONS) tally.durationsMs.shift();
    const words = error === undefined ? undefined : errorWords(error);
    const atMs = this.#clock.now(); // a text of it only when somebody looks
    this.#recent.push({ atMs, controller, key, outcome, durationMs, error: words });
    if (this.#recent.length > RECENT) this.#recent.shift();
  }
}
