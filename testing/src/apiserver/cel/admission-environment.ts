import type { Environment as CelEnvironment } from '@marcbachmann/cel-js';
import { celEnvironment } from './environment.ts';
import { AUTHORIZER_TYPE, registerAuthorizerFunctions } from './functions/authorizer-functions.ts';
import { registerJsonPatchFunctions } from './functions/mutation-functions.ts';

/**
 * CEL with the variables of admission. Nothing else has a type that is known beforehand: fields are
 * looked up when they are needed.
 */
export function admissionEnvironment(more: readonly string[] = []): CelEnvironment {
  const environment = celEnvironment();
  registerAuthorizerFunctions(environment);
  registerJsonPatchFunctions(environment);
  environment.registerVariable('authorizer', AUTHORIZER_TYPE);
  for (const name of ['object', 'oldObject', 'request', 'namespaceObject', ...more]) {
    environment.registerVariable(name, 'dyn');
  }
  return environment;
}
