import { compiledPolicy } from '../../cel/compiled-policy.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { policyDenied } from '../../failures/object-failures.ts';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { evaluate, type Verdict } from './evaluate.ts';
import { bindingMatches, policyMatches } from './match.ts';

const GROUP = 'admissionregistration.k8s.io';
const POLICIES = `validatingadmissionpolicies.${GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${GROUP}`;

/**
 * Evaluates every ValidatingAdmissionPolicy with a binding that matches the request. All are
 * evaluated, and the first denial is the answer, as in kube-apiserver
 * (k8s.io/apiserver, pkg/admission/plugin/policy/validating/dispatcher.go, Dispatch). A policy takes
 * effect with the write that creates it: the informer of a real server takes about a second.
 *
 * @throws ApiError 422 or the status of the validation's reason.
 */
export function enforcePolicies(cluster: Cluster, request: AdmissionRequest): void {
  const { storage } = cluster;
  // No policy may forbid the repair of policies.
  if (request.served.group === GROUP) return;
  const policies = storage.list(POLICIES);
  if (policies.length === 0) return;
  const bindings = storage.list(BINDINGS);
  const denials = policies.flatMap((policy) => denialsOf(cluster, policy, bindings, request));
  const [first] = denials;
  if (first !== undefined) throw first;
}

function denialsOf(
  cluster: Cluster,
  policy: StoredObject,
  bindings: readonly StoredObject[],
  request: AdmissionRequest,
): readonly Error[] {
  const policyName = policy.metadata.name ?? '';
  const own = bindings.filter((one) => valueAt(one, ['spec', 'policyName']) === policyName);
  if (own.length === 0) return [];
  const matched = policyMatches(cluster, specOf(policy), request);
  if (matched === undefined) return [];
  return own
    .filter((binding) => bindingMatches(cluster, specOf(binding), matched))
    .flatMap((binding) => {
      const failures = evaluate(cluster, compiledPolicy(policy), matched);
      return failures.flatMap((verdict) => acted(policyName, binding, verdict, request));
    });
}

/** The actions of a binding for a validation that failed. */
function acted(
  policyName: string,
  binding: StoredObject,
  { message, reason }: Verdict,
  { served, name, writer }: AdmissionRequest,
): readonly Error[] {
  const actions = specOf(binding).validationActions;
  const has = (action: string): boolean => Array.isArray(actions) && actions.includes(action);
  const where = `'${policyName}' with binding '${binding.metadata.name ?? ''}'`;
  if (has('Warn')) {
    writer.warn(`Validation failed for ValidatingAdmissionPolicy ${where}: ${message}`);
  }
  if (!has('Deny')) return [];
  const why = `ValidatingAdmissionPolicy ${where} denied request: ${message}`;
  return [policyDenied(served, name, why, reason)];
}

function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}
