import type { KubernetesObject } from 'chancery';

const API_VERSION = 'admissionregistration.k8s.io/v1';

/** The requests that a policy checks. */
export interface ResourceRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  readonly operations: readonly string[];
  readonly resources: readonly string[];
}

/** One rule, before it is rendered as an object. */
export interface Policy {
  /**
   * The last part of the object's name. The name consists of the name of the operator, `-`, and
   * `rule`.
   */
  readonly rule: string;
  /** The purpose of the rule in one sentence. It becomes the comment of its file. */
  readonly about: string;
  readonly resourceRules: readonly ResourceRule[];
  /** Expressions that are true for the requests that the rule checks. */
  readonly matches: readonly { readonly name: string; readonly expression: string }[];
  readonly variables: readonly { readonly name: string; readonly expression: string }[];
  readonly validations: readonly {
    readonly expression: string;
    readonly message: string;
    readonly messageExpression?: string;
  }[];
  /** Writes that the rule cannot check, one line each. Default: none. */
  readonly leftToRbac?: readonly string[];
}

/** The annotation in which a policy lists the writes that it does not check. */
const LEFT_TO_RBAC = 'chancery.dev/left-to-rbac';

const MANAGED_BY = 'app.kubernetes.io/managed-by';

/** The ValidatingAdmissionPolicy of a rule. */
export function policyObject(operator: string, policy: Policy): KubernetesObject {
  const { rule, resourceRules, matches, variables, validations, leftToRbac = [] } = policy;
  return {
    apiVersion: API_VERSION,
    kind: 'ValidatingAdmissionPolicy',
    metadata: {
      name: policyName(operator, rule),
      labels: { [MANAGED_BY]: 'chancery' },
      ...(leftToRbac.length > 0 && { annotations: { [LEFT_TO_RBAC]: leftToRbac.join('\n') } }),
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

/**
 * The binding that activates a policy.
 *
 * @param warns - if true, the policy only warns and adds an entry to the audit log. It refuses
 * nothing.
 */
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
