import { compiledPolicy, expressionsOf } from '../cel/compiled-policy.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { isEmpty } from './fields/check.ts';
import { invalidValue, notSupported, type Problem, required } from './fields/problem.ts';

/** The expressions of a policy of either kind that do not compile, and mutations that are none. */
export function policyProblems(policy: StoredObject): readonly Problem[] {
  const expressions = expressionsOf(compiledPolicy(policy)).flatMap(({ field, text, program }) =>
    'rejected' in program ? [invalidValue(field, text, program.rejected)] : [],
  );
  if (policy.kind !== 'MutatingAdmissionPolicy') return expressions;
  const spec = isObject(policy.spec) ? policy.spec : {};
  return [...mutationProblems(spec), ...expressions];
}

const POLICIES = ['Never', 'IfNeeded'];

function mutationProblems({ mutations, reinvocationPolicy }: Json): readonly Problem[] {
  const problems: Problem[] = [];
  if (isEmpty(mutations)) {
    problems.push(required('spec.mutations', 'mutations must contain at least one item'));
  }
  if (!reinvocationPolicy) problems.push(required('spec.reinvocationPolicy'));
  else if (!POLICIES.includes(String(reinvocationPolicy))) {
    problems.push(notSupported('spec.reinvocationPolicy', reinvocationPolicy, POLICIES));
  }
  for (const [at, one] of (Array.isArray(mutations) ? mutations : []).entries()) {
    problems.push(...mutationProblem(isObject(one) ? one : {}, `spec.mutations[${at}]`));
  }
  return problems;
}

const FIELDS: Readonly<Record<string, string>> = {
  ApplyConfiguration: 'applyConfiguration',
  JSONPatch: 'jsonPatch',
};

/** A mutation has a patch of the type that it names (pkg/apis/admissionregistration/validation). */
function mutationProblem(mutation: Json, field: string): readonly Problem[] {
  const { patchType } = mutation;
  if (!patchType) return [required(`${field}.patchType`)];
  const name = FIELDS[String(patchType)];
  if (name === undefined) {
    return [notSupported(`${field}.patchType`, patchType, Object.keys(FIELDS))];
  }
  const patch = mutation[name];
  if (!isObject(patch)) {
    return [required(`${field}.${name}`, `must be specified when patchType is ${patchType}`)];
  }
  return patch.expression ? [] : [required(`${field}.${name}.expression`)];
}
