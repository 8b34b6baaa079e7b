import type { LabelSelector } from 'chancery';
import { matchesSelector, objectKey, selectorFromObject } from 'chancery/internal-objects';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { isObject, type Json } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { fromStored, type ServedResource } from '../../registry/served-resource.ts';

/** A mistake in the parameters of a policy or binding, with the server's message. */
export class ParamProblem extends Error {
  override readonly name = 'ParamProblem';
  /** True if the mistake is in the policy; false if it is in the binding. */
  readonly ofPolicy: boolean;

  constructor(what: 'policy' | 'binding', why: string) {
    super(`failed to configure ${what}: ${why}`);
    this.ofPolicy = what === 'policy';
  }
}

/**
 * The parameters of a policy. The policy is evaluated once for each item of this list. The item `undefined`
 * stands for an evaluation without a parameter (k8s.io/apiserver,
 * pkg/admission/plugin/policy/generic/policy_dispatcher.go, CollectParams).
 *
 * @throws ParamProblem when there are no parameters and the binding's action is `Deny`, or when the binding
 * does not say which objects are its parameters.
 */
export function paramsOf(
  cluster: Cluster,
  policy: Json,
  binding: Json,
  request: AdmissionRequest,
): readonly (StoredObject | undefined)[] {
  const { paramKind } = policy;
  const { paramRef } = binding;
  if (!isObject(paramKind)) return [undefined];
  const served = cluster.registry.byKind(String(paramKind.apiVersion), String(paramKind.kind));
  if (served === undefined) {
    const kind = `${String(paramKind.apiVersion)}, Kind=${String(paramKind.kind)}`;
    const why = `failed to find resource referenced by paramKind: '${kind}'`;
    throw new ParamProblem('policy', why);
  }
  if (!isObject(paramRef)) return [undefined];
  const found = foundBy(cluster, served, paramRef, request);
  if (found.length === 0 && paramRef.parameterNotFoundAction === 'Deny') {
    throw new ParamProblem(
      'binding',
      'no params found for policy binding with `Deny` parameterNotFoundAction',
    );
  }
  return found;
}

function foundBy(
  { storage }: Cluster,
  served: ServedResource,
  { name, namespace, selector }: Json,
  request: AdmissionRequest,
): readonly StoredObject[] {
  if (namespace && !served.namespaced) {
    throw new ParamProblem(
      'binding',
      'paramRef.namespace must not be provided for a cluster-scoped `paramKind`',
    );
  }
  const place = served.namespaced ? String(namespace || request.namespace || '') : undefined;
  if (place === '') {
    throw new ParamProblem(
      'binding',
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  }
  if (name) {
    const stored = storage.get(served.storedAs, objectKey(place, String(name)));
    return stored === undefined ? [] : [fromStored(served, stored)];
  }
  const wanted = selectorFromObject((isObject(selector) ? selector : {}) as LabelSelector);
  return storage
    .list(served.storedAs, place)
    .filter(({ metadata }) => matchesSelector(wanted, metadata.labels ?? {}))
    .map((stored) => fromStored(served, stored));
}
