import { compiledPolicy, type PolicyMutation } from '../../cel/compiled-policy.ts';
import { type AdmissionRequest, nameInRefusals } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { convertedTo } from '../../cluster/converted.ts';
import type { Steps } from '../../cluster/steps.ts';
import { mutationDenied } from '../../failures/object-failures.ts';
import { jsonEquals } from '../../objects/json-value.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import type { ServedResource } from '../../registry/served-resource.ts';
import { ADMISSION_GROUP, bindingMatches, inVersion, matchedResource } from '../request/match.ts';
import type { Reinvocation } from '../request/reinvocation.ts';
import { PolicyRun } from './evaluate.ts';
import { mutated } from './mutation.ts';
import { ParamProblem, paramsOf } from './params.ts';
import { bindingsOf, specOf } from './policies.ts';

const POLICIES = `mutatingadmissionpolicies.${ADMISSION_GROUP}`;
const BINDINGS = `mutatingadmissionpolicybindings.${ADMISSION_GROUP}`;

export function hasMutatingPolicies({ storage }: Cluster): boolean {
  return storage.list(BINDINGS).length > 0;
}

/** One policy with one of its bindings and one parameter. */
interface Invocation {
  readonly policy: StoredObject;
  readonly binding: StoredObject;
  readonly param: StoredObject | undefined;
  /** The resource in the version that a rule of the policy matches. */
  readonly served: ServedResource;
}

/**
 * Applies the MutatingAdmissionPolicies that match a write, sorted by name. Each policy sees the changes of
 * the previous policies (k8s.io/apiserver, pkg/admission/plugin/policy/mutating/dispatcher.go).
 *
 * @returns the object in the version of the request.
 * @throws ApiError when a policy cannot be evaluated, unless its `failurePolicy` is `Ignore`.
 */
export function* applyMutatingPolicies(
  cluster: Cluster,
  request: AdmissionRequest,
  reinvocation: Reinvocation,
): Steps<StoredObject | undefined> {
  reinvocation.enter(request.object);
  const errors: string[] = [];
  const fail: Fail = ({ policy, binding }, why) => {
    if (specOf(policy).failurePolicy === 'Ignore') return;
    const where =
      binding === undefined
        ? `policy ${JSON.stringify(policy.metadata.name)}`
        : `policy '${policy.metadata.name}' with binding '${binding.metadata.name}'`;
    errors.push(`${where} denied request: ${why}`);
  };
  let current = request;
  let changed = false;
  for (const invocation of invocationsOf(cluster, request, fail)) {
    const seen = yield* inVersion(invocation.served, current);
    const object = applied(cluster, invocation, seen, reinvocation, (why) => fail(invocation, why));
    if (object === undefined || jsonEquals(object, seen.object)) continue;
    changed = true;
    reinvocation.changed();
    const back = yield* convertedTo(request.served, seen.served, object);
    current = { ...current, object: back };
  }
  if (changed) reinvocation.changed();
  reinvocation.leave(current.object);
  if (errors.length > 0) throw mutationDenied(request.served, nameInRefusals(request), errors);
  return current.object;
}

/** Reports an error of a policy, or of one of its bindings. */
type Fail = (
  place: Pick<Invocation, 'policy'> & Partial<Pick<Invocation, 'binding'>>,
  why: string,
) => void;

/**
 * The policies and bindings that match the original request. If the object matches a policy only after
 * another policy has changed it, that policy does not run.
 */
function invocationsOf(
  cluster: Cluster,
  request: AdmissionRequest,
  fail: Fail,
): readonly Invocation[] {
  const { storage } = cluster;
  return storage.list(POLICIES).flatMap((policy) => {
    const bindings = bindingsOf(storage.list(BINDINGS), policy);
    if (bindings.length === 0) return [];
    const served = matchedResource(cluster, specOf(policy).matchConstraints, request);
    if (served === undefined) return [];
    return bindings
      .filter((binding) => bindingMatches(cluster, specOf(binding), request))
      .flatMap((binding) => {
        try {
          const params = paramsOf(cluster, specOf(policy), specOf(binding), request);
          return params.map((param) => ({ policy, binding, param, served }));
        } catch (error) {
          if (!(error instanceof ParamProblem)) throw error;
          fail(error.ofPolicy ? { policy } : { policy, binding }, error.message);
          return [];
        }
      });
  });
}

/** The object after all mutations of a policy; undefined if the policy does not apply. */
function applied(
  cluster: Cluster,
  { policy, binding, param }: Invocation,
  seen: AdmissionRequest,
  reinvocation: Reinvocation,
  fail: (why: string) => void,
): StoredObject | undefined {
  if (seen.object === undefined) return undefined;
  const compiled = compiledPolicy(policy);
  const conditions = new PolicyRun(cluster, compiled, seen, param).conditions();
  if (typeof conditions !== 'boolean') {
    fail(conditions.error);
    return undefined;
  }
  const { name = '', namespace = '' } = param?.metadata ?? {};
  const key = [policy.metadata.name, binding.metadata.name, namespace, name].join('/');
  if (!conditions || !reinvocation.takesPart(key)) return undefined;
  let object: StoredObject = seen.object;
  for (const mutation of compiled.mutations) {
    const run = new PolicyRun(cluster, compiled, { ...seen, object }, param);
    object = attempted(mutation, run, object, seen.served, fail);
  }
  reinvocation.took(key, specOf(policy).reinvocationPolicy);
  return object;
}

function attempted(
  mutation: PolicyMutation,
  run: PolicyRun,
  object: StoredObject,
  served: ServedResource,
  fail: (why: string) => void,
): StoredObject {
  try {
    return mutated(mutation, run, object, served);
  } catch (error) {
    fail((error as Error).message);
    return object;
  }
}
