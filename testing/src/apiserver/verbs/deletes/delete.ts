import { rfc3339 } from 'chancery/internal-objects';
import { admitWrite } from '../../admission/admit.ts';
import { mutate } from '../../admission/mutate.ts';
import {
  type AdmissionRequest,
  operationOptions,
  type Writer,
} from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedFromStored } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { forbidden, preconditionFailed } from '../../failures/object-failures.ts';
import { withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored } from '../../registry/served-resource.ts';
import type { DeletionOptions, PropagationPolicy } from '../../request/delete-options.ts';
import { canonical } from '../canonical.ts';
import { keyOfTarget, requireStored, type Target } from '../target.ts';
import { finishesDeletion, gracePeriodOf, hasGracePeriod } from './deletion.ts';

/**
 * Namespaces that cannot be deleted (k8s.io/apiserver,
 * pkg/admission/plugin/namespace/lifecycle/admission.go).
 */
const IMMORTAL: ReadonlySet<string> = new Set(['default', 'kube-public', 'kube-system']);

/** The result of a delete request: either the object is gone, or its deletion has begun. */
export interface Deletion {
  readonly gone: boolean;
  /**
   * The last state of a removed object, or the current state of an object whose deletion is not finished yet.
   */
  readonly object: StoredObject;
}

/**
 * Deletes an object. If a finalizer or a grace period delays the removal, only marks the object as being
 * deleted.
 *
 * @param writer - the sender of the request, for policies. If omitted, no policy runs, for example for an
 * eviction, or when custom objects are deleted with their definition.
 * @param nameOfRequest - the name that policies see; empty when a collection is deleted.
 */
export function* deleteObject(
  cluster: Cluster,
  target: Target,
  options: DeletionOptions,
  writer?: Omit<Writer, 'dryRun'>,
  nameOfRequest: string = target.name,
): Steps<Deletion> {
  for (;;) {
    checkMortality(target);
    const stored = requireStored(cluster, target);
    checkPreconditions(stored, target, options);
    if (writer === undefined) return deleteNow(cluster, target, stored, options);
    const asked = { ...target, name: nameOfRequest };
    yield* admitDelete(cluster, asked, stored, options, writer);
    // The object was changed during the call of a webhook, so the deletion starts again.
    if (requireStored(cluster, target) !== stored) continue;
    const { gone, object } = deleteNow(cluster, target, stored, options);
    return { gone, object: yield* shown(target, object) };
  }
}

function checkMortality({ served, name }: Target): void {
  if (served.storedAs === 'namespaces' && IMMORTAL.has(name)) {
    throw forbidden(served, name, 'this namespace may not be deleted');
  }
}

function* admitDelete(
  cluster: Cluster,
  target: Target,
  stored: StoredObject,
  options: DeletionOptions,
  writer: Omit<Writer, 'dryRun'>,
): Steps<void> {
  const { served, namespace, name } = target;
  const request: AdmissionRequest = {
    operation: 'DELETE',
    served,
    subresource: undefined,
    namespace: served.storedAs === 'namespaces' ? name : namespace,
    name,
    object: undefined,
    previous: yield* shown(target, stored),
    options: operationOptions('DeleteOptions', options.sent),
    writer: { ...writer, dryRun: options.dryRun },
  };
  yield* mutate(cluster, request, undefined);
  yield* admitWrite(cluster, request);
}

/**
 * Deletes the object, or marks it as being deleted, without calling policies or webhooks.
 * @returns the object in its storage format.
 */
function deleteNow(
  cluster: Cluster,
  target: Target,
  stored: StoredObject,
  options: DeletionOptions,
): Deletion {
  const marked = mark(cluster, stored, target, options);
  if (options.dryRun) {
    const gone = finishesDeletion(marked);
    return { gone, object: gone ? lastState(stored, marked) : marked };
  }
  if (finishesDeletion(marked)) return end(cluster, target, stored, marked);
  if (marked === stored) return { gone: false, object: stored };
  const waiting = cluster.storage.put(target.served.storedAs, marked);
  if ((waiting.metadata.deletionGracePeriodSeconds ?? 0) > 0) endLater(cluster, target, waiting);
  return { gone: false, object: waiting };
}

function* shown({ served }: Target, object: StoredObject): Steps<StoredObject> {
  return fromStored(served, yield* convertedFromStored(served, object));
}

function end(
  { storage, behaviour }: Cluster,
  target: Target,
  stored: StoredObject,
  marked: StoredObject,
): Deletion {
  const { storedAs } = target.served;
  // Watches see the marked Pod before they see its deletion, even if the Pod has no grace period.
  if (hasGracePeriod(stored) && marked !== stored) storage.put(storedAs, marked);
  const { resourceVersion } = storage.delete(storedAs, keyOfTarget(target))?.metadata ?? {};
  const object = lastState(stored, marked);
  if (!behaviour.gates.deletedObjectVersions) return { gone: true, object };
  return { gone: true, object: withMetadata(object, { resourceVersion }) };
}

