import { LeadershipLostError, OperatorError } from '../../core/errors.ts';
import {
  isApplyConflict,
  isNamespaceTerminating,
  isUidMismatch,
  type Refusal,
  refusalOf,
} from '../../model/refusal.ts';
import { ApiError, isConflict } from '../../model/status.ts';
import { BeingDeletedError, TerminalError } from '../errors.ts';
import { AWAIT_CHANGE, type Result } from '../reconciler.ts';

/** What a thrown value says about the attempt that it ended. */
export interface Failure {
  /**
   * `terminal`: do not retry. `conflict`: a lost race, which is how optimistic concurrency works.
   * `panic`: a programming error, so that a person must act. `failed`: anything else.
   */
  readonly kind: 'terminal' | 'conflict' | 'panic' | 'failed';
  readonly error: Error;
  /** The server asked for at least so much patience, in milliseconds. */
  readonly atLeastMs: number;
  /** Why the API server refused a write, where that is what failed. */
  readonly refusal: Refusal | undefined;
}

/** A reconciler returned what is no Result: a bug in it, which types would have found. */
class NonsenseResultError extends OperatorError {
  override readonly name = 'NonsenseResultError';

  constructor(returned: string) {
    super(
      `reconcile returned ${returned}: return AWAIT_CHANGE, or { requeueAfterMs } in milliseconds`,
      {
        code: 'USER_CODE',
        layer: 'user-code',
        context: { returned },
      },
    );
  }
}

/** What the language throws by itself, and what the toolkit throws about a reconciler's code. */
const PROGRAMMING_ERRORS = [
  TypeError,
  ReferenceError,
  RangeError,
  SyntaxError,
  EvalError,
  URIError,
  NonsenseResultError,
];

/** Tells kinds of failure apart; the controller treats each in its own way. */
export function failureOf(thrown: unknown): Failure {
  if (!(thrown instanceof Error)) {
    const error = new OperatorError('a reconciler threw what is no Error', {
      code: 'USER_CODE',
      layer: 'user-code',
      cause: thrown,
      context: { thrown: typeof thrown },
    });
    return { kind: 'panic', error, atLeastMs: 0, refusal: undefined };
  }
  const refusal = refusalOf(thrown);
  return { kind: kindOf(thrown), error: thrown, atLeastMs: patienceFor(thrown), refusal };
}

/** Nothing tells when a namespace is gone; what is in it, and all that it could be, waits so long. */
const NAMESPACE_PATIENCE_MS = 60_000;

function patienceFor(error: Error): number {
  if (isNamespaceTerminating(error)) return NAMESPACE_PATIENCE_MS;
  if (error instanceof ApiError || error instanceof BeingDeletedError) {
    return error.retryAfterMs ?? 0;
  }
  return 0;
}

/**
 * Somebody else was faster, or is about to be done. A field that another manager has is no race: it
 * stays that way until a person decides.
 */
function isLostRace(error: Error): boolean {
  return (
    (isConflict(error) && !isApplyConflict(error)) ||
    isUidMismatch(error) ||
    isNamespaceTerminating(error) ||
    error instanceof BeingDeletedError
  );
}

function kindOf(error: Error): Failure['kind'] {
  if (error instanceof TerminalError) return 'terminal';
  if (isLostRace(error)) return 'conflict';
  return PROGRAMMING_ERRORS.some((type) => error instanceof type) ? 'panic' : 'failed';
}

/** A process that does not lead any more could not go on; whatever the failure is said to be. */
export function isLeadershipLost(thrown: unknown): boolean {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 10; depth++) {
    if (error instanceof LeadershipLostError) return true;
    error = error.cause;
  }
  return false;
}

/** What whoever wrote the reconciler can do about a failure; undefined when the error says it. */
export function remedyFor(error: Error): string | undefined {
  if (error instanceof TypeError && FROZEN.test(error.message)) {
    return 'cached objects are frozen, copy one to change it: structuredClone(object), or store.get(key, { copy: true })';
  }
  return undefined;
}

/** What V8 says about a change of a frozen object or array. */
const FROZEN = /read only property|object is not extensible|^Cannot (delete|redefine) property/;

/**
 * What a reconciler returned, as a Result; nothing, which JavaScript returns by itself, is AWAIT_CHANGE.
 *
 * @throws NonsenseResultError `USER_CODE` that says what it is instead.
 */
export function checkedResult(returned: unknown): Result {
  if (returned === undefined) return AWAIT_CHANGE;
  if (typeof returned !== 'object' || returned === null || Array.isArray(returned)) {
    throw new NonsenseResultError(describe(returned));
  }
  const { requeueAfterMs, priority, refusal, ...unknown } = returned as Record<string, unknown>;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new NonsenseResultError(`an object with a field ${name}`);
  if (requeueAfterMs !== undefined && !isDelay(requeueAfterMs)) {
    throw new NonsenseResultError(`requeueAfterMs: ${describe(requeueAfterMs)}`);
  }
  if (refusal !== undefined && !isRefusal(refusal)) {
    throw new NonsenseResultError(
      `refusal: ${describe(refusal)}, which \`retryRefused\` has not made`,
    );
  }
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    throw new NonsenseResultError(`priority: ${describe(priority)}, which is no whole number`);
  }
  return returned as Result;
}

/** Infinity is a long time: never. */
function isDelay(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Without what is in it: a reconciler may have returned a Secret. */
function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
