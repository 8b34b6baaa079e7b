import { rfc3339 } from 'chancery/internal-objects';
import { admitChange, admitWrite } from '../../admission/admit.ts';
import { mutate } from '../../admission/mutate.ts';
import { refuseEscalation } from '../../auth/escalation.ts';
import { type AdmissionRequest, operationOptions } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedFromStored, convertedToStored } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { badRequest, internalError } from '../../failures/failure.ts';
import { type FieldError, invalid } from '../../failures/invalid.ts';
import { conflict } from '../../failures/object-failures.ts';
import { uint64Problem } from '../../objects/go-integers.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import { withFields, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  fromStored,
  type ServedResource,
  storedKind,
  toStored,
} from '../../registry/served-resource.ts';
import type { WriteOptions } from '../../request/options.ts';
import { changedProblems } from '../../validation/fields/metadata.ts';
import { podContent } from '../../validation/pods/pod.ts';
import { statusProblems } from '../../validation/workloads/workload-status.ts';
import { canonical, storable, storedForm } from '../canonical.ts';
import { finishesDeletion } from '../deletes/deletion.ts';
import { ownersAfter } from '../ownership.ts';
import { scaleOf, withScale } from '../subresources/scale.ts';
import { keyOfTarget, otherUid, requireKind, requireStored, type Target } from '../target.ts';
import { nextGeneration } from './generation.ts';
import { isPodPart, podPartProblems, withPodPart } from './pod-part.ts';
import { withStatusOf } from './status-part.ts';

/**
 * The object as it should be after a change. `managedFields` is set if the change has already computed the
 * owners of the fields.
 */
export interface Change {
  readonly object: StoredObject;
  readonly managedFields?: readonly unknown[];
}

/**
 * Changes an object: an update, a patch of any kind, or a write of its status.
 *
 * `change` gets the object in the served version. A change without effect is not stored, does not use up a
 * revision and causes no event.
 *
 * @returns the object after the change, or its last state if the change completes a pending deletion.
 */
export function* updateObject(
  cluster: Cluster,
  target: Target,
  change: (live: StoredObject) => Change,
  options: WriteOptions,
): Steps<StoredObject> {
  for (;;) {
    const { served } = target;
    const kept = requireStored(cluster, target);
    const known = yield* convertedFromStored(served, kept);
    const changed = yield* changedObject(cluster, target, known, change, options);
    const complete = yield* convertedToStored(served, changed);
    // The object was changed during the call of a webhook, so this change starts again.
    if (requireStored(cluster, target) !== kept) continue;
    const stored = commit(cluster, target, complete, kept, options.dryRun);
    return fromStored(served, yield* convertedFromStored(served, stored));
  }
}

