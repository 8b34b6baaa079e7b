import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { knownPattern, Work } from 'chancery/internal-objects';
import { ownName } from '../expression/own-names.ts';
import { Budget } from '../runtime/budget.ts';

/** A limit that no string can reach: all matches are returned. */
const ALL = Number.MAX_SAFE_INTEGER;

/**
 * The step limit of one call, about half a second. The call needs its own limit, because the server's cost
 * counts characters and not the states of a pattern.
 */
const CALL_STEPS = 20_000_000;

/**
 * Charges the server's cost: a tenth of the string's length times a quarter of the pattern's length (cel-go,
 * runtimecost.go).
 */
function charge(text: string, pattern: string): void {
  Budget.charge(Math.ceil((1 + text.length) / 10) * Math.ceil(pattern.length / 4));
}

/** Registers `matches`, `find` and `findAll`. Their patterns have RE2's syntax. */
export function registerRegexFunctions(environment: CelEnvironment): void {
  const matches = (text: string, pattern: string): boolean => {
    charge(text, pattern);
    return knownPattern(pattern).test(text, new Work(CALL_STEPS));
  };
  const findAll = (text: string, pattern: string, limit: number): readonly string[] => {
    charge(text, pattern);
    return knownPattern(pattern).findAll(text, limit, new Work(CALL_STEPS));
  };
  environment
    .registerFunction(`string.${ownName('matches')}(string): bool`, matches)
    .registerFunction(`${ownName('matches')}(string, string): bool`, matches)
    .registerFunction(
      'string.find(string): string',
      (text, pattern) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text, pattern) => [
      ...findAll(text, pattern, ALL),
    ])
    .registerFunction('string.findAll(string, int): list<string>', (text, pattern, limit) => [
      ...findAll(text, pattern, limit < 0n ? ALL : Number(limit)),
    ]);
}
