import type { Client } from '../../client/client.ts';
import { controllerOf, type KubernetesObject, keyOf } from '../../model/object.ts';
import {
  AlreadyOwnedError,
  controllerReference,
  isControlledBy,
  isSameOwner,
  setControllerReference,
} from '../../model/owner-reference.ts';
import { isUidMismatch, isVersionConflict } from '../../model/refusal.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import { isAlreadyExists, isNotFound } from '../../model/status.ts';
import { BeingDeletedError } from '../errors.ts';
import type { ApplyOwnedOptions, DeleteOwnedOptions, Desired } from '../reconciler.ts';
import { type AppliedMemory, showsAll } from './applied-memory.ts';

export interface OwnerOfChildren {
  /** The reconciled object, as the attempt received it. */
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly client: Client;
  /** The field manager of `client`. */
  readonly fieldManager: string;
  readonly memory: AppliedMemory;
  /** Reads a child: from the cache if the controller has one, otherwise with a request. */
  readonly known: <C extends KubernetesObject>(
    resource: Resource<C>,
    child: KubernetesObject,
  ) => Promise<C | undefined>;
  /**
   * Called when `by` has the name of the child, before the error is thrown, so that the key can wait until
   * `by` is gone. `by` is undefined if the object had the name and is gone by now.
   */
  readonly refused?: (
    resource: Resource,
    child: KubernetesObject,
    by: KubernetesObject | undefined,
  ) => void;
}

/** Creates a child, or changes an existing one to match `desired`: see `ReconcileContext.applyOwned`. */
export async function applyOwned<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  desired: Desired<C>,
  { adopt = false, force, formerManagers = [] }: ApplyOwnedOptions = {},
): Promise<C> {
  const { client, fieldManager, memory } = given;
  const child = childOf(given, resource, desired);
  if ((child.metadata.name ?? '') === '') return create(given, resource, child);
  const known = await given.known(resource, child);
  const found = known === undefined ? await createOrFind(given, resource, child) : { known };
  if ('created' in found) return found.created;
  const existing = found.known;

  const isOurs = requireFree(given, resource, child, existing, adopt);
  if (!isOurs) await requireLiveOwner(given);
  else if (memory.isApplied(resource, existing, child)) return existing;

  const owners = { fieldManager, formerManagers };
  // Take over the fields before the apply: otherwise a removed list item stays beside its replacement.
  const lastWrite = memory.lastWrite(resource, existing);
  if (lastWrite === 'create' || (lastWrite === undefined && !showsAll(existing, child))) {
    const live = await withOwners(client, resource, existing);
    if (live !== undefined) await ownByApplying(client, resource, live, owners);
  }
  const { uid } = existing.metadata;
  const body = { ...child, metadata: { ...child.metadata, uid } };
  const options = { force: force ?? isOurs };
  let answer = await client.applyExisting(resource, body, options);
  // An earlier process or manager created the child: the managedFields are known only from the answer.
  if (await ownByApplying(client, resource, answer, owners)) {
    answer = await client.applyExisting(resource, body, options);
  }
  memory.remember(resource, answer, child);
  return answer;
}

/** The complete child, with its owner reference. */
function childOf<C extends KubernetesObject>(
  { owner, ownerResource }: OwnerOfChildren,
  resource: Resource<C>,
  desired: Desired<C>,
): C {
  const { namespace } = owner.metadata;
  const child = {
    ...desired,
    apiVersion: apiVersionOf(resource),
    kind: resource.kind,
    metadata: {
      ...(resource.namespaced && namespace !== undefined && { namespace }),
      ...desired.metadata,
    },
  } as unknown as C;
  return setControllerReference(owner, child, ownerResource, resource);
}

/** Creates as a separate field manager; the controller's own manager takes the fields over later. */
function create<C extends KubernetesObject>(
  { client, fieldManager }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
): Promise<C> {
  return client.create(resource, child, { fieldManager: creatorOf(fieldManager) });
}

/**
 * Creates a child that is not known. If an object already has its name, returns that object instead.
 *
 * @throws BeingDeletedError when an object had the name and is gone by now.
 */
