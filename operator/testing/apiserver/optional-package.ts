import { createRequire } from 'node:module';
import { OperatorError } from '../../core/errors.ts';

const require = createRequire(import.meta.url);

/**
 * A package that only some tests need, loaded now.
 *
 * @param name - of an optional dependency of this package.
 * @param purpose - what cannot be done without it, as the object of "is needed for".
 * @throws OperatorError `CONFIG` that says what to install, when it is not there.
 */
export function optionalPackage(name: string, purpose: string): unknown {
  try {
    return require(name);
  } catch (cause) {
    throw new OperatorError(
      `embedded API server: the package ${name} is needed for ${purpose}; install it with: npm install --save-dev ${name}`,
      { code: 'CONFIG', layer: 'configuration', context: { package: name }, cause },
    );
  }
}
