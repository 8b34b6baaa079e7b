import { isObject, type Json } from '../objects/metadata.ts';
import { admissionScope } from './admission-environment.ts';
import { type PolicyExpression, resultOf } from './policy-expression.ts';
import { compile } from './program.ts';
import { Budget } from './runtime/budget.ts';

/** The budget of all match conditions for one request: `RuntimeCELCostBudgetMatchConditions`. */
const CONDITIONS_BUDGET = 2_500_000;

/**
 * Compiled conditions, keyed by the `spec` object of the webhook or policy. Every change stores a new object,
 * so entries never become stale.
 */
const compiled = new WeakMap<object, readonly PolicyExpression[]>();

/**
 * The compiled `matchConditions` of a webhook.
 *
 * @throws OperatorError `CONFIG` when the library that compiles CEL is missing.
 */
export function compiledConditions(spec: Json): readonly PolicyExpression[] {
  const { matchConditions } = spec;
  if (!Array.isArray(matchConditions) || matchConditions.length === 0) return [];
  const known = compiled.get(spec) ?? compileConditions(matchConditions);
  compiled.set(spec, known);
  return known;
}

function compileConditions(matchConditions: readonly unknown[]): readonly PolicyExpression[] {
  const scope = admissionScope();
  return matchConditions.filter(isObject).map(({ expression }, at) => ({
    field: `matchConditions[${at}].expression`,
    text: String(expression),
    program: compile(scope, String(expression), 'bool', 'compilation failed'),
  }));
}

/**
 * Whether all conditions are true. If one condition is false, the result is false, even if other conditions
 * cannot be evaluated (k8s.io/apiserver, pkg/admission/plugin/webhook/matchconditions/matcher.go).
 *
 * @returns the error if a condition cannot be evaluated and no condition is false.
 */
export function conditionsHold(
  conditions: readonly PolicyExpression[],
  variables: Readonly<Record<string, unknown>>,
): boolean | { readonly error: string } {
  const budget = new Budget(CONDITIONS_BUDGET);
  const errors: string[] = [];
  for (const condition of conditions) {
    try {
      if (resultOf(condition, variables, budget) !== true) return false;
    } catch (error) {
      errors.push((error as Error).message);
    }
  }
  if (errors.length === 0) return true;
  return { error: errors.length === 1 ? (errors[0] ?? '') : `[${errors.join(', ')}]` };
}
