import type { Program, Rejection } from './program.ts';
import type { Budget } from './runtime/budget.ts';
import { runtimeErrorWords } from './runtime/runtime-error.ts';

/** An expression of a policy or webhook, and the field that contains it. */
export interface PolicyExpression {
  readonly field: string;
  readonly text: string;
  readonly program: Program | Rejection;
}

/** The server's message for an expression that cannot be evaluated. */
class PolicyError extends Error {
  override readonly name = 'PolicyError';
}

/**
 * Evaluates an expression.
 * @throws Error with the server's message.
 */
export function resultOf(
  { text, program }: PolicyExpression,
  variables: Readonly<Record<string, unknown>>,
  budget: Budget,
): unknown {
  if ('rejected' in program) throw new PolicyError(program.rejected);
  let value: unknown;
  try {
    value = program.run(variables, budget);
  } catch (error) {
    // An error of a variable is passed on unchanged by the expressions that use the variable.
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
