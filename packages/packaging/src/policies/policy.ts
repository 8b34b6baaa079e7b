import type { KubernetesObject } from 'chancery';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** Which requests a policy sees. */
export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

/** One rule, before it is an object. */
export interface Policy {
  /** The name of the object is that of the operator with `-` and this. */
  readonly rule: string;
  /** What it protects from, in one sentence: the comment of its file. */
  readonly about: string;
  readonly resourceRules: readonly ResourceRule[];
  /** True of the requests that it judges. */
  readonly matches: readonly { readonly name: string; readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly {
    readonly expression: string;
    readonly message: string;
    readonly messageExpression?: string;
  }[];
  /** What the rule does not know, one line each. Default: nothing. */
  readonly leftOut?: readonly string[];
}

/** The annotation in which a policy says what it does not judge. */
const LEFT_TO_RBAC = 'chancery.dev/left-to-rbac';

const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** The ValidatingAdmissionPolicy of a rule. */
export function policyObject(operator: string, policy: Policy): KubernetesObject {
  const { rule, resourceRules, matches, variables, validations, leftOut = [] } = policy;
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: {
      name: policyName(operator, rule),
      labels: { [MANAGED_BY]: 'chancery' },
      ...(leftOut.length > 0 && { annotations: { [LEFT_TO_RBAC]: leftOut.join('\n') } }),
    },
    spec: {
      failurePolicy: 'Fail',
      matchConstraints: { matchPolicy: 'Equivalent', resourceRules },
      ...(matches.length > 0 && { matchConditions: matches }),
      ...(variables.length > 0 && { variables }),
      validations: validations.map((each) => ({ ...each, reason: 'Forbidden' })),
    },
  } as unknown as KubernetesObject;
}

/** The binding by which a policy counts. @param warns - it warns and leaves a note in the audit log, and refuses nothing. */
export function bindingObject(
  operator: string,
  { rule }: Policy,
  warns: boolean,
): KubernetesObject {
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: policyName(operator, rule), labels: { [MANAGED_BY]: 'chancery' } },
    spec: {
      policyName: policyName(operator, rule),
      validationActions: warns ? ['Warn', 'Audit'] : ['Deny'],
    },
  } as unknown as KubernetesObject;
}

function policyName(operator: string, rule: string): string {
  return `${operator}-${rule}`;
}
