import { OperatorError } from 'chancery';
import { SourceUnavailableError } from 'chancery/internal';
import { refusedRule, ruleToAdd } from '../rights/missing-rule.ts';
import { watchRule } from './source-trouble.ts';

/** Maximum depth to which causes are followed. */
const MAX_DEPTH = 5;

/**
 * The remedy when the API server refused a request because a permission is missing. Undefined for
 * other errors.
 */
export function refusal(error: unknown): string | undefined {
  let cause = error;
  for (let depth = 0; cause instanceof OperatorError && depth < MAX_DEPTH; depth++) {
    if (cause instanceof SourceUnavailableError && cause.reason === 'Forbidden') {
      return watchRule(cause.source);
    }
    const rule = refusedRule(cause);
    if (rule !== undefined) return ruleToAdd(rule);
    cause = cause.cause;
  }
  return undefined;
}