/** The object as it will be stored. */
function* changedObject(
  cluster: Cluster,
  target: Target,
  kept: StoredObject,
  change: (live: StoredObject) => Change,
  options: WriteOptions,
): Steps<StoredObject> {
  const { served } = target;
  const { subresource } = options;
  const stored = inStorageVersion(served, served.revised?.(kept) ?? kept);
  const live = fromStored(served, kept);
  const wanted = change(live);
  checkIdentity(wanted.object, live, target);
  refuseEscalation(cluster, { ...target, object: wanted.object, live }, options.caller);

  const nowMs = cluster.clock.now();
  const prepare = (object: StoredObject): StoredObject => {
    const separated = separate(toStored(served, object), stored, served, subresource);
    const whole = withSystemMetadata(separated, stored);
    return served.strategy.prepare(whole, stored, wanted.managedFields !== undefined);
  };
  const completed = (object: StoredObject): StoredObject =>
    withMetadata(served.strategy.keep?.(object, stored, nowMs) ?? object, {
      managedFields: undefined,
    });
  const prepared = prepare(wanted.object);
  const owners = (generation: number | undefined): readonly unknown[] =>
    wanted.managedFields ??
    ownersOf(cluster, { served, stored, wanted, prepared }, generation, options);
  const shown = (object: StoredObject): StoredObject =>
    subresource === 'scale' ? scaleOf(object, served) : fromStored(served, object);
  const request: AdmissionRequest = {
    operation: 'UPDATE',
    served,
    subresource,
    namespace: served.storedAs === 'namespaces' ? target.name : target.namespace,
    name: target.name,
    object: undefined,
    previous: shown(kept),
    options: operationOptions('UpdateOptions', options.sent),
    writer: options,
  };
  const admitted = yield* mutate(cluster, request, {
    // The object is in its storage format, because in other formats it could differ from the stored object
    // without a real change.
    object: completed(prepared),
    managedFields: () => owners(prepared.metadata.generation),
    builtIn: (object) => admitChange(cluster, served, object),
    shown,
    prepare: (object) => {
      const whole = subresource === 'scale' ? withScale(live, object, served) : object;
      checkIdentity(whole, live, target);
      return completed(prepare(whole));
    },
  });
  const whole = canonical(served, served.strategy.complete(admitted));
  const ofContent = isPodPart(subresource)
    ? [...podContent(whole), ...podPartProblems(whole, stored, subresource)]
    : [
        ...served.strategy.validate(whole, stored),
        ...(subresource === 'status' ? statusProblems(served.kind, whole, stored) : []),
      ];
  if (served.custom) requireKind(whole, { kind: served.kind }, whole.metadata.name);
  const problems = changedProblems(served, whole, stored, ofContent);
  if (problems.length > 0) throw invalid(storedKind(served), target.name, problems);

  const isWish = options.subresource !== 'status'; // in a status write, annotations do not count
  const generation = isWish
    ? nextGeneration(served, storedForm(served, whole), stored)
    : stored.metadata.generation;
  const managedFields = owners(generation);
  const complete = storable(served, withMetadata(whole, { generation, managedFields }));
  yield* admitWrite(cluster, { ...request, object: shown(complete) });
  return complete;
}

/**
 * The stored object, converted to the current storage version. If only its version differs, the object has
 * not changed.
 */
function inStorageVersion(served: ServedResource, stored: StoredObject): StoredObject {
  return served.custom ? toStored(served, stored) : stored;
}

interface Prepared {
  readonly served: ServedResource;
  readonly stored: StoredObject;
  readonly wanted: Change;
  readonly prepared: StoredObject;
}

/** The owners of the fields after a change. Fields that webhooks and policies change get no owner. */
function ownersOf(
  { clock }: Cluster,
  { served, stored, wanted, prepared }: Prepared,
  generation: number | undefined,
  options: WriteOptions,
): readonly unknown[] {
  // A client may send managedFields, to remove owners or to move fields between owners.
  const { managedFields } = wanted.object.metadata;
  const sent = withMetadata(prepared, { generation, managedFields });
  return ownersAfter(served, stored, sent, options, rfc3339(clock.now()));
}

function commit(
  { storage }: Cluster,
  target: Target,
  object: StoredObject,
  stored: StoredObject,
  dryRun: boolean,
): StoredObject {
  const { served } = target;
  if (finishesDeletion(object)) {
    if (!dryRun) storage.delete(served.storedAs, keyOfTarget(target));
    return object;
  }
  if (isSame(object, stored)) return stored;
  return dryRun ? object : storage.put(served.storedAs, object);
}

/**
 * Whether objects are equal apart from the times in `managedFields`. If they are, the write changes nothing.
 */
