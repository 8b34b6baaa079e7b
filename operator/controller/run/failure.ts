import { LeadershipLostError, OperatorError } from '../../core/errors.ts';
import {
  isApplyConflict,
  isNamespaceTerminating,
  isUidMismatch,
  type Refusal,
  refusalOf,
} from '../../model/refusal.ts';
import { ApiError, isConflict, type Status, type StatusCause } from '../../model/status.ts';
import { BeingDeletedError, NotReadyError, TerminalError } from '../errors.ts';

/** A failed attempt, classified by the value that it threw. */
export interface Failure {
  /**
   * `terminal`: do not retry. `conflict`: a concurrent write, or a cache that is still being filled, both of
   * which are normal. `panic`: a programming error, which a person must fix. `failed`: anything else.
   */
  readonly kind: 'terminal' | 'conflict' | 'panic' | 'failed';
  readonly error: Error;
  /** Minimum milliseconds before the retry, as requested by the server or the error. */
  readonly atLeastMs: number;
  /** Why the API server refused a write; undefined when the failure is not a refusal. */
  readonly refusal: Refusal | undefined;
}

/** A reconciler returned a value that is not an Outcome. This is a bug that a type check would have found. */
class NonsenseResultError extends OperatorError {
  override readonly name = 'NonsenseResultError';

  constructor(verb: Verb, returned: string) {
    super(`${verb} returned ${returned}: return nothing, or { requeueAfterMs } in milliseconds`, {
      code: 'USER_CODE',
      layer: 'user-code',
      context: { returned },
    });
  }
}

/**
 * The classes of programming errors: JavaScript's own error classes, and the toolkit's error for a wrong
 * return value of a reconciler.
 */
const PROGRAMMING_ERRORS = [
  TypeError,
  ReferenceError,
  RangeError,
  SyntaxError,
  EvalError,
  URIError,
  NonsenseResultError,
];

/** Classifies a thrown value. The controller treats each kind differently. */
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

/** Minimum milliseconds until a retry, because no event reports that a namespace is gone. */
const NAMESPACE_PATIENCE_MS = 60_000;

function patienceFor(error: Error): number {
  if (isNamespaceTerminating(error)) return NAMESPACE_PATIENCE_MS;
  if (!(error instanceof OperatorError) || !('retryAfterMs' in error)) return 0;
  const { retryAfterMs } = error;
  return Number.isFinite(retryAfterMs) ? Math.max(Number(retryAfterMs), 0) : 0;
}

/**
 * True when another writer was faster, when a deletion is about to finish, or when a cache is still being
 * filled. An apply conflict is not included: another manager keeps the field until a person decides.
 */
export function isLostRace(error: unknown): boolean {
  return (
    (isConflict(error) && !isApplyConflict(error)) ||
    isUidMismatch(error) ||
    isNamespaceTerminating(error) ||
    error instanceof BeingDeletedError ||
    error instanceof NotReadyError
  );
}

function kindOf(error: Error): Failure['kind'] {
  if (error instanceof TerminalError) return 'terminal';
  if (isLostRace(error)) return 'conflict';
  return PROGRAMMING_ERRORS.some((type) => error instanceof type) ? 'panic' : 'failed';
}

/**
 * True when the attempt could not continue because leadership was lost: the error or one of its causes is a
 * LeadershipLostError.
 */
export function isLeadershipLost(thrown: unknown): boolean {
  return causesOf(thrown).some((error) => error instanceof LeadershipLostError);
}

/** Maximum number of errors that are searched for the cause of a failure. */
const MAX_CAUSES = 100;

/** The error, its causes, and the errors inside each AggregateError among them. */
export function causesOf(thrown: unknown): readonly Error[] {
  const found = new Set<Error>();
  const add = (each: unknown): void => {
    if (each instanceof Error && found.size < MAX_CAUSES) found.add(each);
  };
  add(thrown);
  for (const error of found) {
    add(error.cause);
    if (error instanceof AggregateError) error.errors.forEach(add);
  }
  return [...found];
}

