import { conditionsOf, statusOf } from '../controller/object-shape/condition-list.ts';
import { isLostRace } from '../controller/run/failure.ts';
import { OperatorError } from '../core/errors.ts';
import { isMapping, type Mapping } from '../core/mapping.ts';
import { visibleText } from '../core/text/visible-text.ts';
import { findCondition, setCondition, type WantedCondition } from '../model/condition.ts';
import type { KubernetesObject } from '../model/object.ts';
import { isForbidden, isInvalid, isUndeclaredField } from '../model/refusal.ts';
import { ApiError } from '../model/status.ts';
import { knownPart, type StatusFields } from '../model/status-fields.ts';

/** Maximum length of a condition's message, which is meant for people. */
const MAX_MESSAGE_CHARS = 1_024;

/**
 * True for failures that a retry resolves: concurrent writes, caches that are not ready, and a hook that is
 * to be called later.
 */
export function isQuiet(error: unknown): boolean {
  return isLostRace(error) || reasonIn(error) === 'TooManyRequests';
}

/** The reason of a condition: a CamelCase word for programs. */
export function reasonOf(error: unknown): string {
  if (isUndeclaredField(error) || isStrictlyRefused(error)) return 'UndeclaredField';
  const own = reasonIn(error);
  if (own !== undefined) return own;
  if (isForbidden(error)) return 'Forbidden';
  if (isInvalid(error)) return 'Invalid';
  if (!(error instanceof OperatorError)) return 'InternalError';
  if (error.code === 'ALREADY_OWNED') return 'AlreadyOwned';
  return error.code === 'USER_CODE' ? 'InvalidAnswer' : 'SyncFailed';
}

/**
 * The message for people, on one line and safe for a terminal, because a hook may have written some of it.
 */
export function publicMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : 'a function threw what is no Error';
  const visible = visibleText(`${text}${factsOf(error)}`).replace(/[\t\n]+/g, ' ');
  return visible.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}

/**
 * The details of an error about a refused answer, such as the name of the child. Errors of a special class
 * already contain the child in their message.
 */
function factsOf(error: unknown): string {
  const isPlain = error instanceof OperatorError && error.constructor === OperatorError;
  if (!isPlain || error.code !== 'USER_CODE') return '';
  const facts = Object.entries(error.context).map(([name, value]) => `${name} ${value}`);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

/**
 * The type of the condition that reports a failure for an object. A decorated object belongs to other writers
 * and may have several decorators, so its condition type contains the name of the decorator.
 */
export function failureType(decorator?: string): string {
  return decorator === undefined ? 'Synced' : `${decorator}/Synced`;
}

interface FailureStamp {
  readonly fields: StatusFields | undefined;
  readonly nowMs: number;
  /** Default: the condition type of composites. */
  readonly type?: string;
}

/**
 * Adds to `status` the condition that describes how the sync failed. If the condition has not changed, its
 * times stay the same.
 */
export function withFailure(
  status: Mapping,
  parent: KubernetesObject,
  error: unknown,
  { fields, nowMs, type = failureType() }: FailureStamp,
): Mapping {
  const known = findCondition(conditionsOf(statusOf(parent)), type);
  const { generation } = parent.metadata;
  const wanted: WantedCondition = {
    ...{ type, status: 'False', reason: reasonOf(error), message: publicMessage(error) },
    ...(generation !== undefined && { observedGeneration: generation }),
  };
  const [stamped = wanted] = setCondition(known === undefined ? [] : [known], wanted, nowMs);
  const condition = fields === undefined ? stamped : knownPart(stamped, fields);
  const others = conditionsOf(status).filter((each) => each.type !== type);
  return { ...status, conditions: [...others, condition] };
}

/**
 * `status` without the failure condition, which a function may have copied from the object. A function may
 * also return a condition of that type with another meaning, but not with the status `False`.
 */
export function withoutFailure(status: Mapping, type: string): Mapping {
  const { conditions, ...rest } = status;
  if (!Array.isArray(conditions)) return status;
  const others = conditions.filter(
    (each) => !isMapping(each) || each.type !== type || each.status !== 'False',
  );
  return others.length === 0 ? rest : { ...rest, conditions: others };
}

/**
 * True if the API server has refused an unknown field. It does so in development, because clients then
 * request it.
 */
function isStrictlyRefused(error: unknown): boolean {
  return error instanceof ApiError && error.message.includes('unknown field');
}

function reasonIn(error: unknown): string | undefined {
  if (!(error instanceof OperatorError) || !('reason' in error)) return undefined;
  const { reason } = error;
  return typeof reason === 'string' && /^[A-Z][A-Za-z]*$/.test(reason) ? reason : undefined;
}
