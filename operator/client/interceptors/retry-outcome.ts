import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject, ObjectMeta, Target } from '../../model/object.ts';
import { type ApiError, isAlreadyExists, isConflict } from '../../model/status.ts';
import {
  type AnswerTo,
  type Call,
  isRead,
  isRemoval,
  type Next,
  type RemoveCall,
  type WriteCall,
} from '../call.ts';
import type { JsonPatchOperation, Patch } from '../client.ts';

/** True if a call can be retried even though its first attempt may have been carried out. */
export function canBeMadeTwice(call: Call): boolean {
  if (isRead(call) || call.verb === 'apply') return true;
  if (isRemoval(call)) return call.options.preconditions?.uid !== undefined;
  if (call.options.dryRun === true) return true; // a dry run stores nothing
  switch (call.verb) {
    case 'create':
      return (call.object.metadata.name ?? '') !== '' && call.options.subresource === undefined;
    case 'update':
      return call.options.force !== true && (call.object.metadata.resourceVersion ?? '') !== '';
    case 'patch':
      return isGuarded(call.patch);
  }
}

/**
 * The answer to `call` if an earlier attempt was carried out, and the retry was refused only for this reason.
 * Undefined if the refusal has another cause. Reads the object if that is needed to decide.
 */
export async function outcomeOf(
  call: Call,
  refusal: ApiError,
  next: Next,
): Promise<{ readonly answer: AnswerTo<Call> } | undefined> {
  if (isRead(call) || call.verb === 'apply') return undefined;
  if (isRemoval(call)) {
    return (await isRemoved(call, refusal, next)) ? { answer: undefined } : undefined;
  }
  if (call.options.dryRun === true || !canFollowFromSuccess(call, refusal)) return undefined;
  const target = 'object' in call ? call.object.metadata : call.target;
  const live = await liveObject(call, target, next);
  return live !== undefined && isAsWanted(live, call) ? { answer: live } : undefined;
}

type SettledWrite = Exclude<WriteCall, { readonly verb: 'apply' }>;

/** True if the server may answer a call with `refusal` because it has already carried out the same call. */
function canFollowFromSuccess({ verb }: SettledWrite, refusal: ApiError): boolean {
  if (verb === 'create') return isAlreadyExists(refusal);
  return isConflict(refusal) || (verb === 'patch' && refusal.status === 422);
}

function isAsWanted(live: KubernetesObject, call: SettledWrite): boolean {
  if (call.verb === 'create') return isOwnCreation(live, call.object);
  if (call.verb === 'patch') return isAsPatched(live, call.patch);
  return isAsUpdated(live, call.object, call.options.subresource);
}

/** True if the object whose uid is in the preconditions of `call` is gone or being deleted. */
async function isRemoved(call: RemoveCall, refusal: ApiError, next: Next): Promise<boolean> {
  if (isNotFound(refusal)) return true;
  if (refusal.status !== 409) return false;
  const live = await liveObject(call, call.target, next);
  const uid = call.options.preconditions?.uid;
  return live?.metadata.uid !== uid || live?.metadata.deletionTimestamp !== undefined;
}

function liveObject(
  { resource, options: { signal } }: Call,
  { namespace, name }: Target,
  next: Next,
): Promise<KubernetesObject | undefined> {
  const target = namespace === undefined ? { name } : { namespace, name };
  return next({ verb: 'find', resource, target, options: { signal } });
}

/**
 * True if `live`, which has the same name as `sent`, was created by the call that sent `sent`. `live` must
 * have all owners of `sent`, by uid, and all its labels. If `sent` has no owners, `live` must contain
 * everything in `sent`.
 */
function isOwnCreation(live: KubernetesObject, sent: KubernetesObject): boolean {
  const owners = sent.metadata.ownerReferences ?? [];
  const liveOwners = new Set((live.metadata.ownerReferences ?? []).map(({ uid }) => uid));
  if (owners.length === 0) return contains(live, sent);
  return (
    owners.every(({ uid }) => liveOwners.has(uid)) &&
    contains(live.metadata.labels ?? {}, sent.metadata.labels ?? {})
  );
}

/** True if `live` is the result of an update that sent `sent`. False if this cannot be known. */
export function isAsUpdated(
  live: KubernetesObject,
  sent: KubernetesObject,
  subresource: string | undefined,
): boolean {
  if (subresource === 'status') return isEqual(statusOf(live), statusOf(sent));
  return subresource === undefined && isEqual(asWritten(live), asWritten(sent));
}

/** True if `live` is the result of `patch`. False if this cannot be known. */
export function isAsPatched(live: KubernetesObject, patch: Patch): boolean {
  if (patch.type === 'json') return patch.body.every((operation) => isDone(live, operation));
  // The result of a strategic patch is not known, because the way in which it merges lists depends on the
  // type of the object.
  return patch.type === 'merge' && contains(live, asWritten(patch.body));
}

/**
 * True if the server would refuse the same patch a second time, so that a retry cannot change anything else.
 */
function isGuarded(patch: Patch): boolean {
  if (patch.type === 'json') return patch.body.some(({ op }) => op === 'test');
  const { metadata } = patch.body as { readonly metadata?: Partial<ObjectMeta> | null };
  return typeof metadata?.resourceVersion === 'string';
}

function isDone(live: KubernetesObject, operation: JsonPatchOperation): boolean {
  const { op, path } = operation;
  if (op === 'test') return true;
  if (op === 'remove') return valueAt(live, path) === undefined;
  if (op !== 'add' && op !== 'replace') return false;
  return isEqual(valueAt(live, path), operation.value);
}

/**
 * The value at a JSON pointer; undefined if there is none. In a list, `-` is the position after the last
 * item, so it never has a value.
 */
function valueAt(root: unknown, pointer: string): unknown {
  const keys = pointer.split('/').slice(1);
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')).reduce(memberOf, root);
}

function memberOf(parent: unknown, key: string): unknown {
  if (Array.isArray(parent)) return /^\d+$/.test(key) ? parent[Number(key)] : undefined;
  return isObject(parent) ? own(parent, key) : undefined;
}

/** The object without the members of metadata that the server sets at each write. */
function asWritten(object: object): object {
  const { metadata, ...rest } = object as { readonly metadata?: object | null };
  const {
    resourceVersion: _resourceVersion,
    managedFields: _managedFields,
    generation: _generation,
    ...kept
  } = (metadata ?? {}) as Readonly<Record<string, unknown>>;
  return { ...rest, metadata: kept };
}

function statusOf(object: object): unknown {
  return (object as { readonly status?: unknown }).status;
}

/** True if `whole` contains all of `part`. As in a merge patch, null in `part` means an absent field. */
function contains(whole: unknown, part: unknown): boolean {
  if (part === null || part === undefined) return whole === null || whole === undefined;
  if (Array.isArray(part)) return isEqual(whole, part);
  if (!isObject(part)) return whole === part;
  const object = whole ?? {};
  if (!isObject(object) || Array.isArray(object)) return false;
  return Object.entries(part).every(([key, value]) => contains(own(object, key), value));
}

function isEqual(a: unknown, b: unknown): boolean {
  if (!isObject(a) || !isObject(b)) return a === b;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) => isEqual(own(a, key), own(b, key)));
}

function own(object: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
