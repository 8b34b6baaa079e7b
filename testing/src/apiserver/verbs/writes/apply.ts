import { apiVersionOf, rfc3339 } from 'chancery/internal-objects';
import { requireCreate } from '../../auth/create-by-write.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { badRequest, internalError } from '../../failures/failure.ts';
import { invalidOptions } from '../../failures/invalid.ts';
import { conflict, notFound } from '../../failures/object-failures.ts';
import { uint64Problem } from '../../objects/go-integers.ts';
import { isObject, type Json, withMetadata } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { serverSideApply } from '../../patch/apply/server-side-apply.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import type { PatchOptions } from '../../request/options.ts';
import { keyOfTarget, type Target, uidIsImmutable } from '../target.ts';
import {
  type AppliedIdentity,
  identityOf,
  readApplied,
  reportDuplicates,
} from './applied-configuration.ts';
import { createObject } from './create.ts';
import { type Change, requireResourceVersion, updateObject } from './update.ts';

export interface Patched {
  readonly object: StoredObject;
  /** True when the apply created the object. */
  readonly created: boolean;
}

/**
 * Server-side apply: creates the object, or merges the configuration into it. Errors are found in the
 * server's order: errors of the configuration, conflicts, a different identity of the object, and then the
 * errors that every write can have.
 */
export function* applyObject(
  cluster: Cluster,
  target: Target,
  text: string,
  options: PatchOptions,
): Steps<Patched> {
  const { served, name } = target;
  requireManager(options);
  const live = cluster.storage.get(served.storedAs, keyOfTarget(target));
  if (live === undefined && options.subresource) throw notFound(served, name);
  const applied = readApplied(text, served);
  const identity = identityOf(applied);
  if (live !== undefined) {
    const change = (shown: StoredObject): Change => {
      const merged = mergeApplied(cluster, target, shown, applied, options);
      reportDuplicates(text, options);
      checkPlace(identity, target);
      if (saysVersion(applied)) requireResourceVersion(merged.object, served, name);
      if (identity.uid && identity.uid !== shown.metadata.uid) {
        throw uidIsImmutable(target, identity.uid);
      }
      return merged;
    };
    return { object: yield* updateObject(cluster, target, change, options), created: false };
  }
  const { object, managedFields } = mergeApplied(cluster, target, undefined, applied, options);
  reportDuplicates(text, options);
  checkAbsent(identity, target);
  requireCreate(cluster, target, options.caller);
  const named = withMetadata(object, { name, resourceVersion: undefined, uid: undefined });
  const create = { ...options, managedFields };
  const created = yield* createObject(cluster, served, target.namespace, named, create);
  return { object: created, created: true };
}

function mergeApplied(
  { clock }: Cluster,
  { served }: Target,
  live: StoredObject | undefined,
  applied: Json,
  options: PatchOptions,
): { object: StoredObject; managedFields: readonly unknown[] } {
  const merged = serverSideApply({
    live: live === undefined ? undefined : (live as Json),
    applied,
    manager: options.fieldManager,
    force: options.force,
    apiVersion: apiVersionOf(served),
    subresource: options.subresource ?? '',
    time: rfc3339(clock.now()),
    schema: served.schema,
    ignoredFields: ignoredFields(served, options.subresource),
  });
  return {
    object: withMetadata(merged.object as unknown as StoredObject, {}),
    managedFields: merged.managedFields,
  };
}

/**
 * The fields that have no owner after an apply to this endpoint, because another endpoint of the object
 * writes them.
 */
function ignoredFields(
  served: ServedResource,
  subresource: string | undefined,
): readonly (readonly string[])[] {
  if (subresource === 'status') return [['spec'], ['metadata', 'labels']];
  return served.subresources.some(({ name }) => name === 'status') ? [['status']] : [];
}

/** @throws ApiError 422 for an apply without a field manager. */
export function requireManager({ fieldManager }: PatchOptions): void {
  if (fieldManager !== '') return;
  const message = 'Required value: is required for apply patch';
  throw invalidOptions('PatchOptions', [
    { field: 'fieldManager', reason: 'FieldValueRequired', message },
  ]);
}

/**
 * Whether the configuration sets a resourceVersion, even an empty one. If so, the configuration's value
 * replaces the resourceVersion of the live object.
 */
function saysVersion({ metadata }: Json): boolean {
  return isObject(metadata) && metadata.resourceVersion !== undefined;
}

/** Checks the configuration of a new object: it must contain the name, and match the path of the request. */
function checkAbsent(identity: AppliedIdentity, target: Target): void {
  const { name, uid, resourceVersion } = identity;
  if (uid) throw uidOfAbsent(target, uid);
  checkPlace(identity, target);
  if (name === '') {
    throw badRequest(
      `the name of the object (${target.name} based on URL) was undeterminable: name must be provided`,
    );
  }
  const problem = resourceVersion ? uint64Problem(resourceVersion) : undefined;
  if (problem !== undefined) throw internalError(problem);
}

/** @throws ApiError 400 for a configuration whose name or namespace differs from the path. */
export function checkPlace({ name, namespace }: AppliedIdentity, target: Target): void {
  if (namespace && target.namespace !== undefined && namespace !== target.namespace) {
    throw badRequest(
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
  if (name && name !== target.name) {
    throw badRequest(
      `the name of the object (${name}) does not match the name on the URL (${target.name})`,
    );
  }
}

function uidOfAbsent({ served, name }: Target, uid: string): Error {
  const why = `uid mismatch: the provided object specified uid ${uid}, and no existing object was found`;
  return conflict(served, name, why);
}
