import {
  type Client,
  controllerOf,
  type Desired,
  isAlreadyExists,
  isInvalid,
  isNotFound,
  isUidMismatch,
  type KubernetesObject,
  type Resource,
} from 'chancery';
import {
  AppliedMemory,
  type ChildWrite,
  type ChildWriter,
  enginePartsOf,
  existingChild,
  isMapping,
  isSameContent,
  type Mapping,
  mergePatchOf,
  withStoredNames,
  withSystemFieldsOf,
} from 'chancery/internal';
import { setControllerReference } from 'chancery/low-level';
import {
  completeAnswer,
  LAST_APPLIED,
  lastAppliedOf,
  lastAppliedText,
  UPDATE_MANAGER,
  withoutLastApplied,
} from './last-applied.ts';
import { mergeThreeWay } from './three-way-merge.ts';

/**
 * The field manager of the merge. Server-side apply takes over the fields of this manager when it
 * is used later.
 */
const BY_UPDATE = { fieldManager: UPDATE_MANAGER } as const;

/**
 * Writes children as Metacontroller does by default. It merges the child, the last answer in its
 * annotation, and the new answer. Only the differences are sent, as a merge patch for the version
 * that was merged.
 */
export function dynamicApplyWriter(): ChildWriter {
  return new DynamicApply();
}

class DynamicApply implements ChildWriter {
  /**
   * The values that the server has rewritten, for calls whose context no controller has created.
   * Each controller's context has a separate `AppliedMemory`.
   */
  readonly #memory = new AppliedMemory();

  async create(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    write: ChildWrite,
  ): Promise<KubernetesObject> {
    const child = annotated(resource, completeAnswer(resource, desired));
    const { owner, ownerResource, context } = write;
    const body = setControllerReference(owner, withoutSystemFields(child), ownerResource, resource);
    let created: KubernetesObject;
    try {
      created = await context.client.create<KubernetesObject>(resource, body, BY_UPDATE);
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      return existingChild(resource, child, write);
    }
    this.#noteRewriting(resource, created, child, context);
    return created;
  }

  async differs(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    { context }: ChildWrite,
  ): Promise<boolean> {
    const answer = completeAnswer(resource, desired);
    // If an answer only writes the same values in another way, the child must not be deleted.
    if (changeOf(resource, withStoredNames(resource, answer), observed) === undefined) return false;
    const child = annotated(resource, answer);
    const body = this.#patch(resource, child, observed, context);
    if (body === undefined) return false;
    let after: KubernetesObject | undefined;
    try {
      // Only the server can tell a change from another spelling of the same value, such as `1` for
      // `1000m`.
      after = await send(context.client, resource, observed, { body, dryRun: true });
    } catch (error) {
      if (isInvalid(error)) return true; // a field that cannot be changed
      throw error;
    }
    if (after === undefined) return false;
    if (isSameContent(after, observed)) {
      this.#rewritten(context).remember(resource, observed, child);
    }
    return !isSameContent(withoutLastApplied(after), withoutLastApplied(observed));
  }

  async update(
    resource: Resource,
    desired: Desired<KubernetesObject>,
    observed: KubernetesObject,
    { context, aboutToChange }: ChildWrite,
  ): Promise<KubernetesObject | undefined> {
    const child = annotated(resource, completeAnswer(resource, desired));
    const body = this.#patch(resource, child, observed, context);
    if (body === undefined) return undefined;
    aboutToChange?.();
    const after = await send(context.client, resource, observed, { body });
    if (after !== undefined) this.#noteRewriting(resource, after, child, context);
    return after;
  }

