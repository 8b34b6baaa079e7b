import { AmbassadorError, ProtocolError } from '../../core/errors.ts';
import { ApiError, isGone, isTooLargeResourceVersion } from '../../model/status.ts';

/** How a list or a watch ended. */
export type Outcome =
  /** The list failed, or the watch failed before or after the headers of its answer. */
  | { readonly during: 'list' | 'open' | 'stream'; readonly error: unknown }
  /** The server ended the watch normally. */
  | { readonly during: 'stream'; readonly lines: number; readonly livedMs: number }
  /** This process ended the watch, because it was silent for longer than normal. */
  | { readonly during: 'stream'; readonly stalled: true };

/**
 * Number of consecutive failures of each kind. A watch that has worked resets all counters, except the
 * counter for the kind of failure by which it ended.
 */
export interface History {
  readonly expired: number;
  readonly emptyShortWatches: number;
  readonly tooLarge: number;
  readonly serverErrors: number;
  readonly undecodable: number;
}

export const NO_HISTORY: History = Object.freeze({
  expired: 0,
  emptyShortWatches: 0,
  tooLarge: 0,
  serverErrors: 0,
  undecodable: 0,
});

/** Why the list or the watch has ended. Logs and metrics contain the value, so never rename one. */
export type Reason =
  | 'ended' // routine
  | 'ended-at-once'
  | 'expired'
  | 'broken'
  | 'stalled'
  | 'unreachable'
  | 'upstream-unreachable'
  | 'overloaded'
  | 'ahead-of-server'
  | 'server-error'
  | 'unauthorized'
  | 'forbidden'
  | 'filtered'
  | 'unserved'
  | 'unwatchable'
  | 'rejected'
  | 'undecodable'
  | 'not-kubernetes'
  | 'unexpected';

export interface Action {
  /** What to do next. `resume` repeats a list that has failed, or reopens a watch. */
  readonly step: 'resume' | 'relist-fresher' | 'relist-latest';
  /** How to wait before that step. `Pace` defines the lengths of the waits. */
  readonly wait: 'none' | 'backoff' | 'longest' | 'unserved' | 'forbidden' | 'poll';
  /** The minimum time to wait in milliseconds, if the server has requested one; otherwise 0. */
  readonly atLeastMs: number;
  readonly reason: Reason;
}

/**
 * A watch that ends after fewer milliseconds and without a line indicates a problem. client-go uses the same
 * value.
 */
export const SHORT_WATCH_MS = 1_000;

/**
 * Decides what a reflector does after a list or a watch has ended. This is a pure function, and contains the
 * whole policy.
 */
export function classify(outcome: Outcome, history: History): Action {
  if ('stalled' in outcome) return act('resume', 'none', 'stalled');
  if ('lines' in outcome) return classifyEnd(outcome, history);
  const { error } = outcome;
  if (error instanceof ApiError) return classifyStatus(error, outcome.during, history);
  if (error instanceof AmbassadorError) return classifyAmbassador(error);
  if (error instanceof ProtocolError) return classifyProtocol(error, outcome.during, history);
  return act('relist-latest', 'backoff', 'unexpected');
}

function classifyEnd(
  { lines, livedMs }: { readonly lines: number; readonly livedMs: number },
  history: History,
): Action {
  if (lines > 0 || livedMs >= SHORT_WATCH_MS) return act('resume', 'none', 'ended');
  // For resources without a watch cache, the server answers an outdated resourceVersion with an empty watch,
  // not with a 410.
  return history.emptyShortWatches === 0
    ? act('resume', 'backoff', 'ended-at-once')
    : act('relist-latest', 'backoff', 'ended-at-once');
}

/** Number of consecutive server errors after which the resourceVersion is suspected to be the cause. */
const MAX_SERVER_ERRORS = 5;

/**
 * Number of attempts in which a replica of the API server may catch up. After that, a list bypasses the
 * server's cache.
 */
const MAX_TOO_LARGE = 3;

type During = 'list' | 'open' | 'stream';

