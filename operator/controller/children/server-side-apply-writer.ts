import { isNotFound } from '../../model/not-found.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { setControllerReference } from '../../model/owner-reference.ts';
import { isInvalid, isUidMismatch } from '../../model/refusal.ts';
import type { Resource } from '../../model/resource.ts';
import type { Desired } from '../reconciler.ts';
import { AppliedMemory } from './applied-memory.ts';
import type { ChildWrite, ChildWriter } from './child-writer.ts';
import { existingChild } from './existing-child.ts';
import type { JsonMap } from './json-difference.ts';
import {
  completeAnswer,
  isSameContent,
  LAST_APPLIED,
  UPDATE_MANAGER,
  withoutLastApplied,
  withSystemFieldsOf,
} from './last-applied.ts';
import { ownByApplying, withOwners } from './own-by-applying.ts';

interface ServerSideApplyOptions {
  /** The name under which fields are owned. */
  readonly fieldManager: string;
  /** Take fields over from other managers. False: a field of another manager is a conflict, which is reported. */
  readonly force: boolean;
  /**
   * Managers that wrote these children by updates before, besides `fieldManager` and `metacontroller`. Their fields are taken over: one that
   * is no longer answered is removed.
   */
  readonly formerManagers?: readonly string[];
}

/**
 * Writes children by server-side apply. What a merge in this process wrote before is taken over once, and its annotation
 * is removed. After the start of a process each child is applied once; the server notices that nothing differs.
 */
export function serverSideApplyWriter(options: ServerSideApplyOptions): ChildWriter {
  return new ServerSideApply(options);
}

class ServerSideApply implements ChildWriter {
  readonly #options: ServerSideApplyOptions;
  readonly #memory = new AppliedMemory();

  constructor(options: ServerSideApplyOptions) {
    this.#options = options;
  }

  async create(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    write: ChildWrite,
  ): Promise<KubernetesObject> {
    const child = childOf(resource, desired, write);
    const { client } = write.context;
    const { name, namespace } = child.metadata;
    // An apply would write to an object of this name that somebody else has made.
    const taken = await client.find<KubernetesObject>(resource, { name, namespace });
    if (taken !== undefined) return existingChild(resource, child, write);
    const { fieldManager } = this.#options;
    const created = await client.apply<KubernetesObject>(resource, child, { fieldManager });
    this.#memory.remember(resource, created, child);
    return created;
  }

  async differs(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<boolean> {
    const child = childOf(resource, desired, write);
    if (this.#memory.isApplied(resource, observed, child)) return false;
    let after: KubernetesObject;
    try {
      // Forced, because a conflict is a difference; nothing is stored.
      after = await this.#apply(resource, child, observed, write, { force: true, dryRun: true });
    } catch (error) {
      if (isInvalid(error)) return true; // a field that cannot be changed
      if (isNotFound(error) || isUidMismatch(error)) return false; // gone: it is created again
      throw error;
    }
    if (!isSameContent(withoutLastApplied(after), withoutLastApplied(observed))) return true;
    this.#memory.remember(resource, observed, child);
    return false;
  }

  async update(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    write: ChildWrite,
  ): Promise<KubernetesObject | undefined> {
    const child = childOf(resource, desired, write);
    if (this.#memory.isApplied(resource, observed, child)) return undefined;
    write.aboutToChange?.();
    const { force } = this.#options;
    try {
      await this.#takeOver(resource, observed, write);
      const applied = await this.#apply(resource, child, observed, write, { force });
      const after = await withoutAnnotation(resource, applied, write);
      this.#memory.remember(resource, after, child);
      return isSameContent(after, observed) ? undefined : after;
    } catch (error) {
      if (isNotFound(error) || isUidMismatch(error)) return undefined; // gone: it is created again
      throw error;
    }
  }

  async #takeOver(
    resource: Resource,
    observed: KubernetesObject,
    { context: { client } }: ChildWrite,
  ): Promise<void> {
    const live = await withOwners(client, resource, observed);
    if (live === undefined) return;
    const { fieldManager, formerManagers = [] } = this.#options;
    const former = [fieldManager, UPDATE_MANAGER, ...formerManagers];
    const owners = { fieldManager, formerManagers: former };
    await ownByApplying(client, resource, live, owners);
  }

  #apply(
    resource: Resource,
    child: KubernetesObject,
    { metadata: { uid } }: KubernetesObject,
    { context: { client } }: ChildWrite,
    options: { readonly force: boolean; readonly dryRun?: boolean },
  ): Promise<KubernetesObject> {
    const body = { ...child, metadata: { ...child.metadata, ...(uid !== undefined && { uid }) } };
    const { fieldManager } = this.#options;
    return client.applyExisting<KubernetesObject>(resource, body, { ...options, fieldManager });
  }
}

/** What is applied: the answer with its owner, without status and what the server sets. */
function childOf(
  resource: Resource,
  desired: Desired<KubernetesObject>,
  { owner, ownerResource }: ChildWrite,
): KubernetesObject {
  const answer = completeAnswer(resource, desired) as unknown as JsonMap;
  const child = withSystemFieldsOf(answer, {}) as unknown as KubernetesObject;
  return setControllerReference(owner, child, ownerResource, resource);
}

/** Removes the annotation where another manager than the former ones owns it. */
async function withoutAnnotation(
  resource: Resource,
  child: KubernetesObject,
  { context: { client } }: ChildWrite,
): Promise<KubernetesObject> {
  if (child.metadata.annotations?.[LAST_APPLIED] === undefined) return child;
  const { uid } = child.metadata;
  const body = { metadata: { uid, annotations: { [LAST_APPLIED]: null } } };
  return client.patch<KubernetesObject>(resource, child.metadata, { type: 'merge', body });
}
