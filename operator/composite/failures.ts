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

/** A condition holds no more: the message is for people. */
const MAX_MESSAGE_CHARS = 1_024;

/** True for failures that pass by themselves: lost races, caches that are not ready, a hook that asks for patience. */
export function isQuiet(error: unknown): boolean {
  return isLostRace(error) || reasonIn(error) === 'TooManyRequests';
}

/** A CamelCase word for programs: the reason of a condition. */
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

/** What people are told: on one line, and safe on a terminal, because a hook may have written a part of it. */
export function publicMessage(error: unknown): string {
  const text = error instanceof Error ? error.message : 'a function threw what is no Error';
  const visible = visibleText(`${text}${factsOf(error)}`).replace(/[\t\n]+/g, ' ');
  return visible.slice(0, MAX_MESSAGE_CHARS).toWellFormed();
}

/** Which child an answer was refused for. Errors with a class of their own say so in their message. */
function factsOf(error: unknown): string {
  const isPlain = error instanceof OperatorError && error.constructor === OperatorError;
  if (!isPlain || error.code !== 'USER_CODE') return '';
  const facts = Object.entries(error.context).map(([name, value]) => `${name} ${value}`);
  return facts.length === 0 ? '' : ` (${facts.join(', ')})`;
}

/**
 * The type of the condition by which a controller states that it failed for an object. A decorated object belongs to
 * others, and may have several decorators: so the type has the name of the decorator.
 */
export function failureType(decorator?: string): string {
  return decorator === undefined ? 'Synced' : `${decorator}/Synced`;
}

interface FailureStamp {
  readonly fields: StatusFields | undefined;
  readonly nowMs: number;
  /** Default: that of a composite. */
  readonly type?: string;
}

/** `status` with the condition that says how the sync failed. The times of an unchanged condition stay. */
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
 * `status` without the condition of a failure. A function may have copied it from the object; it may also state a
 * condition of that type for purposes of its own, but not that one has failed.
 */
export function withoutFailure(status: Mapping, type: string): Mapping {
  const { conditions, ...rest } = status;
  if (!Array.isArray(conditions)) return status;
  const others = conditions.filter(
    (each) => !isMapping(each) || each.type !== type || each.status !== 'False',
  );
  return others.length === 0 ? rest : { ...rest, conditions: others };
}

/** In development the server is asked to refuse fields that it does not know. */
function isStrictlyRefused(error: unknown): boolean {
  return error instanceof ApiError && error.message.includes('unknown field');
}

function reasonIn(error: unknown): string | undefined {
  if (!(error instanceof OperatorError) || !('reason' in error)) return undefined;
  const { reason } = error;
  return typeof reason === 'string' && /^[A-Z][A-Za-z]*$/.test(reason) ? reason : undefined;
}