function classifyStatus(error: ApiError, during: During, history: History): Action {
  const atLeastMs = error.retryAfterMs ?? 0;
  if (isGone(error)) return classifyGone(during, history);
  if (isTooLargeResourceVersion(error)) {
    return history.tooLarge < MAX_TOO_LARGE
      ? act('resume', 'backoff', 'ahead-of-server', atLeastMs)
      : act('relist-latest', 'backoff', 'ahead-of-server');
  }
  switch (error.status) {
    case 401:
      return act('resume', 'backoff', 'unauthorized', atLeastMs);
    case 403:
      return act('resume', 'forbidden', 'forbidden', atLeastMs);
    case 404:
      return act('relist-latest', 'unserved', 'unserved');
    case 405:
      return act('relist-latest', 'poll', 'unwatchable');
    case 429:
    case 503:
      return act('resume', 'backoff', 'overloaded', atLeastMs);
  }
  if (error.status >= 500) {
    // The server answers with a 500 if it did not issue the resourceVersion from which the watch should
    // start.
    if (/resource ?version.*invalid value|invalid.*resource ?version/i.test(error.message)) {
      return act('relist-latest', 'backoff', 'server-error');
    }
    return history.serverErrors < MAX_SERVER_ERRORS
      ? act('resume', 'backoff', 'server-error', atLeastMs)
      : act('relist-fresher', 'backoff', 'server-error', atLeastMs);
  }
  if (error.status >= 400) return act('relist-latest', 'longest', 'rejected');
  return act('relist-fresher', 'backoff', 'server-error');
}

/**
 * The first attempt is a list that the server can answer from its cache, because thousands of watches expire
 * at once when an API server restarts. If the server refuses that list as well, the next list bypasses the
 * cache.
 */
function classifyGone(during: During, { expired }: History): Action {
  if (during === 'list') {
    return act('relist-latest', expired === 1 ? 'none' : 'backoff', 'expired');
  }
  return act('relist-fresher', expired === 0 ? 'none' : 'backoff', 'expired');
}

function classifyAmbassador(error: AmbassadorError): Action {
  switch (error.code) {
    case 'AMBASSADOR_FORBIDDEN':
      return act('resume', 'forbidden', 'filtered');
    case 'AMBASSADOR_UPSTREAM':
      return act('resume', 'backoff', 'upstream-unreachable');
    case 'CONNECTION_LOST':
      return act('resume', 'backoff', 'broken');
    default:
      return act('resume', 'backoff', 'unreachable');
  }
}

function classifyProtocol(error: ProtocolError, during: During, history: History): Action {
  if (error.code === 'NOT_KUBERNETES') return act('resume', 'backoff', 'not-kubernetes');
  if (during === 'list') {
    return act(history.undecodable === 0 ? 'resume' : 'relist-latest', 'backoff', 'undecodable');
  }
  // A line must not be skipped, because its event would never be delivered again. So a failure causes a list.
  // The waits grow, because a line that can never be decoded must not cause one list right after another.
  const waits = ['none', 'backoff', 'longest'] as const;
  return act('relist-latest', waits[Math.min(history.undecodable, 2)] ?? 'longest', 'undecodable');
}

function act(step: Action['step'], wait: Action['wait'], reason: Reason, atLeastMs = 0): Action {
  return { step, wait, atLeastMs, reason };
}

const COUNTERS: Partial<Record<Reason, keyof History>> = {
  expired: 'expired',
  'ended-at-once': 'emptyShortWatches',
  'ahead-of-server': 'tooLarge',
  'server-error': 'serverErrors',
  undecodable: 'undecodable',
};

/**
 * The history after `action` was decided.
 *
 * @param worked - true if the watch that ended had delivered a line, or had lasted for a second.
 */
export function remember(history: History, action: Action, worked: boolean): History {
  const counter = COUNTERS[action.reason];
  const kept = worked ? NO_HISTORY : history;
  return counter === undefined ? kept : { ...kept, [counter]: history[counter] + 1 };
}
