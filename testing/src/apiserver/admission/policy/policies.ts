import { compiledPolicy } from '../../cel/compiled-policy.ts';
import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { Steps } from '../../cluster/steps.ts';
import { policyDenied } from '../../failures/object-failures.ts';
import { isObject, type Json, valueAt } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import {
  ADMISSION_GROUP,
  bindingMatches,
  inVersion,
  isAboutPolicies,
  matchedResource,
} from '../request/match.ts';
import { type Evaluation, evaluate, type Verdict } from './evaluate.ts';
import { ParamProblem, paramsOf } from './params.ts';

const POLICIES = `validatingadmissionpolicies.${ADMISSION_GROUP}`;
const BINDINGS = `validatingadmissionpolicybindings.${ADMISSION_GROUP}`;

/**
 * The key of the audit annotation with the failed validations of all bindings whose `validationActions`
 * include `Audit`.
 */
const FAILURES = 'validation.policy.admission.k8s.io/validation_failure';
/** The maximum number of failures in this annotation. Further failures are dropped. */
const MAX_FAILURES = 50;

/**
 * Evaluates every ValidatingAdmissionPolicy with a binding that matches the request. Like in kube-apiserver,
 * all of them are evaluated, and the answer is the first denial (k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/dispatcher.go, Dispatch). A policy takes effect immediately when it
 * is created. On a real server this takes about a second, because the informer lags behind.
 *
 * @throws ApiError 422, or the status that belongs to the reason of the validation.
 */
export function* enforcePolicies(cluster: Cluster, request: AdmissionRequest): Steps<void> {
  const { storage } = cluster;
  // No policy applies to policies, so that a broken policy can always be repaired.
  if (isAboutPolicies(request.served)) return;
  const policies = storage.list(POLICIES);
  if (policies.length === 0) return;
  const enforcement = new Enforcement(request);
  for (const policy of policies) {
    const bindings = bindingsOf(storage.list(BINDINGS), policy);
    if (bindings.length === 0) continue;
    const served = matchedResource(cluster, specOf(policy).matchConstraints, request);
    if (served === undefined) continue;
    const seen = yield* inVersion(served, request);
    enforcePolicy(cluster, policy, bindings, seen, enforcement);
  }
  enforcement.end();
}

/** The bindings of a validating or mutating policy. */
export function bindingsOf(
  bindings: readonly StoredObject[],
  policy: StoredObject,
): readonly StoredObject[] {
  return bindings.filter(
    (binding) => valueAt(binding, ['spec', 'policyName']) === policy.metadata.name,
  );
}

export function specOf({ spec }: StoredObject): Json {
  return isObject(spec) ? spec : {};
}

function enforcePolicy(
  cluster: Cluster,
  policy: StoredObject,
  bindings: readonly StoredObject[],
  request: AdmissionRequest,
  enforcement: Enforcement,
): void {
  const compiled = compiledPolicy(policy);
  const annotations = new Map<string, Set<string>>();
  for (const binding of bindings) {
    if (!bindingMatches(cluster, specOf(binding), request)) continue;
    const place = { policy, binding };
    try {
      for (const param of paramsOf(cluster, specOf(policy), specOf(binding), request)) {
        const evaluation = evaluate(cluster, compiled, request, param);
        enforcement.take(place, evaluation);
        for (const [key, value] of evaluation.annotations) {
          annotations.set(key, (annotations.get(key) ?? new Set()).add(value));
        }
      }
    } catch (error) {
      if (!(error instanceof ParamProblem)) throw error;
      if (!compiled.failsClosed) continue;
      const { message, ofPolicy } = error;
      enforcement.deny(ofPolicy ? { policy } : place, { message, reason: '', index: 0 });
    }
  }
  for (const [key, values] of annotations) {
    request.writer.annotate(`${policy.metadata.name}/${key}`, [...values].join(', '));
  }
}

interface Place {
  readonly policy: StoredObject;
  readonly binding: StoredObject;
}

/**
 * The policy and the binding that deny a request. If the error is in the policy, the message contains no
 * binding.
 */
type Denier = Pick<Place, 'policy'> & Partial<Place>;

/** Collects the verdicts of all policies for one request, and decides the answer. */
class Enforcement {
  readonly #request: AdmissionRequest;
  #denial: Error | undefined;
  readonly #failures: object[] = [];

  constructor(request: AdmissionRequest) {
    this.#request = request;
  }

  take(place: Place, { verdicts, annotationErrors }: Evaluation): void {
    for (const verdict of verdicts) this.#act(place, verdict);
    for (const verdict of annotationErrors) this.deny(place, verdict);
  }

  deny(place: Denier, { message, reason }: Verdict): void {
    const why = `ValidatingAdmissionPolicy ${textOf(place)} denied request: ${message}`;
    const name = nameInRefusals(this.#request);
    this.#denial ??= policyDenied(this.#request.served, name, why, reason);
  }

  /**
   * Ends the evaluation of the policies for this request.
   * @throws ApiError with the first denial.
   */
  end(): void {
    if (this.#failures.length > 0) {
      const failures = JSON.stringify(this.#failures.slice(0, MAX_FAILURES));
      this.#request.writer.annotate(FAILURES, failures);
    }
    if (this.#denial !== undefined) throw this.#denial;
  }

  #act(place: Place, verdict: Verdict): void {
    const { validationActions } = specOf(place.binding);
    const actions = Array.isArray(validationActions) ? validationActions : [];
    for (const action of actions) {
      if (action === 'Deny') this.deny(place, verdict);
      if (action === 'Audit') this.#failures.push(failureOf(place, verdict, actions));
      if (action === 'Warn') {
        const what = `Validation failed for ValidatingAdmissionPolicy ${textOf(place)}`;
        this.#request.writer.warn(`${what}: ${verdict.message}`);
      }
    }
  }
}

function textOf({ policy, binding }: Denier): string {
  const own = `'${policy.metadata.name}'`;
  return binding === undefined ? own : `${own} with binding '${binding.metadata.name}'`;
}

function failureOf(
  { policy, binding }: Place,
  { message, index }: Verdict,
  validationActions: readonly unknown[],
): object {
  return {
    message,
    policy: policy.metadata.name,
    binding: binding.metadata.name,
    expressionIndex: index,
    validationActions,
  };
}
