import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { type RegularExpression, regularExpression } from '../../schema/regular-expression.ts';
import { Budget } from '../runtime/budget.ts';

/** What `matches` is called by: the library's own reads JavaScript's syntax. */
export const RE2_MATCHES = 'matchesRe2';

/** More parts than any text in a request has. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * Characters of a pattern in an expression. The pattern can be a text of the object, and RE2 is compiled here in one piece.
 * The server has no such limit: there, only the cost of a pattern counts.
 */
const MAX_PATTERN_CHARACTERS = 4_096;

/** Takes what the server takes for it: a step for 10 characters of the text and 4 of the pattern (cel-go, runtimecost.go). */
function metered(text: string, pattern: string): RegularExpression {
  Budget.charge(Math.ceil((1 + text.length) / 10) * Math.ceil(pattern.length / 4));
  if (pattern.length > MAX_PATTERN_CHARACTERS) {
    throw new RangeError(
      `pattern of ${pattern.length} characters, more than ${MAX_PATTERN_CHARACTERS}`,
    );
  }
  return regularExpression(pattern);
}

/** `matches`, `find` and `findAll`, all in RE2's syntax. */
export function registerRegexFunctions(environment: CelEnvironment): void {
  const find = (text: string, pattern: string): string =>
    metered(text, pattern).findAll(text, 1)[0] ?? '';
  const matches = (text: string, pattern: string): boolean => metered(text, pattern).test(text);
  environment
    .registerFunction(`string.${RE2_MATCHES}(string): bool`, matches)
    .registerFunction(`${RE2_MATCHES}(string, string): bool`, matches)
    .registerFunction('string.find(string): string', find)
    .registerFunction('string.findAll(string): list<string>', (text, pattern) => [
      ...metered(text, pattern).findAll(text, ALL),
    ])
    .registerFunction('string.findAll(string, int): list<string>', (text, pattern, limit) => [
      ...metered(text, pattern).findAll(text, limit < 0n ? ALL : Number(limit)),
    ]);
}