  /**
   * Remembers values that the server has rewritten, such as a quantity. Without this memory, the
   * answer would always differ from the child, and each reconcile would write the child again.
   */
  #rewritten(context: ChildWrite['context']): AppliedMemory {
    return enginePartsOf(context)?.memory ?? this.#memory;
  }

  /** The patch for a child. Undefined when there is nothing to write. */
  #patch(
    resource: Resource,
    child: KubernetesObject,
    observed: KubernetesObject,
    context: ChildWrite['context'],
  ): object | undefined {
    const change = changeOf(resource, child, observed);
    if (change === undefined) return undefined;
    if (this.#rewritten(context).isApplied(resource, observed, child)) return undefined;
    const { uid, resourceVersion } = observed.metadata;
    return { ...change, metadata: { ...(change.metadata as object), uid, resourceVersion } };
  }

  #noteRewriting(
    resource: Resource,
    after: KubernetesObject,
    child: KubernetesObject,
    context: ChildWrite['context'],
  ): void {
    if (changeOf(resource, child, after) === undefined) return;
    this.#rewritten(context).remember(resource, after, child);
  }
}

/**
 * Sends a merge patch and resolves to the changed child. Undefined when the child is gone, so that
 * it is created again.
 */
async function send(
  client: Client,
  resource: Resource,
  observed: KubernetesObject,
  { body, ...how }: { readonly body: object; readonly dryRun?: true },
): Promise<KubernetesObject | undefined> {
  const options = { ...BY_UPDATE, ...how };
  try {
    return await client.patch(resource, observed.metadata, { type: 'merge', body }, options);
  } catch (error) {
    if (isNotFound(error) || isUidMismatch(error)) return undefined;
    throw error;
  }
}

/**
 * The merge patch that changes `observed` into `child`. Undefined when nothing differs. `child`
 * must already have the values that the server would store.
 */
function changeOf(
  resource: Resource,
  child: KubernetesObject,
  observed: KubernetesObject,
): Mapping | undefined {
  // Objects from a list may have no apiVersion and kind.
  const before: Mapping = { ...observed, apiVersion: child.apiVersion, kind: child.kind };
  const last = withStoredNames(resource, lastAppliedOf(observed) as unknown as KubernetesObject);
  const merged = mergeThreeWay(before, last as unknown as Mapping, child as unknown as Mapping);
  return mergePatchOf(before, withControllerOf(withSystemFieldsOf(merged, before), observed));
}

/**
 * Adds the controller of `observed` to the owners of `object`. A hook may answer with an observed
 * child and its owners, and later with the same child without owners. Then the merge would remove
 * all owners of the earlier answer, even the controller.
 */
function withControllerOf(object: Mapping, observed: KubernetesObject): Mapping {
  const controller = controllerOf(observed);
  const metadata = isMapping(object.metadata) ? object.metadata : {};
  const stated: unknown = metadata.ownerReferences;
  const owners: readonly unknown[] = Array.isArray(stated) ? stated : [];
  const isController = (owner: unknown): boolean =>
    isMapping(owner) && owner.uid === controller?.uid && owner.controller === true;
  if (controller === undefined || owners.some(isController)) return object;
  const others = owners.filter((owner) => !isMapping(owner) || owner.uid !== controller.uid);
  return { ...object, metadata: { ...metadata, ownerReferences: [...others, controller] } };
}

/**
 * `answer` as the server stores it, with the annotation. The annotation contains the answer
 * unchanged, as Metacontroller would write it.
 */
function annotated(resource: Resource, answer: KubernetesObject): KubernetesObject {
  const { annotations } = answer.metadata;
  const all = { ...annotations, [LAST_APPLIED]: lastAppliedText(answer) };
  return withStoredNames(resource, {
    ...answer,
    metadata: { ...answer.metadata, annotations: all },
  });
}

/**
 * `child` without system fields. The server refuses a new object with a resourceVersion, and a hook
 * may answer with a child that it has observed.
 */
function withoutSystemFields(child: KubernetesObject): KubernetesObject {
  const { status } = child as { readonly status?: unknown };
  const from = status === undefined ? {} : { status };
  return withSystemFieldsOf(child as unknown as Mapping, from) as unknown as KubernetesObject;
}