/**
 * The last state of an object that is removed at once. Only the last state of a Pod has a
 * `deletionTimestamp`.
 */
function lastState(stored: StoredObject, marked: StoredObject): StoredObject {
  return hasGracePeriod(stored) ? marked : stored;
}

function checkPreconditions(
  { metadata }: StoredObject,
  { served, name }: Target,
  { uid, resourceVersion }: DeletionOptions,
): void {
  if (uid !== undefined && uid !== metadata.uid) {
    const why = `the UID in the precondition (${uid}) does not match the UID in record (${metadata.uid}). The object might have been deleted and then recreated`;
    throw preconditionFailed(served, name, why);
  }
  if (resourceVersion !== undefined && resourceVersion !== metadata.resourceVersion) {
    const why = `the ResourceVersion in the precondition (${resourceVersion}) does not match the ResourceVersion in record (${metadata.resourceVersion}). The object might have been modified`;
    throw preconditionFailed(served, name, why);
  }
}

/** The object, marked as being deleted. Returns the same object if nothing changes. */
function mark(
  { clock }: Cluster,
  stored: StoredObject,
  { served }: Target,
  options: DeletionOptions,
): StoredObject {
  const { metadata } = stored;
  const { terminate } = served.strategy;
  if (terminate !== undefined) {
    const begins = metadata.deletionTimestamp === undefined;
    return begins ? canonical(served, terminate(stored, clock.now())) : stored;
  }
  const finalizers = finalizersFor(stored, options.propagationPolicy);
  const begun = metadata.deletionTimestamp !== undefined;
  const grace = gracePeriodOf(stored, options.gracePeriodSeconds);
  const shorter = begun && grace < (metadata.deletionGracePeriodSeconds ?? 0);
  if (begun && !shorter && isSameSet(finalizers, metadata.finalizers ?? [])) return stored;
  const marked = withMetadata(stored, {
    deletionTimestamp:
      begun && !shorter ? metadata.deletionTimestamp : endOf(metadata, grace, clock.now()),
    deletionGracePeriodSeconds: stored.kind === 'Namespace' ? undefined : grace,
    generation:
      metadata.generation === undefined || begun ? metadata.generation : metadata.generation + 1,
    finalizers,
  });
  return canonical(served, stored.kind === 'Namespace' ? terminating(marked) : marked);
}

function isSameSet(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((name) => right.includes(name));
}

function terminating(namespace: StoredObject): StoredObject {
  return withFields(namespace, {
    status: { ...(namespace.status as object), phase: 'Terminating' },
  });
}

/** The end of the grace period, counted from the first delete request. It is never in the past. */
function endOf(
  { deletionTimestamp, deletionGracePeriodSeconds = 0 }: StoredObject['metadata'],
  graceSeconds: number,
  nowMs: number,
): string {
  if (deletionTimestamp === undefined) return rfc3339(nowMs + graceSeconds * 1_000);
  const askedMs = Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1_000;
  return rfc3339(Math.max(askedMs + graceSeconds * 1_000, nowMs));
}

/** Kinds whose dependents are kept by default, for compatibility with old clients. */
const ORPHANING: ReadonlySet<string> = new Set(['v1/ReplicationController', 'batch/v1/Job']);

/** True for an object whose dependents are kept unless the request says otherwise. */
function orphansByDefault({ apiVersion, kind }: StoredObject): boolean {
  return ORPHANING.has(`${apiVersion}/${kind}`);
}

/**
 * The finalizers of an object that is deleted with this policy. `orphan` or `foregroundDeletion` is added if
 * the garbage collector must handle the dependents first.
 */
function finalizersFor(
  object: StoredObject,
  policy: PropagationPolicy | undefined,
): readonly string[] {
  const { finalizers = [] } = object.metadata;
  const others = finalizers.filter((name) => name !== 'foregroundDeletion' && name !== 'orphan');
  const hasOwn = others.length < finalizers.length;
  const isOrphaned = policy === undefined && !hasOwn && orphansByDefault(object);
  if (policy === 'Orphan' || isOrphaned) return [...others, 'orphan'];
  if (policy === undefined) return finalizers;
  return policy === 'Foreground' ? [...others, 'foregroundDeletion'] : others;
}

/** Removes the object after its grace period, unless a new object with the same name has replaced it. */
function endLater(cluster: Cluster, target: Target, waiting: StoredObject): void {
  const { uid, deletionGracePeriodSeconds = 0 } = waiting.metadata;
  cluster.later(deletionGracePeriodSeconds * 1_000, () => {
    const { served } = target;
    const live = cluster.storage.get(served.storedAs, keyOfTarget(target));
    if (live === undefined || live.metadata.uid !== uid) return;
    const over = withMetadata(live, { deletionGracePeriodSeconds: 0 });
    if (finishesDeletion(over)) cluster.storage.delete(served.storedAs, keyOfTarget(target));
    else cluster.storage.put(served.storedAs, canonical(served, over));
  });
}
