import type {
  CompiledPolicy,
  PolicyExpression,
  PolicyValidation,
} from '../../cel/compiled-policy.ts';
import { Budget } from '../../cel/runtime/budget.ts';
import { runtimeErrorWords } from '../../cel/runtime/runtime-error.ts';
import type { AdmissionRequest } from '../../cluster/admission-request.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { type PolicyVariables, variablesOf } from './policy-variables.ts';

/** A validation that does not hold, or that could not be evaluated and counts as that. */
export interface Verdict {
  readonly message: string;
  /** Empty where the policy names none. */
  readonly reason: string;
}

/** What all expressions of a policy may cost for one request: `RuntimeCELCostBudget` of the server. */
const POLICY_BUDGET = 10_000_000;

/** The longest message that an expression may make, in UTF-16 code units. */
const MAX_MESSAGE_LENGTH = 5 * 1024;

/**
 * Evaluates match conditions and validations (k8s.io/apiserver,
 * pkg/admission/plugin/policy/validating/validator.go, Validate). What cannot be evaluated is a
 * denial, unless `failurePolicy` is `Ignore`.
 */
export function evaluate(
  cluster: Cluster,
  policy: CompiledPolicy,
  request: AdmissionRequest,
): readonly Verdict[] {
  const budget = new Budget(POLICY_BUDGET);
  const run = (expression: PolicyExpression): unknown => result(expression, variables, budget);
  const lazily = new Map([...policy.variables].map(([name, one]) => [name, () => run(one)]));
  const variables = variablesOf(cluster, request, lazily);
  const failed = (error: unknown): readonly Verdict[] =>
    policy.failsClosed ? [{ message: (error as Error).message, reason: '' }] : [];
  try {
    if (!policy.conditions.every((condition) => run(condition) === true)) return [];
  } catch (error) {
    return failed(error);
  }
  return policy.validations.flatMap((validation) => {
    const { check, reason } = validation;
    try {
      if (run(check) === true) return [];
    } catch (error) {
      return failed(error);
    }
    return [{ message: messageOf(validation, run), reason }];
  });
}

function messageOf(
  { check, messageExpression, message }: PolicyValidation,
  run: (expression: PolicyExpression) => unknown,
): string {
  const made = messageExpression === undefined ? '' : madeMessage(messageExpression, run);
  return made || message || `failed expression: ${check.text.trim()}`;
}

function madeMessage(
  expression: PolicyExpression,
  run: (expression: PolicyExpression) => unknown,
): string {
  try {
    const text = String(run(expression)).trim();
    return text.includes('\n') || text.length > MAX_MESSAGE_LENGTH ? '' : text;
  } catch {
    return ''; // the message of the validation, or its expression, has to do
  }
}

/** An expression that has no result, in the words of the server. */
class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

function result(
  { text, program }: PolicyExpression,
  variables: PolicyVariables,
  budget: Budget,
): unknown {
  if ('rejected' in program) throw new PolicyError(program.rejected);
  let value: unknown;
  try {
    value = program.run(variables, budget);
  } catch (error) {
    // A variable that failed says so in the place where it is used.
    if (error instanceof PolicyError) throw error;
    throw new PolicyError(`expression '${text}' resulted in error: ${runtimeErrorWords(error)}`);
  }
  if (budget.exhausted) {
    throw new PolicyError(
      'validation failed due to running out of cost budget, no further validation rules will be run',
    );
  }
  return value;
}
