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
  /** The reconciled object, as the attempt was given it. */
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly client: Client;
  /** The field manager of `client`. */
  readonly fieldManager: string;
  readonly memory: AppliedMemory;
  /** Reads a child: from the cache if the controller has one, live otherwise. */
  readonly known: <C extends KubernetesObject>(
    resource: Resource<C>,
    child: KubernetesObject,
  ) => Promise<C | undefined>;
  /**
   * Called before the error is thrown when `by` has the name of the child, so that the key can wait for
   * the end of `by`. Undefined for an object that had the name and is gone by now.
   */
  readonly refused?: (
    resource: Resource,
    child: KubernetesObject,
    by: KubernetesObject | undefined,
  ) => void;
}

/** Creates a child, or makes an existing one as `desired` says: see `ReconcileContext.applyOwned`. */
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
  // Before anything changes: an item that must go would be there beside the one that replaces it.
  const lastWrite = memory.lastWrite(resource, existing);
  if (lastWrite === 'create' || (lastWrite === undefined && !showsAll(existing, child))) {
    const live = await withOwners(client, resource, existing);
    if (live !== undefined) await ownByApplying(client, resource, live, owners);
  }
  const { uid } = existing.metadata;
  const body = { ...child, metadata: { ...child.metadata, uid } };
  const options = { force: force ?? isOurs };
  let answer = await client.applyExisting(resource, body, options);
  // The child of an earlier process or of an earlier manager: the fields are handed over only now.
  if (await ownByApplying(client, resource, answer, owners)) {
    answer = await client.applyExisting(resource, body, options);
  }
  memory.remember(resource, answer, child);
  return answer;
}

/** The whole child, with its owner. */
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

/** Under a name of its own, from which the field manager later takes the fields over. */
function create<C extends KubernetesObject>(
  { client, fieldManager }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
): Promise<C> {
  return client.create(resource, child, { fieldManager: creatorOf(fieldManager) });
}

/**
 * Creates a child that is not known. If an object has its name, that object is found instead.
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
 * Whether the existing object is controlled by the owner. False for an object without a controller, which
 * can be adopted.
 *
 * @throws BeingDeletedError when the object is being deleted, also if the owner controls it.
 * @throws AlreadyOwnedError when it is another owner's, or nobody's and not to be adopted.
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

/** The object with its managedFields, which caches do not keep. Undefined when it is gone. */
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

/** How often another writer may be faster before the attempt fails; client-go's number. */
const MAX_ATTEMPTS = 5;

/** What is in an entry of `metadata.managedFields`: whose it is, and the fields. */
interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly apiVersion?: string;
  readonly subresource?: string;
  readonly time?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

interface FieldOwners {
  /** Whose the fields are to be. */
  readonly fieldManager: string;
  /** Other managers whose fields become its own. */
  readonly formerManagers?: readonly string[];
}

/**
 * The name under which a child of `fieldManager` is created, so that what the creation has stated can
 * be told from what the same controller writes later, by a patch, on purpose. No controller has a `/`
 * in its name.
 */
function creatorOf(fieldManager: string): string {
  return `${fieldManager}/create`;
}

/**
 * Makes the fields that `fieldManager` owns by having created `object` ones that it owns by applying,
 * and so those of former managers.
 *
 * Creating and applying count as two owners, even of one manager. A field that was there from the
 * creation would stay for ever, whatever is applied later, because its creator still wants it; and
 * where the items of a list are told apart by what has changed, as ports are by their numbers, the old
 * item would stay beside the new one, or the server refuse both.
 *
 * @param object - as the server has it, with its managedFields.
 * @returns true when it has changed something; false also when the object is gone.
 * @throws ApiError as the server refuses; `isVersionConflict` when others were faster all the time.
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

/** The managedFields of `object` once all is `fieldManager`'s; undefined when it is so already. */
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
  // Fields of another version of the API may have other names: who states them owns them again.
  const fieldsV1 = given
    .filter(({ apiVersion }) => apiVersion === heir.apiVersion)
    .reduce((all, each) => union(all, each.fieldsV1 ?? {}), heir.fieldsV1 ?? {});
  const rest = entries.filter((each) => each !== own && !given.includes(each));
  return [{ ...heir, fieldsV1 }, ...rest];
}

/**
 * True for what a creation has left by the manager's plain name, as a `client.create` does, if nothing
 * was updated since. The server notes the time of an entry before webhooks are asked, and that of the
 * creation after them.
 */
function isCreation({ operation, time }: ManagedFields, creationTimestamp?: string): boolean {
  if (operation !== 'Update' || time === undefined || creationTimestamp === undefined) return false;
  return Date.parse(time) <= Date.parse(creationTimestamp);
}

/** Both sets of fields: sets are nested objects, whose leaves are empty. */
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
 * Whether this very object is there and stays, asked live. An orphan is adopted by who is there to
 * bring it up: the cache may still show an owner that is gone, and the child would be deleted with it.
 */
export async function isLiveOwner(
  client: Client,
  resource: Resource,
  { metadata: { name, namespace, uid } }: KubernetesObject,
): Promise<boolean> {
  const live = await client.find(resource, { name, namespace });
  return live?.metadata.uid === uid && live?.metadata.deletionTimestamp === undefined;
}
