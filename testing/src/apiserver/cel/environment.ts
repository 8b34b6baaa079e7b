import { Environment } from '@marcbachmann/cel-js';
import { registerAddressFunctions } from './functions/address-functions.ts';
import { registerConversions } from './functions/conversion-functions.ts';
import { registerFormatFunctions } from './functions/format-functions.ts';
import { registerListExtension } from './functions/list-extension.ts';
import { registerListFunctions, registerSetFunctions } from './functions/list-functions.ts';
import { registerLoopMacros } from './functions/loop-macros.ts';
import { registerOptionalFunctions } from './functions/optional-functions.ts';
import { registerQuantityFunctions } from './functions/quantity-functions.ts';
import { registerRegexFunctions } from './functions/regex-functions.ts';
import { registerStringFunctions } from './functions/string-functions.ts';
import { registerUrlFunctions } from './functions/url-functions.ts';
import { registerVersionFunctions } from './functions/version-functions.ts';

let base: Environment | undefined;

/** A CEL environment with the extensions of Kubernetes. */
export function celEnvironment(): Environment {
  base ??= createEnvironment();
  return base.clone();
}

function createEnvironment(): Environment {
  const environment = new Environment({
    enableOptionalTypes: true,
    // Our type check refuses lists and maps of mixed types. `format` accepts mixed lists, but the library's
    // check makes no exception for `format`.
    homogeneousAggregateLiterals: false,
  });
  registerConversions(environment);
  registerListFunctions(environment);
  registerStringFunctions(environment);
  registerRegexFunctions(environment);
  registerUrlFunctions(environment);
  registerAddressFunctions(environment);
  registerQuantityFunctions(environment);
  registerSetFunctions(environment);
  registerFormatFunctions(environment);
  registerOptionalFunctions(environment);
  registerListExtension(environment);
  registerLoopMacros(environment);
  registerVersionFunctions(environment);
  return environment;
}
