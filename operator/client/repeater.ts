import { NEVER_ABORTED } from '../core/abort.ts';
import { exponentialBackoff } from '../core/backoff.ts';
import { type Clock, sleep } from '../core/clock.ts';
import { AmbassadorError, LeadershipLostError } from '../core/errors.ts';
import { type Labels, type Meter, noMeter } from '../core/metrics.ts';
import { ApiError, isDisruptionRefused } from '../model/status.ts';

export interface RepeaterOptions {
  readonly clock: Clock;
  /**
   * How long after its beginning a call may still be repeated. Default 10 s: a restarted
   * `kubectl proxy`, a GOAWAY and a server that is busy for a moment are over by then. What lasts
   * longer is the caller's: a controller's back-off holds back one key and lets the others go on.
   */
  readonly budgetMs?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Counts repetitions, as `rest_client_request_retries_total{code,verb,host}`. */
  readonly meter?: Meter;
  /** Label `host`: the authority of the ambassador's URL. Default empty. */
  readonly host?: string;
}

export const DEFAULT_RETRY_BUDGET_MS: number = 10_000;

/** What is known about a call, for a decision to make it again. */
export interface Repetition<T> {
  /** The HTTP method, a label of the measurements. */
  readonly verb: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Whether to make it again when it may have been carried out. */
  readonly afterUnknown: boolean;
  /**
   * What a refusal means that follows an outcome unknown: a call that was carried out is refused the
   * second time. The call's result, or undefined when the refusal stands.
   */
  readonly settle?: (refusal: ApiError) => Promise<{ readonly value: T } | undefined>;
}

/** Each delay is stretched by up to this part, so that a crowd that was refused comes back spread. */
const JITTER = 0.2;

const BROKEN = { initialMs: 100, maxMs: 30_000, factor: 2 } as const;
const BUSY = { initialMs: 500, maxMs: 30_000, factor: 2 } as const;

/** Makes calls, again where that is safe and there is time left. */
export class Repeater {
  readonly #clock: Clock;
  readonly #budgetMs: number;
  readonly #random: () => number;
  readonly #meter: Meter;
  readonly #host: string;

  constructor({
    clock,
    budgetMs = DEFAULT_RETRY_BUDGET_MS,
    random = Math.random,
    meter = noMeter,
    host = '',
  }: RepeaterOptions) {
    this.#clock = clock;
    this.#budgetMs = budgetMs;
    this.#random = random;
    this.#meter = meter;
    this.#host = host;
  }

  /**
   * What `attempt` resolves to, in the end.
   *
   * @throws its last failure, unless an earlier one left the outcome unknown: then that one, because
   *   `fate: 'not-sent'` would be untrue of the whole; a LeadershipLostError always, which says nothing
   *   of that; `signal.reason` when aborted.
   */
  async run<T>(
    attempt: () => Promise<T>,
    repetition: Repetition<T>,
    signal: AbortSignal = NEVER_ABORTED,
  ): Promise<T> {
    const untilMs = this.#clock.monotonic() + this.#budgetMs;
    const delayAfter = this.#delays(repetition.afterUnknown);
    let unknown: AmbassadorError | undefined;
    for (;;) {
      try {
        return await attempt();
      } catch (error) {
        if (signal.aborted) throw error;
        const delayMs = delayAfter(error);
        if (unknown !== undefined && delayMs === undefined && error instanceof ApiError) {
          return await settled(error, unknown, repetition, signal);
        }
        if (isUnknown(error)) unknown = error;
        if (delayMs === undefined || this.#clock.monotonic() + delayMs > untilMs) {
          throw error instanceof LeadershipLostError ? error : (unknown ?? error);
        }
        this.#meter.count('rest_client_request_retries_total', this.#labels(repetition, error));
        await sleep(this.#clock, delayMs, signal);
      }
    }
  }

  /** How long to wait after each failure of one call; undefined for never again. */
  #delays(afterUnknown: boolean): (error: unknown) => number | undefined {
    const broken = exponentialBackoff(BROKEN);
    const busy = exponentialBackoff(BUSY);
    const spread = (delayMs: number): number => delayMs * (1 + JITTER * this.#random());
    return (error) => {
      if (error instanceof AmbassadorError) {
        if (error.code === 'AMBASSADOR_FORBIDDEN') return undefined;
        if (error.fate === 'unknown' && !afterUnknown) return undefined;
        return spread(broken.nextMs());
      }
      if (!isBusy(error)) return undefined;
      return spread(error.retryAfterMs ?? busy.nextMs());
    };
  }

  #labels({ verb }: Repetition<unknown>, error: unknown): Labels {
    const code = error instanceof ApiError ? String(error.status) : '<error>';
    return { code, verb, host: this.#host };
  }
}

async function settled<T>(
  refusal: ApiError,
  unknown: AmbassadorError,
  { settle }: Repetition<T>,
  signal: AbortSignal,
): Promise<T> {
  let result: { readonly value: T } | undefined;
  try {
    result = await settle?.(refusal);
  } catch {
    signal.throwIfAborted();
    throw unknown; // nobody could be asked what became of it
  }
  if (result === undefined) throw refusal;
  return result.value;
}

function isUnknown(error: unknown): error is AmbassadorError {
  return error instanceof AmbassadorError && error.fate === 'unknown';
}

/** The server sheds load before it handles a request. A disruption budget is no load. */
function isBusy(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    (error.status === 429 || error.status === 503) &&
    !isDisruptionRefused(error)
  );
}
