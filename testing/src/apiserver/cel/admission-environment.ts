import { DYN, opaque, type Type } from './checker/type.ts';
import { celEnvironment } from './environment.ts';
import { AUTHORIZER_TYPE, registerAuthorizerFunctions } from './functions/authorizer-functions.ts';
import { registerJsonPatchFunctions } from './functions/mutation-functions.ts';
import type { CelScope } from './program.ts';

const AUTHORIZER: readonly (readonly [string, Type])[] = [
  ['authorizer', opaque(AUTHORIZER_TYPE)],
  ['authorizer.requestResource', opaque('kubernetes.authorization.ResourceCheck')],
];

/**
 * The CEL environment with the variables of admission. Only `authorizer` has a declared type. The fields of
 * the other variables are looked up when the expression is evaluated.
 */
export function admissionScope(more: readonly string[] = []): CelScope {
  const environment = celEnvironment();
  registerAuthorizerFunctions(environment);
  registerJsonPatchFunctions(environment);
  environment.registerVariable('authorizer', AUTHORIZER_TYPE);
  const names = ['object', 'oldObject', 'request', 'namespaceObject', ...more];
  for (const name of names) environment.registerVariable(name, 'dyn');
  const variables = new Map([...AUTHORIZER, ...names.map((name) => [name, DYN] as const)]);
  return {
    environment,
    variables,
    wrongType: (wanted, found) => `must evaluate to ${wanted} but got ${found}`,
  };
}
