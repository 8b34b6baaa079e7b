import type { Client } from '../../client/client.ts';
import type { Mapping } from '../../core/mapping.ts';
import { controllerOf, type KubernetesObject, keyOf } from '../../model/object.ts';
import { isControlledBy, setControllerReference } from '../../model/owner-reference.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import { isAlreadyExists } from '../../model/status.ts';
import { BeingDeletedError } from '../errors.ts';
import { lacksMaps } from '../object-shape/maps-of-others.ts';
import { requireDistinctItems } from '../object-shape/repeated-item.ts';
import { withStoredNames } from '../object-shape/stored-form.ts';
import type { ApplyOwnedOptions, DeleteOwnedOptions, Desired } from '../reconciler.ts';
import { type AppliedMemory, showsAll } from './applied-memory.ts';
import type { Refused } from './engine-parts.ts';
import { inTheWay } from './existing-child.ts';
import { deleteThis, readLive } from './guarded-writes.ts';
import { applyPastDefaults } from './leftover-defaults.ts';
import { creatorOf, ownByApplying } from './own-by-applying.ts';
import { isSameContent } from './system-fields.ts';

export interface OwnerOfChildren {
  /** The reconciled object, as the attempt received it. */
  readonly owner: KubernetesObject;
  readonly ownerResource: Resource;
  readonly client: Client;
  /** The field manager of the children. */
  readonly fieldManager: string;
  readonly memory: AppliedMemory;
  /** Reads a child: from the cache if the controller caches the resource, otherwise with a request. */
  readonly known: <C extends KubernetesObject>(
    resource: Resource<C>,
    child: KubernetesObject,
  ) => Promise<C | undefined>;
  /**
   * Throws for a child that no source of the controller selects. Called before anything is sent, with the
   * complete child and the existing object.
   */
  readonly requireSelected?: (
    resource: Resource,
    child: KubernetesObject,
    existing: KubernetesObject | undefined,
  ) => void;
  readonly refused?: Refused;
  /** Labels that each child gets in addition to the labels in its desired state. */
  readonly childLabels?: Readonly<Record<string, string>> | undefined;
}

/** How composites and decorators write a child. `ReconcileContext.applyOwned` also accepts these options. */
export interface EngineApplyOptions extends ApplyOwnedOptions {
  /** The field manager. Default: the field manager of the controller. */
  readonly fieldManager?: string;
  /** The child as it was observed; null when no child existed. If omitted, the child is read. */
  readonly observed?: KubernetesObject | null;
  /** Called before an existing child is changed. It throws when the child must not be changed. */
  readonly aboutToChange?: (() => void) | undefined;
  /**
   * Resolves to the existing object that has the name of the child to be created. Default: the apply is sent
   * for that object, if this is allowed.
   */
  readonly taken?: () => Promise<KubernetesObject>;
  /**
   * True: the child is created by an apply of `fieldManager` itself. The caller must have checked that no
   * object has the name.
   */
  readonly createsByApply?: boolean | undefined;
  /**
   * True: the apply stores nothing. The answer is the child after the apply, or the known child when nothing
   * would differ. Fields are still handed over to `fieldManager`, because otherwise the answer would still
   * contain a field that is no longer applied.
   */
  readonly dryRun?: boolean;
}

/** Creates a child, or changes an existing one to match `desired`: see `ReconcileContext.applyOwned`. */
export async function applyOwned<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  desired: Desired<C>,
  options: EngineApplyOptions = {},
): Promise<C> {
  const { client, memory } = given;
  const { adopt = false, force, formerManagers = [], dryRun = false, observed } = options;
  const { fieldManager = given.fieldManager } = options;
  const child = childOf(given, resource, desired);
  const isNamed = (child.metadata.name ?? '') !== '';
  const isRead = isNamed && observed === undefined;
  const known = isRead ? await given.known(resource, child) : (observed as C | null | undefined);
  given.requireSelected?.(resource, child, known ?? undefined);
  const by = { ...options, fieldManager };
  if (!isNamed) return create(given, resource, child, by);
  const found = known ? { known } : await createOrFind(given, resource, child, by);
  if ('created' in found) return found.created;
  const existing = found.known;

  const isOurs = requireFree(given, resource, child, existing, adopt);
  if (!isOurs) await requireLiveOwner(given, 'it adopts nothing');
  else if (memory.isApplied(resource, existing, child)) return existing;
  requireDistinctItems(resource, child);
  options.aboutToChange?.();

  const owners = { fieldManager, formerManagers, stated: child };
  // Take over the fields before the apply: otherwise a removed list item stays next to its replacement.
  const lastWrite = memory.lastWrite(existing);
  const isUnknown = lastWrite === undefined && !showsAll(existing, child);
  if (lastWrite === 'create' || isUnknown || lacksMaps(resource, contentOf(existing), child)) {
    // The object is read live if it comes from a cache, because caches drop `managedFields`.
    const isWhole = existing.metadata.managedFields !== undefined;
    const live = isWhole ? existing : await readLive(client, resource, existing);
    if (live !== undefined) await ownByApplying(client, resource, live, owners);
  }
  const { uid } = existing.metadata;
  const body = { ...child, metadata: { ...child.metadata, uid } };
  const how = { force: force ?? isOurs, fieldManager, dryRun };
  const send = (): Promise<C> => applyPastDefaults(client, resource, body, how);
  let answer = await send();
  // An earlier process or another manager has created the child, and only the answer has its managedFields.
  if (await ownByApplying(client, resource, answer, owners)) {
    answer = await send();
  }
  if (dryRun) return unlessSame(given, resource, child, existing, answer);
  memory.remember(resource, answer, child);
  return answer;
}

