import { ConfigurationError } from '../core/errors.ts';

/**
 * The refusal of a definition.
 *
 * @param path - of what is wrong, from the options of `customResource`: `spec.ports[].name`.
 * @param remedy - what to write instead.
 */
export function definitionError(
  path: string,
  problem: string,
  remedy: string,
  cause?: unknown,
): ConfigurationError {
  return new ConfigurationError(`${path}: ${problem}: ${remedy}`, {
    context: { path },
    ...(cause === undefined ? {} : { cause }),
  });
}
