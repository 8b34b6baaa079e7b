import type { Attempt, AttemptEnd } from '../../controller/run/middleware.ts';
import type { Clock } from '../../core/clock.ts';
import { OperatorError } from '../../core/errors.ts';
import { ApiError } from '../../model/status.ts';
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

/**
 * An error in words without secrets, because the status page is open to the Pod's network: the
 * class, and of the toolkit's errors code and layer; of an answer of the API server status and reason.
 *
 * Messages are left out, those of the toolkit's classes, too: the API server and the ambassador quote
 * values in them, and a reconciler writes its own into a `TerminalError`. The log has them.
 */
export function errorWords(error: unknown): string {
  if (error instanceof ApiError) return `${error.status} ${word(error.reason, '')}`.trim();
  if (!(error instanceof Error)) return typeof error;
  const name = word(error.name, 'Error');
  return error instanceof OperatorError ? `${name} ${error.code} (${error.layer})` : name;
}

/** Names and reasons are words, but user code and webhooks may put any text there. */
function word(text: unknown, otherwise: string): string {
  return typeof text === 'string' && /^[A-Za-z][A-Za-z0-9]{0,63}$/.test(text) ? text : otherwise;
}

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