/** The object without its metadata and its status. */
function contentOf({ metadata: _, ...object }: KubernetesObject): Mapping {
  const { status: __, ...content } = object as Mapping;
  return content;
}

/**
 * Returns the known child when `answer` is equal to it. If they differ, the child is also read from the
 * server, because a cache may drop fields or lag behind.
 */
async function unlessSame<C extends KubernetesObject>(
  { client, memory }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  known: C,
  answer: C,
): Promise<C> {
  if (!isSameContent(answer, known)) {
    const live = await readLive(client, resource, known);
    if (live === undefined) return known; // gone: it is created again
    if (!isSameContent(answer, live)) return answer;
  }
  memory.remember(resource, known, child);
  return known;
}

/** The complete child with its owner reference. Each field has the name under which the server stores it. */
function childOf<C extends KubernetesObject>(
  { owner, ownerResource, childLabels }: OwnerOfChildren,
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
      ...(childLabels && { labels: { ...desired.metadata.labels, ...childLabels } }),
    },
  } as unknown as C;
  return setControllerReference(owner, withStoredNames(resource, child), ownerResource, resource);
}

/**
 * Creates the child under a separate field manager, from which the controller's own manager later takes over
 * the fields.
 */
async function create<C extends KubernetesObject>(
  { client }: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  { fieldManager, createsByApply }: Creation,
): Promise<C> {
  requireDistinctItems(resource, child);
  if (createsByApply === true) return client.apply(resource, child, { fieldManager });
  return client.create(resource, child, { fieldManager: creatorOf(fieldManager) });
}

type Creation = Pick<EngineApplyOptions, 'createsByApply' | 'taken'> & {
  readonly fieldManager: string;
};

/**
 * Creates a child that is not known to exist. If an object with its name exists, returns that object instead.
 *
 * If this process has created the child before, someone has removed it since, perhaps the garbage collector,
 * because the owner is gone although the cache still contains the owner. The garbage collector would then
 * also remove each new child.
 *
 * @throws BeingDeletedError when an object had the name and is now gone, and when the owner of a child that
 *   was created before is gone or being deleted.
 */
async function createOrFind<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  by: Creation,
): Promise<{ readonly created: C } | { readonly known: C }> {
  const { memory, owner } = given;
  const isAgain = memory.hasMade(resource, child, owner);
  if (isAgain) await requireLiveOwner(given, 'its child is not made again');
  try {
    const created = await create(given, resource, child, by);
    const write = by.createsByApply === true ? 'apply' : 'create';
    memory.remember(resource, created, child, { by: write });
    memory.made(resource, created, owner);
    return { created };
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  if (by.taken !== undefined) return { created: (await by.taken()) as C };
  const { name, namespace } = child.metadata;
  const known = await given.client.find(resource, { name, namespace });
  if (known === undefined) throw inTheWay(given, resource, child, known);
  return { known };
}

/**
 * True if the owner controls the existing object; false for an object without a controller that may be
 * adopted.
 *
 * @throws BeingDeletedError when the object is being deleted, even if the owner controls it.
 * @throws AlreadyOwnedError when the object has another controller, or has none and `adopt` is false.
 */
function requireFree<C extends KubernetesObject>(
  given: OwnerOfChildren,
  resource: Resource<C>,
  child: C,
  existing: C,
  adopt: boolean,
): boolean {
  const isOurs = isControlledBy(existing, given.owner);
  const isFree = isOurs || (adopt && controllerOf(existing) === undefined);
  if (isFree && existing.metadata.deletionTimestamp === undefined) return isOurs;
  throw inTheWay(given, resource, child, existing, 'applyOwned takes it only with adopt: true');
}

async function requireLiveOwner(
  { client, owner, ownerResource }: OwnerOfChildren,
  what: 'it adopts nothing' | 'its child is not made again',
): Promise<void> {
  if (await isLiveOwner(client, ownerResource, owner)) return;
  throw new BeingDeletedError(`the owner is gone or being deleted: ${what}`, {
    context: { owner: keyOf(owner) },
  });
}

/** Deletes a child of the owner: see `ReconcileContext.deleteOwned`. */
export async function deleteOwned(
  { owner, client, known: find }: Pick<OwnerOfChildren, 'owner' | 'client' | 'known'>,
  resource: Resource,
  child: { readonly name: string; readonly namespace?: string },
  options?: DeleteOwnedOptions,
): Promise<boolean> {
  const { name, namespace = owner.metadata.namespace } = child;
  const target = { name, ...(resource.namespaced && namespace !== undefined && { namespace }) };
  const { kind } = resource;
  const known = await find(resource, {
    apiVersion: apiVersionOf(resource),
    kind,
    metadata: target,
  });
  if (known === undefined || !isControlledBy(known, owner)) return false;
  return deleteThis(client, resource, known, options);
}

/**
 * True if this object (same uid) exists and is not being deleted, according to a live read. Checked before an
 * adoption: the cache may still contain an owner that is gone, and the child would be deleted together with
 * it.
 */
export async function isLiveOwner(
  client: Client,
  resource: Resource,
  owner: KubernetesObject,
): Promise<boolean> {
  const live = await readLive(client, resource, owner);
  return live !== undefined && live.metadata.deletionTimestamp === undefined;
}