function isSame(a: StoredObject, b: StoredObject): boolean {
  return jsonEquals(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: StoredObject): StoredObject {
  const managedFields = object.metadata.managedFields as readonly object[] | undefined;
  if (managedFields === undefined) return object;
  const timeless = managedFields.map((entry) => ({ ...entry, time: undefined }));
  return withMetadata(object, { managedFields: timeless });
}

/**
 * Checks that the name, and also the namespace, uid and resourceVersion if the change sets them, equal the
 * values of the live object.
 */
export function checkIdentity(object: StoredObject, live: StoredObject, target: Target): void {
  const { served, name } = target;
  const { metadata } = object;
  // The namespace of a cluster-scoped object is removed silently.
  if (served.namespaced && metadata.namespace && metadata.namespace !== live.metadata.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (!metadata.name) {
    throw badRequest(
      `the name of the object (${name} based on URL) was undeterminable: name must be provided`,
    );
  }
  if (metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.uid && metadata.uid !== live.metadata.uid) {
    throw otherUid(target, metadata.uid, live.metadata.uid ?? '');
  }
  const { resourceVersion } = metadata;
  const wrongVersion = resourceVersion ? uint64Problem(resourceVersion) : undefined;
  if (wrongVersion !== undefined) throw internalError(wrongVersion);
  if (
    resourceVersion &&
    resourceVersion !== '0' &&
    resourceVersion !== live.metadata.resourceVersion
  ) {
    throw conflict(served, name);
  }
}

/**
 * The change that a PUT makes.
 * @throws ApiError in the same cases as `requireResourceVersion`, after the other identity checks.
 */
export function replacedBy(body: StoredObject, target: Target): (live: StoredObject) => Change {
  return (live) => {
    checkIdentity(body, live, target);
    requireResourceVersion(body, target.served, target.name);
    return { object: body };
  };
}

/**
 * Built-in kinds for which a PUT must have a resourceVersion, like for every custom resource (Go:
 * `AllowUnconditionalUpdate`).
 */
const CONDITIONAL: ReadonlySet<string> = new Set([
  'APIService',
  'CSIDriver',
  'CSINode',
  'CSIStorageCapacity',
  'ClusterTrustBundle',
  'CustomResourceDefinition',
  'Lease',
  'LeaseCandidate',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
  'MutatingWebhookConfiguration',
  'PodCertificateRequest',
  'PodDisruptionBudget',
  'RuntimeClass',
  'StorageVersion',
  'StorageVersionMigration',
  'ValidatingAdmissionPolicy',
  'ValidatingAdmissionPolicyBinding',
  'ValidatingWebhookConfiguration',
  'VolumeAttachment',
]);

/** @throws ApiError 422 when a PUT or a patch lacks a resourceVersion that it needs. */
export function requireResourceVersion(
  object: StoredObject,
  served: ServedResource,
  name: string,
): void {
  const { resourceVersion } = object.metadata;
  if (!served.custom && !CONDITIONAL.has(served.kind)) return;
  if (resourceVersion && resourceVersion !== '0') return;
  const problem: FieldError = {
    field: 'metadata.resourceVersion',
    reason: 'FieldValueInvalid',
    message: 'Invalid value: 0: must be specified for an update',
  };
  // This message of the server contains the resource. All its other messages contain the kind.
  throw invalid({ kind: served.plural, group: served.group }, name, [problem]);
}

/**
 * Takes from `wanted` only the fields that this endpoint writes: the status, or all fields except the status.
 * All other fields keep their stored values.
 */
function separate(
  wanted: StoredObject,
  stored: StoredObject,
  served: ServedResource,
  subresource: string | undefined,
): StoredObject {
  if (subresource === 'status') return withStatusOf(stored, wanted, served);
  if (isPodPart(subresource)) return withPodPart(stored, wanted, subresource);
  const separated = served.subresources.some(({ name }) => name === 'status');
  if (!separated || subresource === 'finalize') return wanted;
  return withFields(wanted, { status: stored.status });
}

/**
 * Restores fields that only the server may change. Validation refuses a deletionTimestamp of a
 * client.
 */
function withSystemMetadata(object: StoredObject, { metadata }: StoredObject): StoredObject {
  const { deletionTimestamp, deletionGracePeriodSeconds } = object.metadata;
  return withMetadata(object, {
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    resourceVersion: metadata.resourceVersion,
    creationTimestamp: metadata.creationTimestamp,
    deletionTimestamp: metadata.deletionTimestamp ?? deletionTimestamp,
    deletionGracePeriodSeconds: deletionGracePeriodSeconds ?? metadata.deletionGracePeriodSeconds,
    managedFields: metadata.managedFields,
    selfLink: undefined,
  });
}
