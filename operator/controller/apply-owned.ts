import type { Client } from '../client/client.ts';
import { controllerOf, type KubernetesObject, keyOf } from '../model/object.ts';
import {
  AlreadyOwnedError,
  controllerReference,
  isSameOwner,
  setControllerReference,
} from '../model/owner-reference.ts';
import { apiVersionOf, type Resource, resourceName } from '../model/resource.ts';
import { isAlreadyExists } from '../model/status.ts';
import type { AppliedMemory } from './applied-memory.ts';
import { BeingDeletedError } from './being-deleted-error.ts';
import { creatorOf, ownByApplying } from './creation-fields.ts';
import { isLiveOwner } from './live-owner.ts';
import type { ApplyOwnedOptions, Desired } from './reconciler.ts';
import { showsAll } from './shown-fields.ts';

export interface OwnerOfChildren {
  /** The reconciled object, as the attempt was given it. */
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly client: Client;
  /** That of `client`. */
  readonly fieldManager: string;
  readonly memory: AppliedMemory;
  /** A child as it is known: from the cache where the controller has one, live elsewhere. */
  readonly known: <C extends KubernetesObject>(
    resource: Resource<C>,
    child: KubernetesObject,
  ) => Promise<C | undefined>;
  /**
   * Told, before the error is thrown, when `by` has the name of the child, or had it and is gone again;
   * so that its end can be waited for.
   */
  readonly refused?: (
    resource: Resource,
    child: KubernetesObject,
    by: KubernetesObject | undefined,
  ) => void;
}

/** Makes a child what `desired` says: see `ReconcileContext.applyOwned`. */
export async function applyOwned<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  desired: Desired<C>,
  options: ApplyOwnedOptions = {},
): Promise<C> {
  const child = childOf(given, resource, desired);
  const { name } = child.metadata;
  const fieldManager = creatorOf(given.fieldManager);
  if ((name ?? '') === '') return given.client.create(resource, child, { fieldManager });
  const known = await given.known(resource, child);
  if (known !== undefined) return applyToExisting(given, resource, child, known, options);
  try {
    const created = await given.client.create(resource, child, { fieldManager });
    given.memory.rememberCreation(resource, created, child);
    return created;
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const { namespace } = child.metadata;
    const live = await given.client.find(resource, { name, namespace });
    if (live === undefined) {
      given.refused?.(resource, child, undefined);
      throw inTheWay(resource, child, error);
    }
    return applyToExisting(given, resource, child, live, options);
  }
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

async function applyToExisting<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  known: C,
  { adopt = false, force, formerManagers = [] }: ApplyOwnedOptions,
): Promise<C> {
  const { client, memory, owner, ownerResource } = given;
  // Whose it is does not matter any more.
  if (known.metadata.deletionTimestamp !== undefined) {
    given.refused?.(resource, child, known);
    throw inTheWay(resource, child);
  }
  const controller = controllerOf(known);
  const isOurs =
    controller !== undefined && isSameOwner(controller, controllerReference(owner, ownerResource));
  if (!isOurs && (controller !== undefined || !adopt)) {
    given.refused?.(resource, child, known);
    throw new AlreadyOwnedError(resource, known);
  }
  if (!isOurs) await requireLiveOwner(given);
  else if (memory.isApplied(resource, known, child)) return known;

  const owners = { fieldManager: given.fieldManager, formerManagers };
  // Before anything changes: an item that must go would be there beside the one that replaces it.
  const lastWrite = memory.lastWrite(resource, known);
  if (lastWrite === 'create' || (lastWrite === undefined && !showsAll(known, child))) {
    const live = await withOwners(client, resource, known);
    if (live !== undefined) await ownByApplying(client, resource, live, owners);
  }
  const { uid } = known.metadata;
  const body = { ...child, metadata: { ...child.metadata, uid } };
  const apply = (): Promise<C> => client.applyExisting(resource, body, { force: force ?? isOurs });
  let answer = await apply();
  // A child that an earlier process has made, or an earlier manager.
  if (await ownByApplying(client, resource, answer, owners)) answer = await apply();
  memory.remember(resource, answer, child);
  return answer;
}

/** The object with the owners of its fields, which caches do not keep. */
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
