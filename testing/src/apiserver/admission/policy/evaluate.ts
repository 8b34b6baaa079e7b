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

/** A validation that does not hold, or that could not be evaluated and counts as that. */
export interface Verdict {
  readonly message: string;
  /** Empty where the policy names none. */
  readonly reason: string;
  /** Place of the validation in the policy; 0 for a policy that could not be evaluated. */
  readonly index: number;
}

/** What a policy says about one request. */
export interface Evaluation {
  readonly verdicts: readonly Verdict[];
  /** Values of audit annotations, by their keys. */
  readonly annotations: readonly (readonly [key: string, value: string])[];
  /** Annotations that have no value: they deny whatever the actions of the binding are. */
  readonly annotationErrors: readonly Verdict[];
}

/** What all expressions of a policy may cost for one request: `RuntimeCELCostBudget` of the server. */
const POLICY_BUDGET = 10_000_000;

/** The longest message that an expression may make, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 5 * 1024;

/** The longest value of an audit annotation, in UTF-16 code units. */
const MAX_ANNOTATION_LENGTH = 10 * 1024;

/** The expressions of one policy, about one request and with one parameter. */
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

  /** Whether the match conditions hold. */
  conditions(): boolean | { readonly error: string } {
    return conditionsHold(this.#policy.conditions, this.#variables);
  }

  /** @throws Error in the words of the server. */
  run(expression: PolicyExpression): unknown {
    return resultOf(expression, this.#variables, this.#budget);
  }

  get exhausted(): boolean {
    return this.#budget.exhausted;
  }

  /** What follows has a budget of its own. */
  refill(): void {
    this.#budget = new Budget(POLICY_BUDGET);
  }
}

const NOTHING: Evaluation = { verdicts: [], annotations: [], annotationErrors: [] };

/**
 * Evaluates match conditions, validations and audit annotations (k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/validator.go, Validate). What cannot be evaluated is a
 * denial, unless `failurePolicy` is `Ignore`.
 *
 * @param param - undefined where the policy has none.
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
      // Nothing more is evaluated, and what was found before does not count.
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
    return ''; // the message of the validation, or its expression, has to do
  }
}

/** Undefined where the expression says that there is nothing to note. */
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