async function createOrFind<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
): Promise<{ readonly created: C } | { readonly known: C }> {
  try {
    const created = await create(given, resource, child);
    given.memory.rememberCreation(resource, created, child);
    return { created };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { name, namespace } = child.metadata;
    const known = await given.client.find(resource, { name, namespace });
    if (known !== undefined) return { known };
    given.refused?.(resource, child, undefined);
    throw inTheWay(resource, child, error);
  }
}

/**
 * True if the owner controls the existing object; false for an object without a controller that can be
 * adopted.
 *
 * @throws BeingDeletedError when the object is being deleted, even if the owner controls it.
 * @throws AlreadyOwnedError when the object has another controller, or has none and `adopt` is false.
 */
function requireFree<C extends KubernetesObject>(
  { owner, ownerResource, refused }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  existing: C,
  adopt: boolean,
): boolean {
  if (existing.metadata.deletionTimestamp !== undefined) {
    refused?.(resource, child, existing);
    throw inTheWay(resource, child);
  }
  const controller = controllerOf(existing);
  if (controller === undefined && adopt) return false;
  const reference = controllerReference(owner, ownerResource);
  if (controller !== undefined && isSameOwner(controller, reference)) return true;
  refused?.(resource, child, existing);
  throw new AlreadyOwnedError(resource, existing);
}

/** The object with its managedFields, which caches drop. Undefined when the object is gone. */
async function withOwners<C extends KubernetesObject>(
  client: Client,
  resource: Resource<C>,
  known: C,
): Promise<C | undefined> {
  const { managedFields, name, namespace, uid } = known.metadata;
  if (managedFields !== undefined) return known;
  const live = await client.find(resource, { name, namespace });
  return live?.metadata.uid === uid ? live : undefined;
}

async function requireLiveOwner({ client, owner, ownerResource }: OwnerOfChildren): Promise<void> {
  if (await isLiveOwner(client, ownerResource, owner)) return;
  throw new BeingDeletedError('the owner is gone or being deleted: it adopts nothing', {
    context: { owner: keyOf(owner) },
  });
}

function inTheWay(resource: Resource, child: KubernetesObject, cause?: unknown): BeingDeletedError {
  return new BeingDeletedError('a child of that name is being deleted', {
    ...(cause !== undefined && { cause }),
    context: { resource: resourceName(resource), name: keyOf(child) },
  });
}

/** Deletes a child of the owner: see `ReconcileContext.deleteOwned`. */
export async function deleteOwned(
  { owner, client, known: find }: Pick<OwnerOfChildren, 'owner' | 'client' | 'known'>,
  resource: Resource,
  child: { readonly name: string; readonly namespace?: string },
  { propagationPolicy = 'Background' }: DeleteOwnedOptions = {},
): Promise<boolean> {
  const { name, namespace = owner.metadata.namespace } = child;
  const target = { name, ...(resource.namespaced && namespace !== undefined && { namespace }) };
  const { kind } = resource;
  const known = await find(resource, {
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: target,
  });
  if (known?.metadata.uid === undefined || known.metadata.deletionTimestamp !== undefined) {
    return false;
  }
  if (!isControlledBy(known, owner)) return false;
  const { uid } = known.metadata;
  try {
    await client.delete(resource, target, { preconditions: { uid }, propagationPolicy });
    return true;
  } catch (error) {
    if (isNotFound(error) || isUidMismatch(error)) return false;
    throw error;
  }
}

/** Number of tries against other writers before the attempt fails; client-go's number. */
const MAX_ATTEMPTS = 5;

/** One entry of `metadata.managedFields`: a manager and its fields. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

interface FieldOwners {
  /** The manager that gets the fields. */
  readonly fieldManager: string;
  /** Other managers whose fields it takes over. */
  readonly formerManagers?: readonly string[];
}

/**
 * The field manager that creates the children of `fieldManager`. A separate name tells the fields of the
 * creation from fields that the controller patches later on purpose. It never clashes: controller names
 * contain no `/`.
 */
