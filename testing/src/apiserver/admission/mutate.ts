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

/** An object on its way into the storage, which admission may change. */
interface Draft {
  /** In the shape of the storage, with defaults, before the built-in plugins. */
  readonly object: StoredObject;
  /** Worked out before anything is changed: what admission sets has no owner. */
  readonly managedFields: () => readonly unknown[];
  /** What the built-in plugins add. */
  readonly builtIn: (object: StoredObject) => StoredObject;
  /** As policies and webhooks see it. Default: in the version of the request. */
  readonly shown?: (object: StoredObject) => StoredObject;
  /** The way back, with defaults, without what nobody may change. @throws ApiError for what nobody may change at all. */
  readonly prepare: (object: StoredObject) => StoredObject;
}

/**
 * Runs everything that may change an object before it is validated: built-in plugins, then
 * MutatingAdmissionPolicies, then webhooks. Where a policy or a webhook has changed it, all that follows
 * from its content runs once more (k8s.io/apiserver, pkg/admission/reinvocation.go).
 *
 * @param draft - undefined for a deletion: it is only shown to webhooks.
 * @returns the object in the shape of the storage.
 * @throws ApiError of the policy or webhook that refuses, or that fails.
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
  // Nothing may change what could repair it.
  if (group === ADMISSION_GROUP) return false;
  return hasMutatingPolicies(cluster) || hasMutatingWebhooks(cluster);
}

/** No owners for an object that is too broken to have some: validation refuses it later. */
function ownersOf({ managedFields }: Draft): readonly unknown[] | undefined {
  try {
    return managedFields();
  } catch {
    return undefined;
  }
}

/** A new object has got no name, uid and time yet. */
function asSent(object: StoredObject, { operation, name }: AdmissionRequest): StoredObject {
  if (operation !== 'CREATE') return object;
  return withMetadata(object, {
    name: name === '' ? undefined : object.metadata.name,
    uid: undefined,
    creationTimestamp: undefined,
    generation: undefined,
  });
}
