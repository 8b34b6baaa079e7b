import { compiledPolicy, expressionsOf } from '../cel/compiled-policy.ts';
import { isObject, type Json } from '../objects/metadata.ts';
import type { StoredObject } from '../objects/stored-object.ts';
import { failurePolicy, matchResources } from './admission-rules.ts';
import { isEmpty, itemsOf } from './fields/check.ts';
import { invalidValue, notSupported, type Problem, required } from './fields/problem.ts';

/**
 * The problems of a validating or mutating policy: problems of its fields, and expressions that do not
 * compile.
 */
export function policyProblems(policy: StoredObject): readonly Problem[] {
  const expressions = expressionsOf(compiledPolicy(policy)).flatMap(({ field, text, program }) =>
    'rejected' in program ? [invalidValue(field, text, program.rejected)] : [],
  );
  const spec = isObject(policy.spec) ? policy.spec : {};
  const isMutating = policy.kind === 'MutatingAdmissionPolicy';
  return [
    ...failurePolicy(spec.failurePolicy, 'spec.failurePolicy'),
    ...constraintProblems(spec.matchConstraints),
    ...(isMutating ? operationProblems(spec.matchConstraints) : []),
    ...(isMutating ? mutationProblems(spec) : validationProblems(spec)),
    ...expressions,
  ];
}

function constraintProblems(constraints: unknown): readonly Problem[] {
  const field = 'spec.matchConstraints';
  if (!isObject(constraints)) return [required(field)];
  return [
    ...matchResources(constraints, field),
    ...(isEmpty(constraints.resourceRules) ? [required(`${field}.resourceRules`)] : []),
  ];
}

/** The operations that a mutating policy can match: only creates and updates can be mutated. */
const MUTABLE = ['*', 'CREATE', 'UPDATE'];

function operationProblems(constraints: unknown): readonly Problem[] {
  const rules = isObject(constraints) ? itemsOf(constraints.resourceRules) : [];
  return rules
    .flatMap(({ operations }) => (Array.isArray(operations) ? operations : []))
    .filter((operation) => !MUTABLE.includes(operation))
    .map((operation) =>
      notSupported('spec.matchConstraints.resourceRules.operations', operation, MUTABLE),
    );
}

function validationProblems({ validations, auditAnnotations }: Json): readonly Problem[] {
  if (!isEmpty(validations) || !isEmpty(auditAnnotations)) return [];
  const why = 'validations or auditAnnotations must contain at least one item';
  return [required('spec.validations', why), required('spec.auditAnnotations', why)];
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

/**
 * Requires `applyConfiguration` or `jsonPatch` in a mutation, depending on its `patchType`
 * (pkg/apis/admissionregistration/validation).
 */
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
