import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { knownPattern } from 'chancery/internal-objects';
import { below, type Expression } from './checker/expression.ts';
import { ownName } from './expression/own-names.ts';
import { runtimeErrorWords } from './runtime/runtime-error.ts';

/**
 * Functions that cel-go already calls when it makes the program, if their argument is a constant
 * (`decOptimize`).
 */
const CONVERSIONS: ReadonlySet<string> = new Set([
  'bool',
  'double',
  'duration',
  'int',
  'timestamp',
  'uint',
]);

/**
 * Functions whose constant pattern is compiled when the program is made. The pattern is the argument that
 * follows the searched string.
 */
const OF_PATTERNS: ReadonlySet<string> = new Set(['find', 'findAll', 'matches']);

/** Whether a conversion accepts this value. */
export function converts(environment: CelEnvironment, name: string, value: unknown): boolean {
  try {
    convert(environment, name, value);
    return true;
  } catch {
    return false;
  }
}

function convert(environment: CelEnvironment, name: string, value: unknown): unknown {
  const own = environment.clone().registerVariable('constant', 'dyn');
  return own.evaluate(`${ownName(name)}(constant)`, { constant: value });
}

/**
 * The server's message for an expression from which it cannot make a program, because a constant is invalid.
 * Undefined if all constants are valid.
 */
export function constantProblem(
  environment: CelEnvironment,
  expression: Expression,
): string | undefined {
  try {
    fold(environment, expression);
    return undefined;
  } catch (error) {
    return runtimeErrorWords(error);
  }
}

interface Constant {
  readonly value: unknown;
}

/** The value of a literal, or of a conversion of a literal. Undefined for any other expression. */
function fold(environment: CelEnvironment, expression: Expression): Constant | undefined {
  if (expression.kind === 'literal') return { value: expression.value };
  const parts = below(expression).map((one) => fold(environment, one));
  if (expression.kind !== 'call') return undefined;
  if (OF_PATTERNS.has(expression.name)) requirePattern(parts[1]);
  const [part] = parts;
  const isConversion = expression.target === undefined && CONVERSIONS.has(expression.name);
  if (part === undefined || parts.length !== 1) return undefined;
  if (expression.name === 'dyn') return part;
  if (!isConversion) return undefined;
  return { value: convert(environment, expression.name, part.value) };
}

/** @throws SyntaxError with Go's message for a constant that is not a valid pattern. */
function requirePattern(pattern: Constant | undefined): void {
  if (typeof pattern?.value === 'string') knownPattern(pattern.value);
}