/**
 * What the author of the reconciler can do about a failure. Undefined if there is nothing to add to the
 * message of the error.
 */
export function remedyFor(error: Error): string | undefined {
  if (error instanceof TypeError && FROZEN.test(error.message)) {
    return 'cached objects are frozen, copy one to change it: structuredClone(object), or store.get(key, { copy: true })';
  }
  // The displayed message may be cut within the value, before the violated rule.
  if (error instanceof ApiError && causesIn(error.statusWithValues()).some(isUnfitName)) {
    return "childName makes a name or the value of a label that fits from the parent's name";
  }
  return undefined;
}

function causesIn({ details }: Omit<Status, 'kind'>): readonly StatusCause[] {
  return Array.isArray(details?.causes) ? details.causes : [];
}

/** True for a name or a label value that is too long or has invalid characters. */
function isUnfitName(cause: StatusCause): boolean {
  const { field, message } = cause ?? {};
  if (typeof field !== 'string' || typeof message !== 'string') return false;
  return NAMES.test(field) && UNFIT.test(message) && !/(?:name|prefix) part /.test(message);
}

/** Matches the paths of fields that contain the name of an object, or labels. */
const NAMES = /(?:[nN]ame|[lL]abels|[sS]elector)(?:\[.*)?$/;

/**
 * How the API server words its rules for names and values. Rules for label keys begin with the prefix or the
 * name.
 */
const UNFIT =
  /\b(?:must|may) (?:be no|not be) more than \d+ (?:characters|bytes)|RFC 1123|DNS-1035|must not contain dots|a valid label must/;

/** V8's messages for a change of a frozen object or array. */
const FROZEN = /read only property|object is not extensible|^Cannot (delete|redefine) property/;

/** The name of the controller's function that an attempt calls. */
export type Verb = 'reconcile' | 'finalize' | 'gone';

/** An Outcome whose fields are valid. If it has no field, the key waits for a change. */
export interface CheckedOutcome {
  readonly requeueAfterMs?: number | undefined;
  readonly priority?: number | undefined;
  readonly refusal?: Refusal | undefined;
}

/**
 * The return value of `verb` as an Outcome.
 *
 * @throws NonsenseResultError `USER_CODE` that describes a return value that is not an Outcome.
 */
export function checkedOutcome(verb: Verb, returned: unknown): CheckedOutcome {
  if (returned === undefined) return {};
  const nonsense = (what: string): Error => new NonsenseResultError(verb, what);
  if (returned instanceof Error)
    throw nonsense(`the error ${returned.name}, which it should throw`);
  if (!isPlain(returned)) throw nonsense(describe(returned));
  const { requeueAfterMs, priority, refusal, ...unknown } = returned;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw nonsense(`an object with a field ${name}`);
  if (requeueAfterMs !== undefined && !isDelay(requeueAfterMs)) {
    throw nonsense(`requeueAfterMs: ${describe(requeueAfterMs)}`);
  }
  if (refusal !== undefined && !isRefusal(refusal)) {
    throw nonsense(`refusal: ${describe(refusal)}, which \`retryRefused\` has not made`);
  }
  if (priority !== undefined && !Number.isSafeInteger(priority)) {
    throw nonsense(`priority: ${describe(priority)}, which is no whole number`);
  }
  return returned;
}

/** False for a list, a Map, a Date and similar objects, because they have no fields to check. */
function isPlain(value: unknown): value is Readonly<Record<string, unknown>> {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** Infinity is valid and means never. */
function isDelay(value: unknown): boolean {
  return typeof value === 'number' && value >= 0;
}

function isRefusal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'kind' in value;
}

/** Describes a value without its contents, because a reconciler may have returned a Secret. */
function describe(value: unknown): string {
  if (typeof value === 'number') return String(value);
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}
