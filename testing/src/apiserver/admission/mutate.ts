import type { AdmissionRequest } from '../cluster/admission-request.ts';
import type { Cluster } from '../cluster/cluster.ts';
import type { Steps } from '../cluster/steps.ts';
import { jsonEquals } from '../objects/json-value.ts';
import { withMetadata } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { fromStored, type ServedResource } from '../registry/served-resource.ts';
import { applyMutatingPolicies, hasMutatingPolicies } from './policy/mutating-policies.ts';
import { ADMISSION_GROUP } from './request/match.ts';
import { Reinvocation } from './request/reinvocation.ts';
import { callMutatingWebhooks, hasMutatingWebhooks } from './webhook/mutating-webhooks.ts';

/** An object that is about to be stored, and that admission may change. */
interface Draft {
  /** The object in its storage format with defaults, before the built-in plugins have changed it. */
  readonly object: StoredObject;
  /**
   * Computes `metadata.managedFields`. It is called before admission changes the object, so that fields that
   * admission sets do not belong to any field manager.
   */
  readonly managedFields: () => readonly unknown[];
  /** Adds the fields that the built-in plugins set. */
  readonly builtIn: (object: StoredObject) => StoredObject;
  /**
   * Returns the object as policies and webhooks see it. Without this function, they see the object in the
   * version of the request.
   */
  readonly shown?: (object: StoredObject) => StoredObject;
  /**
   * Converts a changed object back to its storage format, adds defaults, and undoes changes of immutable
   * fields.
   * @throws ApiError when a change is refused.
   */
  readonly prepare: (object: StoredObject) => StoredObject;
}

/**
 * Runs everything that may change an object before it is validated: built-in plugins, then
 * MutatingAdmissionPolicies, then webhooks. After a change by a policy or webhook, the built-in
 * plugins and the policies and webhooks due for reinvocation run again (k8s.io/apiserver,
 * pkg/admission/reinvocation.go).
 *
 * @param draft - the object to change; undefined for a deletion. Webhooks receive the deleted object, but
 * cannot change it.
 * @returns the object in its storage format.
 * @throws ApiError with the error of the policy or webhook that refuses the request or fails.
 */
export function mutate(
  cluster: Cluster,
  request: AdmissionRequest,
  draft: undefined,
): Steps<undefined>;
export function mutate(
  cluster: Cluster,
  request: AdmissionRequest,
  draft: Draft,
): Steps<StoredObject>;
export function* mutate(
  cluster: Cluster,
  request: AdmissionRequest,
  draft: Draft | undefined,
): Steps<StoredObject | undefined> {
  const plain = draft?.builtIn(draft.object);
  if (!isMutable(cluster, request.served)) return plain;
  const policies = new Reinvocation();
  const webhooks = new Reinvocation();
  const run = function* (object: StoredObject | undefined): Steps<StoredObject | undefined> {
    const seen = { ...request, object };
    const byPolicies = yield* applyMutatingPolicies(cluster, seen, policies);
    return yield* callMutatingWebhooks(cluster, { ...seen, object: byPolicies }, webhooks);
  };
  if (draft === undefined || plain === undefined) {
    yield* run(undefined);
    return undefined;
  }
  const shown = draft.shown ?? ((object) => fromStored(request.served, object));
  const managedFields = ownersOf(draft);
  const before = asSent(withMetadata(shown(plain), { managedFields }), request);
  const once = (yield* run(before)) ?? before;
  if (once === before || jsonEquals(once, before)) return plain;
  const again = shown(draft.builtIn(draft.prepare(once)));
  policies.begin();
  webhooks.begin();
  const twice = (yield* run(asSent(withMetadata(again, { managedFields }), request))) ?? again;
  return draft.builtIn(draft.prepare(twice));
}

function isMutable(cluster: Cluster, { group }: ServedResource): boolean {
  // Policies and webhook configurations are never mutated, so that administrators can always repair them.
  if (group === ADMISSION_GROUP) return false;
  return hasMutatingPolicies(cluster) || hasMutatingWebhooks(cluster);
}

/**
 * The value for `metadata.managedFields`. Undefined if it cannot be computed because the object is invalid.
 * Validation refuses such an object later.
 */
function ownersOf({ managedFields }: Draft): readonly unknown[] | undefined {
  try {
    return managedFields();
  } catch {
    return undefined;
  }
}

/**
 * The object as admission sees it. A new object does not yet have the uid, the time and the generated name
 * that the server gives it.
 */
function asSent(object: StoredObject, { operation, name }: AdmissionRequest): StoredObject {
  if (operation !== 'CREATE') return object;
  return withMetadata(object, {
    name: name === '' ? undefined : object.metadata.name,
    uid: undefined,
    creationTimestamp: undefined,
    generation: undefined,
  });
}
