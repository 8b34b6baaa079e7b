import type * as CelLibrary from '@marcbachmann/cel-js';
import { optionalPackage } from '../optional-package.ts';

export type { Environment as CelEnvironment, ParseResult } from '@marcbachmann/cel-js';

/**
 * The library that parses, checks and evaluates CEL.
 *
 * @throws OperatorError `CONFIG` when it is not installed.
 */
export function celLibrary(): typeof CelLibrary {
  const purpose = 'the rules (x-kubernetes-validations) of custom resources';
  return optionalPackage('@marcbachmann/cel-js', purpose) as typeof CelLibrary;
}
