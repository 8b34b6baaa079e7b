import type { Clock, OwnerReference } from 'chancery';
import { isNotFound } from 'chancery/internal-objects';
import type { ClusterAccess, DeleteOptions } from '../../cluster/cluster-access.ts';
import type { CommittedEvent, ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import { Slice } from '../runner/slice.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { type NodeKey, nodeKey, OwnerGraph, placeOf } from './owner-graph.ts';

/**
 * The finalizer that a foreground deletion adds. The object is removed when no dependent that blocks its
 * deletion is left.
 */
const FOREGROUND = 'foregroundDeletion';

/**
 * The finalizer that an orphaning deletion adds. The object is removed after its dependents have lost their
 * references to it.
 */
const ORPHAN = 'orphan';

/**
 * Deletes objects whose owners are all gone, and carries out the three ways of deleting an owner:
 * `Background`, `Foreground` and `Orphan`. Covers every resource, including custom resources.
 */
export function garbageCollector(
  access: ClusterAccess,
  clock: Clock,
  record: RecordEvent = recordNothing,
): WorkloadController {
  const graph = new OwnerGraph(access);
  const collection = new GarbageCollection(access, clock, graph, record);

  /** The objects to check after an event: the object itself, its dependents, and its owners. */
  function* concernedBy(
    resource: ResourceName,
    event: CommittedEvent,
  ): Generator<NodeKey, void, undefined> {
    graph.observe(resource, event);
    const { object, type } = event;
    const references = object.metadata.ownerReferences ?? [];
    const isDoomed = object.metadata.deletionTimestamp !== undefined;
    if (type !== 'DELETED' && (references.length > 0 || isDoomed)) yield nodeKey(resource, object);
    if (type === 'DELETED' || isDoomed) yield* graph.dependentsOf(object.metadata.uid);
    for (const reference of references.concat(event.previous?.metadata.ownerReferences ?? [])) {
      const owner = graph.ownerOf(object, reference);
      if (owner.state === 'present' && owner.object.metadata.deletionTimestamp !== undefined)
        yield owner.node;
    }
  }

  return {
    watches: [],
    keysForAny: concernedBy,
    reconcile: (key) => collection.collect(key),
  };
}

/** Decides for each object whether to keep it, delete it, or wait for other objects. */
class GarbageCollection {
  readonly #access: ClusterAccess;
  readonly #clock: Clock;
  readonly #graph: OwnerGraph;

  readonly #record: RecordEvent;

  constructor(access: ClusterAccess, clock: Clock, graph: OwnerGraph, record: RecordEvent) {
    this.#access = access;
    this.#clock = clock;
    this.#graph = graph;
    this.#record = record;
  }

  /** Carries out the next step for one object. */
  collect(node: NodeKey): 'more' | undefined {
    const object = this.#graph.read(node);
    if (object === undefined) return undefined;
    if (object.metadata.deletionTimestamp === undefined) this.#judge(node, object);
    else if (hasFinalizer(object, ORPHAN)) return this.#orphanDependents(node, object);
    else if (isDeletingDependents(object)) this.#finishForeground(node, object);
    return undefined;
  }

  /** Removes the owner references to `owner` from its dependents, then its finalizer. */
  #orphanDependents(node: NodeKey, owner: StoredObject): 'more' | undefined {
    const dependents = this.#graph.dependentsOf(owner.metadata.uid).flatMap((dependent) => {
      const object = this.#graph.read(dependent);
      return object === undefined ? [] : [{ dependent, object }];
    });
    const isDone = new Slice(this.#clock).forEach(dependents, ({ dependent, object }) => {
      const left = (object.metadata.ownerReferences ?? []).filter(
        ({ uid }) => uid !== owner.metadata.uid,
      );
      this.#patchReferences(dependent, object, left);
    });
    if (!isDone) return 'more';
    this.#removeFinalizer(node, owner, ORPHAN);
    return undefined;
  }

  /** Ends a foreground deletion when no dependent blocks it any more. */
  #finishForeground(node: NodeKey, owner: StoredObject): void {
    const { uid } = owner.metadata;
    const isBlocked = this.#graph
      .dependentsOf(uid)
      .flatMap((dependent) => this.#graph.read(dependent)?.metadata.ownerReferences ?? [])
      .some((reference) => reference.uid === uid && reference.blockOwnerDeletion === true);
    if (!isBlocked) this.#removeFinalizer(node, owner, FOREGROUND);
  }

  /**
   * Deletes an object when each of its owners is either gone or waits for the deletion of its dependents. If
   * at least one other owner exists, only the references to the former owners are removed.
   */
  #judge(node: NodeKey, object: StoredObject): void {
    const references = object.metadata.ownerReferences ?? [];
    if (references.length === 0) return;
    const owners = references.map((reference) => {
      const owner = this.#graph.ownerOf(object, reference);
      const isWaiting = owner.state === 'present' && isDeletingDependents(owner.object);
      return { reference, state: isWaiting ? 'waiting' : owner.state };
    });
    for (const { reference, state } of owners) {
      if (state === 'absent' && this.#graph.isElsewhere(reference))
        this.#reportForeign(object, reference);
    }
    const keeping = owners.filter(({ state }) => state === 'present' || state === 'unknown');
    if (keeping.length === owners.length) return;
    if (keeping.length > 0) {
      this.#patchReferences(
        node,
        object,
        keeping.map(({ reference }) => reference),
      );
      return;
    }
    const isWaitedFor = owners.some(({ state }) => state === 'waiting');
    const dependents = this.#graph.dependentsOf(object.metadata.uid);
    const hasDependents = dependents.length > 0;
    if (isWaitedFor && dependents.some((dependent) => this.#isDeletingDependents(dependent))) {
      // Without this change, two objects that wait for each other would wait forever.
      const free = references.map((reference) => ({ ...reference, blockOwnerDeletion: false }));
      this.#patchReferences(node, object, free);
    }
    this.#delete(node, object, isWaitedFor && hasDependents ? 'Foreground' : policyOf(object));
  }

  #isDeletingDependents(node: NodeKey): boolean {
    const object = this.#graph.read(node);
    return object !== undefined && isDeletingDependents(object);
  }

  /** Reports an owner in another namespace. An owner must be in the namespace of its dependent. */
  #reportForeign(object: StoredObject, { apiVersion, kind, name, uid }: OwnerReference): void {
    const { namespace = '' } = object.metadata;
    const owner = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`;
    const message = `ownerRef ${owner} does not exist in namespace "${namespace}"`;
    this.#record(object, { type: 'Warning', reason: 'OwnerRefInvalidNamespace', message });
  }

  #delete(
    node: NodeKey,
    { metadata: { uid } }: StoredObject,
    propagationPolicy: DeleteOptions['propagationPolicy'] & string,
  ): void {
    const { resource, namespace, name } = placeOf(node);
    const options = { propagationPolicy, ...(uid === undefined ? {} : { uid }) };
    try {
      this.#access.delete(resource, namespace, name, options);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  #patchReferences(
    node: NodeKey,
    { metadata: { uid } }: StoredObject,
    references: readonly OwnerReference[],
  ): void {
    const { resource, namespace, name } = placeOf(node);
    const ownerReferences = references.length > 0 ? references : null;
    this.#access.patch(resource, namespace, name, { metadata: { uid, ownerReferences } });
  }

  #removeFinalizer(node: NodeKey, { metadata }: StoredObject, finalizer: string): void {
    const { resource, namespace, name } = placeOf(node);
    const left = (metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const finalizers = left.length > 0 ? left : null;
    this.#access.patch(resource, namespace, name, { metadata: { uid: metadata.uid, finalizers } });
  }
}

function hasFinalizer({ metadata }: StoredObject, finalizer: string): boolean {
  return metadata.finalizers?.includes(finalizer) === true;
}

function isDeletingDependents(object: StoredObject): boolean {
  return object.metadata.deletionTimestamp !== undefined && hasFinalizer(object, FOREGROUND);
}

/**
 * The propagation policy for deleting an object. The finalizers of the object may choose the policy for its
 * own dependents.
 */
function policyOf(object: StoredObject): 'Background' | 'Foreground' | 'Orphan' {
  if (hasFinalizer(object, ORPHAN)) return 'Orphan';
  return hasFinalizer(object, FOREGROUND) ? 'Foreground' : 'Background';
}
