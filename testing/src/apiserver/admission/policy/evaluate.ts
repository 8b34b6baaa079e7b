import type {
  CompiledPolicy,
  PolicyAnnotation,
  PolicyValidation,
} from '../../cel/compiled-policy.ts';
import { conditionsHold } from '../../cel/match-conditions.ts';
import { type PolicyExpression, resultOf } from '../../cel/policy-expression.ts';
import { Budget } from '../../cel/runtime/budget.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { celVariables, policyVariables } from './policy-variables.ts';

/** A validation that failed. A validation that cannot be evaluated also counts as failed. */
export interface Verdict {
  readonly message: string;
  /** The `reason` of the validation; empty if it has none. */
  readonly reason: string;
  /** The index of the validation in the policy; 0 for a policy that could not be evaluated. */
  readonly index: number;
}

/** The result of one policy for one request. */
export interface Evaluation {
  readonly verdicts: readonly Verdict[];
  /** The audit annotations, as pairs of key and value. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /**
   * Audit annotations that could not be evaluated. They cause a denial of the request, even if the binding's
   * `validationActions` do not include `Deny`.
   */
  readonly annotationErrors: readonly Verdict[];
}

/**
 * The cost budget of all expressions of a policy for one request: the server's
 * `RuntimeCELCostBudget`.
 */
const POLICY_BUDGET = 10_000_000;

/** The maximum length of the message that a `messageExpression` returns, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** The maximum length of the value of an audit annotation, in UTF-16 code units. */
const MAX_ANNOTATION_LENGTH = 10 * 1024;

/** Evaluates the expressions of one policy for one request and one parameter. */
export class PolicyRun {
  readonly #policy: CompiledPolicy;
  readonly #variables: Readonly<Record<string, unknown>>;
  #budget = new Budget(POLICY_BUDGET);

  constructor(
    cluster: Cluster,
    policy: CompiledPolicy,
    request: AdmissionRequest,
    param: StoredObject | undefined,
  ) {
    this.#policy = policy;
    const lazily = new Map(
      [...policy.variables].map(([name, one]) => [name, (): unknown => this.run(one)]),
    );
    this.#variables = { ...celVariables(cluster, request), ...policyVariables(param, lazily) };
  }

  /** Whether all match conditions are true, or the error if this cannot be decided. */
  conditions(): boolean | { readonly error: string } {
    return conditionsHold(this.#policy.conditions, this.#variables);
  }

  /** @throws Error with the server's message when the expression cannot be evaluated. */
  run(expression: PolicyExpression): unknown {
    return resultOf(expression, this.#variables, this.#budget);
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  /** Starts a new budget for the expressions that follow. */
  refill(): void {
    this.#budget = new Budget(POLICY_BUDGET);
  }
}

const NOTHING: Evaluation = { verdicts: [], annotations: [], annotationErrors: [] };

/**
 * Evaluates match conditions, validations and audit annotations (k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/validator.go, Validate). If an expression cannot be evaluated, the
 * request is denied, unless `failurePolicy` is `Ignore`.
 *
 * @param param - the parameter object; undefined if the policy has no parameter.
 */
export function evaluate(
  cluster: Cluster,
  policy: CompiledPolicy,
  request: AdmissionRequest,
  param: StoredObject | undefined,
): Evaluation {
  const run = new PolicyRun(cluster, policy, request, param);
  const conditions = run.conditions();
  if (typeof conditions !== 'boolean') {
    return { ...NOTHING, verdicts: failure(policy, conditions.error, 0) };
  }
  if (!conditions) return NOTHING;
  const verdicts = verdictsOf(policy, run);
  run.refill();
  const values = policy.auditAnnotations.map((one) => annotationOf(one, run));
  return {
    verdicts,
    annotations: values.flatMap((one) =>
      one !== undefined && 'value' in one ? [[one.key, one.value] as const] : [],
    ),
    annotationErrors: values.flatMap((one) =>
      one !== undefined && 'error' in one ? failure(policy, one.error, 0) : [],
    ),
  };
}

function verdictsOf(policy: CompiledPolicy, run: PolicyRun): readonly Verdict[] {
  const verdicts: Verdict[] = [];
  for (const [index, validation] of policy.validations.entries()) {
    const { check, reason } = validation;
    try {
      if (run.run(check) === true) continue;
      verdicts.push({ message: messageOf(validation, run), reason, index });
    } catch (error) {
      const failed = failure(policy, (error as Error).message, index);
      // The evaluation ends here, and the earlier results are discarded.
      if (run.exhausted) return failed;
      verdicts.push(...failed);
    }
  }
  return verdicts;
}

function failure(policy: CompiledPolicy, message: string, index: number): readonly Verdict[] {
  return policy.failsClosed ? [{ message, reason: '', index }] : [];
}

function messageOf(
  { check, messageExpression, message }: PolicyValidation,
  run: PolicyRun,
): string {
  const made = messageExpression === undefined ? '' : madeMessage(messageExpression, run);
  return made || message || `failed expression: ${check.text.trim()}`;
}

function madeMessage(expression: PolicyExpression, run: PolicyRun): string {
  try {
    const text = String(run.run(expression)).trim();
    return text.includes('\n') || text.length > MAX_MESSAGE_LENGTH ? '' : text;
  } catch {
    return ''; // then `message` or the expression itself is shown
  }
}

/** The value of an annotation; undefined if its expression evaluates to null. */
function annotationOf(
  { key, value }: PolicyAnnotation,
  run: PolicyRun,
): { key: string; value: string } | { error: string } | undefined {
  try {
    const result = run.run(value);
    if (result === null) return undefined;
    if (typeof result !== 'string') return { error: unsupported(value.text) };
    const text = result.trim().slice(0, MAX_ANNOTATION_LENGTH);
    return text === '' ? undefined : { key, value: text };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function unsupported(expression: string): string {
  return `valueExpression '${expression}' resulted in unsupported return type. Return type must be either string or null.`;
}
