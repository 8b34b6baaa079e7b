/**
 * Loaded before the tests of a project: `@chancery/testing` is then the kit that also writes down the
 * requests of the operators that it tests.
 */
import { registerHooks } from 'node:module';

const KIT = new URL('./recording-kit.ts', import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const isKit = specifier === '@chancery/testing' && context.parentURL !== KIT;
    return isKit ? { url: KIT, shortCircuit: true } : nextResolve(specifier, context);
  },
});
