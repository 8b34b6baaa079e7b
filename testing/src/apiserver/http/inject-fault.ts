import type { Clock } from 'chancery';
import { sleep } from 'chancery/internal-objects';
import { failure } from '../failures/failure.ts';
import type { FaultRule } from '../fault-rules/fault-rule.ts';
import type { Exchange } from './exchange/exchange.ts';

/** The API server's reason for each status code. */
const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  409: 'Conflict',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

/**
 * Applies a rule to a request.
 *
 * @returns false when the request must now be answered normally.
 * @throws ApiError with the failure of the rule, or `signal.reason` when the client disconnects before the
 * failure is due.
 */
export async function injectFault(
  rule: FaultRule,
  exchange: Exchange,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  const { delayMs = 0, status, cutWatch } = rule;
  if (cutWatch !== undefined) {
    exchange.watchCut = { how: cutWatch, afterMs: delayMs };
    return false;
  }
  if (delayMs > 0) await sleep(clock, delayMs, signal);
  if (rule.reset === true) {
    exchange.reset();
    return true;
  }
  if (status === undefined) return false;
  const { reason = REASONS[status], retryAfterSeconds } = rule;
  throw failure({
    code: status,
    ...(reason === undefined ? {} : { reason }),
    message: rule.message ?? `an injected fault${rule.name === undefined ? '' : `: ${rule.name}`}`,
    details: retryAfterSeconds === undefined ? {} : { retryAfterSeconds },
  });
}