function creatorOf(fieldManager: string): string {
  return `${fieldManager}/create`;
}

/**
 * Hands the fields that `fieldManager` owns by creating `object`, and the fields of former managers, to its
 * apply.
 *
 * The server counts create and apply as two owners, even for one manager. Without this, a field from the
 * creation would stay for ever, because its creator still owns it. In a list whose items are identified by
 * the value that changed, such as ports by their numbers, the old item would stay beside the new one, or
 * the server would refuse both.
 *
 * @param object - as the server has it, with its managedFields.
 * @returns true when it has changed something; false also when the object is gone.
 * @throws ApiError when the server refuses; `isVersionConflict` when other writers won every try.
 */
async function ownByApplying<T extends KubernetesObject>(
  client: Client,
  resource: Resource<T>,
  object: T,
  owners: FieldOwners,
): Promise<boolean> {
  const { name, namespace, uid } = object.metadata;
  let seen: T = object;
  for (let attempt = 1; ; attempt += 1) {
    const managedFields = handedOver(seen, owners);
    if (managedFields === undefined) return false;
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: seen.metadata.resourceVersion },
      { op: 'replace', path: '/metadata/managedFields', value: managedFields },
    ] as const;
    try {
      await client.patch(resource, { name, namespace }, { type: 'json', body });
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      if (!isVersionConflict(error) || attempt >= MAX_ATTEMPTS) throw error;
    }
    const live: T | undefined = await client.find(resource, { name, namespace });
    if (live === undefined || live.metadata.uid !== uid) return false;
    seen = live;
  }
}

/** The managedFields of `object` after the hand-over; undefined when there is nothing to hand over. */
function handedOver(
  { metadata }: KubernetesObject,
  { fieldManager, formerManagers = [] }: FieldOwners,
): readonly ManagedFields[] | undefined {
  const entries = (metadata.managedFields ?? []) as readonly ManagedFields[];
  const whole = entries.filter(({ subresource = '' }) => subresource === '');
  const own = whole.find((each) => each.manager === fieldManager && each.operation === 'Apply');
  const managers = [creatorOf(fieldManager), ...formerManagers];
  const given = whole.filter(
    (each) =>
      each !== own &&
      (managers.includes(each.manager ?? '') ||
        (each.manager === fieldManager && isCreation(each, metadata.creationTimestamp))),
  );
  const last = given.at(-1);
  if (last === undefined) return undefined;
  const heir = own ?? { ...last, manager: fieldManager, operation: 'Apply' };
  // Skip other API versions: their fields may have other names. The next apply claims the fields it states.
  const fieldsV1 = given
    .filter(({ apiVersion }) => apiVersion === heir.apiVersion)
    .reduce((all, each) => union(all, each.fieldsV1 ?? {}), heir.fieldsV1 ?? {});
  const rest = entries.filter((each) => each !== own && !given.includes(each));
  return [{ ...heir, fieldsV1 }, ...rest];
}

/**
 * True for an entry that a creation under the manager's plain name has left, such as by `client.create`, if
 * the manager has updated nothing since. The server sets the time of an entry before it calls webhooks, and
 * the creation time after that.
 */
function isCreation({ operation, time }: ManagedFields, creationTimestamp?: string): boolean {
  if (operation !== 'Update' || time === undefined || creationTimestamp === undefined) return false;
  return Date.parse(time) <= Date.parse(creationTimestamp);
}

/** The union of two sets of fields. A set is nested objects whose leaves are empty. */
function union(
  a: Readonly<Record<string, unknown>>,
  b: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const both: Record<string, unknown> = { ...a };
  for (const [key, value] of Object.entries(b)) {
    both[key] = union((both[key] ?? {}) as typeof both, (value ?? {}) as typeof both);
  }
  return both;
}

/**
 * True if this object (same uid) exists and is not being deleted, by a live read. Checked before an
 * adoption: the cache may still show an owner that is gone, and the child would be deleted with it.
 */
export async function isLiveOwner(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid } }: KubernetesObject,
): Promise<boolean> {
  const live = await client.find(resource, { name, namespace });
  return live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
}
