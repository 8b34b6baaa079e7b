import type { Client } from '../../client/client.ts';
import { isNotFound } from '../../model/not-found.ts';
import { controllerOf, type KubernetesObject, keyOf } from '../../model/object.ts';
import {
  AlreadyOwnedError,
  controllerReference,
  isControlledBy,
  isSameOwner,
  setControllerReference,
} from '../../model/owner-reference.ts';
import { isUidMismatch } from '../../model/refusal.ts';
import { apiVersionOf, type Resource, resourceName } from '../../model/resource.ts';
import { isAlreadyExists } from '../../model/status.ts';
import { BeingDeletedError } from '../errors.ts';
import { requireDistinctItems } from '../object-shape/repeated-item.ts';
import { withStoredNames } from '../object-shape/stored-form.ts';
import type { ApplyOwnedOptions, DeleteOwnedOptions, Desired } from '../reconciler.ts';
import { type AppliedMemory, showsAll } from './applied-memory.ts';
import { ownLeftoverDefaults } from './leftover-defaults.ts';
import { creatorOf, ownByApplying, withOwners } from './own-by-applying.ts';
import { isSameContent } from './system-fields.ts';

export interface OwnerOfChildren {
  /** The reconciled object, as the attempt received it. */
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly client: Client;
  /** The name under which fields are owned. */
  readonly fieldManager: string;
  readonly memory: AppliedMemory;
  /** Reads a child: from the cache if the controller has one, otherwise with a request. */
  readonly known: <C extends KubernetesObject>(
    resource: Resource<C>,
    child: KubernetesObject,
  ) => Promise<C | undefined>;
  /**
   * Throws for a child that no source of the controller selects. Called before anything is sent, with the complete
   * child and the existing one.
   */
  readonly requireSelected?: (
    resource: Resource,
    child: KubernetesObject,
    existing: KubernetesObject | undefined,
  ) => void;
  /**
   * Called when `by` has the name of the child, before the error is thrown, so that the key can wait until
   * `by` is gone. `by` is undefined if the object had the name and is gone by now.
   */
  readonly refused?: (
    resource: Resource,
    child: KubernetesObject,
    by: KubernetesObject | undefined,
  ) => void;
  /** Called before an existing child is changed. It throws when the child must stay. */
  readonly aboutToChange?: (() => void) | undefined;
  /** True: children are created by an apply of `fieldManager` itself. */
  readonly createsByApply?: boolean;
}

interface ApplyOptions extends ApplyOwnedOptions {
  /**
   * True: the apply stores nothing. The answer is what the child would be, or the known child when nothing would
   * differ. Fields are handed over all the same, because otherwise a field that is no longer stated would not show.
   */
  readonly dryRun?: boolean;
}

/** Creates a child, or changes an existing one to match `desired`: see `ReconcileContext.applyOwned`. */
export async function applyOwned<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  desired: Desired<C>,
  { adopt = false, force, formerManagers = [], dryRun = false }: ApplyOptions = {},
): Promise<C> {
  const { client, fieldManager, memory } = given;
  const child = childOf(given, resource, desired);
  const isNamed = (child.metadata.name ?? '') !== '';
  const known = isNamed ? await given.known(resource, child) : undefined;
  given.requireSelected?.(resource, child, known);
  if (!isNamed) return create(given, resource, child);
  const found = known === undefined ? await createOrFind(given, resource, child) : { known };
  if ('created' in found) return found.created;
  const existing = found.known;

  const isOurs = requireFree(given, resource, child, existing, adopt);
  if (!isOurs) await requireLiveOwner(given);
  else if (memory.isApplied(resource, existing, child)) return existing;
  requireDistinctItems(resource, child);
  given.aboutToChange?.();

  const owners = { fieldManager, formerManagers };
  // Take over the fields before the apply: otherwise a removed list item stays beside its replacement.
  const lastWrite = memory.lastWrite(resource, existing);
  if (lastWrite === 'create' || (lastWrite === undefined && !showsAll(existing, child))) {
    const live = await withOwners(client, resource, existing);
    if (live !== undefined) await ownByApplying(client, resource, live, owners);
  }
  const { uid } = existing.metadata;
  const body = { ...child, metadata: { ...child.metadata, uid } };
  const options = { force: force ?? isOurs, fieldManager, dryRun };
  const send = (): Promise<C> => client.applyExisting(resource, body, options);
  let answer = await send().catch(async (error: unknown) => {
    if (await ownLeftoverDefaults(client, resource, body, error, fieldManager)) return send();
    throw error;
  });
  // An earlier process or manager created the child: the managedFields are known only from the answer.
  if (await ownByApplying(client, resource, answer, owners)) {
    answer = await send();
  }
  if (dryRun) return unlessSame(given, resource, child, existing, answer);
  memory.remember(resource, answer, child);
  return answer;
}

/** The known child when `answer` differs in nothing. The server is asked, too: a cache may drop fields, or be late. */
async function unlessSame<C extends KubernetesObject>(
  { client, memory }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  known: C,
  answer: C,
): Promise<C> {
  if (!isSameContent(answer, known)) {
    const { name, namespace, uid } = known.metadata;
    const live = await client.find(resource, { name, namespace });
    if (live?.metadata.uid !== uid || live === undefined) return known; // gone: it is created again
    if (!isSameContent(answer, live)) return answer;
  }
  memory.remember(resource, known, child);
  return known;
}

/** The complete child, with its owner reference, in the form in which the server shows it. */
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
  return setControllerReference(owner, withStoredNames(resource, child), ownerResource, resource);
}

/** Creates as a separate field manager; the controller's own manager takes the fields over later. */
async function create<C extends KubernetesObject>(
  { client, fieldManager, createsByApply }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
): Promise<C> {
  requireDistinctItems(resource, child);
  if (createsByApply === true) return client.apply(resource, child, { fieldManager });
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
    if (given.createsByApply === true) given.memory.remember(resource, created, child);
    else given.memory.rememberCreation(resource, created, child);
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
  throw new AlreadyOwnedError(resource, existing, 'applyOwned takes it only with adopt: true');
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
