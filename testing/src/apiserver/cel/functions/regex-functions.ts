import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { regularExpression } from '../../schema/regular-expression.ts';

/** What `matches` is called by: the library's own reads JavaScript's syntax. */
export const RE2_MATCHES = 'matchesRe2';

/** More parts than any text in a request has. */
const ALL = Number.MAX_SAFE_INTEGER;

/** `matches`, `find` and `findAll`, all in RE2's syntax. */
export function registerRegexFunctions(environment: CelEnvironment): void {
  const find = (text: string, pattern: string): string =>
    regularExpression(pattern).findAll(text, 1)[0] ?? '';
  const matches = (text: string, pattern: string): boolean => regularExpression(pattern).test(text);
  environment
    .registerFunction(`string.${RE2_MATCHES}(string): bool`, matches)
    .registerFunction(`${RE2_MATCHES}(string, string): bool`, matches)
    .registerFunction('string.find(string): string', find)
    .registerFunction('string.findAll(string): list<string>', (text, pattern) => [
      ...regularExpression(pattern).findAll(text, ALL),
    ])
    .registerFunction('string.findAll(string, int): list<string>', (text, pattern, limit) => [
      ...regularExpression(pattern).findAll(text, limit < 0n ? ALL : Number(limit)),
    ]);
}
