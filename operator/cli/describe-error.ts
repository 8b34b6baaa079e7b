import type { OperatorError } from '../core/errors.ts';
import { visibleText } from '../core/text/visible-text.ts';

/**
 * An error as one line for users: the message, and those values of its context that the message
 * does not contain.
 */
export function describeError(error: OperatorError): string {
  const facts = Object.entries(error.context)
    .filter(([, value]) => !error.message.includes(String(value)))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`);
  const text = facts.length === 0 ? error.message : `${error.message} (${facts.join(', ')})`;
  return visibleText(text.replace(/\s*[\r\n]+\s*/g, ' '));
}
