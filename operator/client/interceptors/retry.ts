import { NEVER_ABORTED } from '../../core/abort.ts';
import { exponentialBackoff } from '../../core/backoff.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { AmbassadorError, LeadershipLostError } from '../../core/errors.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { ApiError, isDisruptionRefused } from '../../model/status.ts';
import { type AnswerTo, type Call, HTTP_METHODS, type Interceptor, type Next } from '../call.ts';
import { canBeMadeTwice, outcomeOf } from './retry-outcome.ts';

export interface RetryOptions {
  readonly clock: Clock;
  /**
   * Milliseconds after the start of a call during which the call can be retried. Default 10 s: in that time a
   * `kubectl proxy` restarts, and a GOAWAY or a short overload of the server is over. The caller handles
   * longer failures: for example, a controller's back-off delays one key, and all other keys continue.
   */
  readonly budgetMs?: number;
  /** Uniform numbers in [0, 1). Default `Math.random`. */
  readonly random?: () => number;
  /** Counts retries, as `rest_client_request_retries_total{code,verb,host}`. */
  readonly meter?: Meter;
  /** Label `host`: the authority of the ambassador's URL. Default empty. */
  readonly host?: string;
}

export const DEFAULT_RETRY_BUDGET_MS: number = 10_000;

/**
 * Each delay is extended at random by up to this fraction, so that callers that were refused at the same time
 * do not retry at the same time.
 */
const JITTER = 0.2;

const BROKEN = { initialMs: 100, maxMs: 30_000, factor: 2 } as const;
const BUSY = { initialMs: 500, maxMs: 30_000, factor: 2 } as const;

/**
 * Retries a call if that is safe:
 *
 * - A call that the API server never saw (`fate: 'not-sent'`) is retried after 100 ms, then after twice as
 *   long each time. A refusal by the ambassador's filter is not retried.
 * - A call for which the server was too busy (429, 503) is retried after its `Retry-After`, 60 s at most;
 *   without this header after 0.5 s, then after twice as long each time. A call that a disruption budget
 *   refuses with a 429 is not retried.
 * - A call with an unknown outcome is retried if it can be made twice without harm: a read, an apply, an
 *   update or a patch guarded by a resourceVersion or a `test`, a delete or an eviction of one uid, the
 *   creation of an object with a name. If the first attempt was carried out, the server may refuse the second
 *   attempt for this reason. Then the object is read, and the call succeeds if the object is in the state
 *   that the call requested. The creation of an object with `generateName` is never retried, because it could
 *   make two objects.
 *
 * Delays are extended at random by up to a fifth. If a delay would exceed the budget, the call does not wait,
 * and fails at once with its last failure. The budget limits the waiting and does not cut off an attempt,
 * because the outcome of a write that is cut off is unknown.
 *
 * The call rejects with its last failure. If the outcome of an earlier attempt is unknown, and no later
 * attempt made it known, the call rejects with the AmbassadorError of the earlier attempt: `fate: 'not-sent'`
 * would be wrong for the whole call. A LeadershipLostError is always passed on. After an abort the call
 * rejects with `signal.reason`.
 */
export function retry({
  clock,
  budgetMs = DEFAULT_RETRY_BUDGET_MS,
  random = Math.random,
  meter = noMeter,
  host = '',
}: RetryOptions): Interceptor {
  return (next) => async (call) => {
    const { signal = NEVER_ABORTED } = call.options;
    const untilMs = clock.monotonic() + budgetMs;
    const delayAfter = delaysOf(call, random);
    let unknown: AmbassadorError | undefined;
    for (;;) {
      try {
        return await next(call);
      } catch (error) {
        if (signal.aborted) throw error;
        const delayMs = delayAfter(error);
        if (unknown !== undefined && delayMs === undefined && error instanceof ApiError) {
          return await settled(call, next, { refusal: error, unknown, signal });
        }
        if (isUnknown(error)) unknown = error;
        if (delayMs === undefined || clock.monotonic() + delayMs > untilMs) {
          throw error instanceof LeadershipLostError ? error : (unknown ?? error);
        }
        const code = error instanceof ApiError ? String(error.status) : '<error>';
        const labels = { code, verb: HTTP_METHODS[call.verb], host };
        meter.count('rest_client_request_retries_total', labels);
        await sleep(clock, delayMs, signal);
      }
    }
  };
}

/**
 * Returns a function that returns the milliseconds to wait after each failure of `call`. It returns undefined
 * if the call is not retried after this failure.
 */
function delaysOf(call: Call, random: () => number): (error: unknown) => number | undefined {
  const broken = exponentialBackoff(BROKEN);
  const busy = exponentialBackoff(BUSY);
  const spread = (delayMs: number): number => delayMs * (1 + JITTER * random());
  return (error) => {
    if (error instanceof AmbassadorError) {
      if (error.code === 'AMBASSADOR_FORBIDDEN') return undefined;
      if (error.fate === 'unknown' && !canBeMadeTwice(call)) return undefined;
      return spread(broken.nextMs());
    }
    if (!isBusy(error)) return undefined;
    return spread(error.retryAfterMs ?? busy.nextMs());
  };
}

interface Doubt {
  /** The error with which the server refused a retry. */
  readonly refusal: ApiError;
  /** The failure of an earlier attempt whose outcome is unknown. */
  readonly unknown: AmbassadorError;
  readonly signal: AbortSignal;
}

/**
 * The answer to a call that an earlier attempt carried out.
 *
 * @throws the refusal, if no earlier attempt carried out the call.
 */
async function settled(
  call: Call,
  next: Next,
  { refusal, unknown, signal }: Doubt,
): Promise<AnswerTo<Call>> {
  let outcome: Awaited<ReturnType<typeof outcomeOf>>;
  try {
    outcome = await outcomeOf(call, refusal, next);
  } catch {
    signal.throwIfAborted();
    throw unknown; // the object could not be read
  }
  if (outcome === undefined) throw refusal;
  return outcome.answer;
}

function isUnknown(error: unknown): error is AmbassadorError {
  return error instanceof AmbassadorError && error.fate === 'unknown';
}

/**
 * True if the server refuses load before it handles a request. False for the refusal of a disruption budget.
 */
function isBusy(error: unknown): error is ApiError {
  return (
    error instanceof ApiError &&
    (error.status === 429 || error.status === 503) &&
    !isDisruptionRefused(error)
  );
}
