import { rfc3339 } from 'chancery';
import { admitChange, admitWrite } from '../../admission/admit.ts';
import { refuseEscalation } from '../../auth/escalation.ts';
import type { Cluster } from '../../cluster/cluster.ts';
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
import { changedMetadata } from '../../validation/fields/metadata.ts';
import { podContent } from '../../validation/pods/pod.ts';
import { canonical, storable, storedForm } from '../canonical.ts';
import { finishesDeletion } from '../deletes/deletion.ts';
import { ownersAfter } from '../ownership.ts';
import { scaleOf } from '../subresources/scale.ts';
import { keyOfTarget, otherUid, requireStored, type Target } from '../target.ts';
import { nextGeneration } from './generation.ts';
import { isPodPart, podPartProblems, withPodPart } from './pod-part.ts';

/** What an object is to become; `managedFields` where the change has worked them out itself. */
export interface Change {
  readonly object: StoredObject;
  readonly managedFields?: readonly unknown[];
}

/**
 * Changes an object: an update, a patch of any kind, a write of its status.
 *
 * `change` gets the object as the served version shows it. A change without effect is not stored,
 * takes no revision and causes no event.
 *
 * @returns the object after the change; after one that ends a pending deletion, its last state.
 */
export function updateObject(
  cluster: Cluster,
  target: Target,
  change: (live: StoredObject) => Change,
  options: WriteOptions,
): StoredObject {
  const { served } = target;
  const kept = requireStored(cluster, target);
  const stored = served.revised?.(kept) ?? kept;
  const live = fromStored(served, kept);
  const wanted = change(live);
  checkIdentity(wanted.object, live, target);
  refuseEscalation(cluster, { ...target, object: wanted.object, live }, options.caller);

  const separated = separate(toStored(served, wanted.object), stored, served, options.subresource);
  const prepared = served.strategy.prepare(withSystemMetadata(separated, stored), stored);
  const completed = served.strategy.keep?.(prepared, stored) ?? prepared;
  // In the form in which it would be stored, so that nothing but a change looks like one.
  const admitted = admitChange(
    cluster,
    served,
    withMetadata(completed, { managedFields: undefined }),
  );
  const whole = canonical(served, served.strategy.complete(admitted));
  const { subresource } = options;
  const ofContent = isPodPart(subresource)
    ? [...podContent(whole), ...podPartProblems(whole, stored, subresource)]
    : served.strategy.validate(whole, stored);
  const problems = [...changedMetadata(whole, stored), ...ofContent];
  if (problems.length > 0) throw invalid(storedKind(served), target.name, problems);

  const isWish = options.subresource !== 'status'; // a status with annotations is none
  const generation = isWish
    ? nextGeneration(served, storedForm(served, whole), stored)
    : stored.metadata.generation;
  const generated = withMetadata(prepared, { generation });
  const time = rfc3339(cluster.clock.now());
  // A client may send managedFields: that is how owners are forgotten, or fields moved between owners.
  const sent = withMetadata(generated, {
    managedFields: wanted.object.metadata.managedFields,
  });
  const managedFields = wanted.managedFields ?? ownersAfter(served, stored, sent, options, time);
  const complete = storable(served, withMetadata(whole, { generation, managedFields }));
  const shown = (object: StoredObject): StoredObject =>
    subresource === 'scale' ? scaleOf(object, served) : fromStored(served, object);
  admitWrite(cluster, {
    operation: 'UPDATE',
    served,
    subresource,
    namespace: target.namespace,
    name: target.name,
    object: shown(complete),
    previous: shown(kept),
    writer: options,
  });
  return fromStored(served, commit(cluster, target, complete, kept, options.dryRun));
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

/** Equal but for the times at which managers last wrote: such a write is no change. */
function isSame(a: StoredObject, b: StoredObject): boolean {
  return jsonEquals(withoutTimes(a), withoutTimes(b));
}

function withoutTimes(object: StoredObject): StoredObject {
  const managedFields = object.metadata.managedFields as readonly object[] | undefined;
  if (managedFields === undefined) return object;
  const timeless = managedFields.map((entry) => ({ ...entry, time: undefined }));
  return withMetadata(object, { managedFields: timeless });
}

/** Name, namespace, uid and resourceVersion, where the change names them, must be the live ones. */
function checkIdentity(object: StoredObject, live: StoredObject, target: Target): void {
  const { served, name } = target;
  const { metadata } = object;
  if (metadata.name !== undefined && metadata.name !== '' && metadata.name !== name) {
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (metadata.namespace && metadata.namespace !== live.metadata.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
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

/** Built-in kinds whose PUT needs a resourceVersion, as a PUT of custom resources does. */
const CONDITIONAL: ReadonlySet<string> = new Set([
  'CustomResourceDefinition',
  'Lease',
  'PodDisruptionBudget',
]);

/** @throws ApiError 422 where a PUT has no resourceVersion and needs one. */
export function requireResourceVersion(object: StoredObject, served: ServedResource): void {
  const { resourceVersion } = object.metadata;
  if (!served.custom && !CONDITIONAL.has(served.kind)) return;
  if (resourceVersion && resourceVersion !== '0') return;
  const problem: FieldError = {
    field: 'metadata.resourceVersion',
    reason: 'FieldValueInvalid',
    message: 'Invalid value: 0: must be specified for an update',
  };
  throw invalid(served, object.metadata.name ?? '', [problem]);
}

/** Each of the two sides of an object is written through its own path; the other keeps its state. */
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

function withStatusOf(
  stored: StoredObject,
  wanted: StoredObject,
  served: ServedResource,
): StoredObject {
  const changed = withFields(stored, { status: wanted.status });
  // Built-in controllers write annotations along with the status, as the revision of a Deployment.
  if (served.custom) return changed;
  return withMetadata(changed, { annotations: wanted.metadata.annotations });
}

/** Fields that only the server may change. Validation refuses a deletionTimestamp of a client. */
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
