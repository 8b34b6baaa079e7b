import type { Attempt, AttemptEnd } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { errorWords } from './error-words.ts';
import type { RecentReconcile } from './process-status.ts';

/** Maximum number of attempts that the page lists. */
const RECENT = 50;

/** Number of durations kept per controller: enough for a median, few enough to be recent. */
const DURATIONS = 200;

const FAILURES: readonly AttemptEnd['outcome'][] = ['error', 'terminal', 'panic'];

interface Tally {
  reconciles: number;
  errors: number;
  readonly durationsMs: number[];
}

/** Totals of a controller's attempts. */
interface ReconcileTally {
  readonly reconciles: number;
  readonly errors: number;
  readonly medianMs: number | undefined;
  readonly slowestMs: number | undefined;
}

/** Records how attempts ended, in bounded memory. `around` is a `ReconcileMiddleware`. */
export class ReconcileHistory {
  readonly #clock: Clock;
  readonly #recent: (Omit<RecentReconcile, 'at'> & { readonly atMs: number })[] = [];
  readonly #tallies = new Map<string, Tally>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** The latest attempts, newest first. */
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
    const atMs = this.#clock.now(); // formatted only when someone looks
    this.#recent.push({ atMs, controller, key, outcome, durationMs, error: words });
    if (this.#recent.length > RECENT) this.#recent.shift();
  }
}

const MINUTE_MS = 60_000;

/** Number of minutes that are kept. */
const MINUTES = 60;

/** The number of events in each minute of the last hour. */
export class MinuteCounts {
  readonly #clock: Clock;
  /** The index is the number of minutes since the zero of the monotonic clock, modulo 60. */
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

  /** One count per minute, the current minute last. */
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
