import { registerHooks } from 'node:module';

/** `chancery` and each of its entries, such as `chancery/schema`. */
const TOOLKIT = /^chancery(?:\/|$)/;
/** Sources find sources, what is built finds what is built. */
const OWN_CONDITIONS = import.meta.url.endsWith('.ts') ? ['chancery-source'] : [];

/**
 * Makes `chancery` and its entries mean this copy of the toolkit in every module that is loaded from now
 * on. A module that is mounted from a ConfigMap has no `node_modules` above it, and a module that has one
 * must not bring a second copy into the process.
 */
export function resolveToolkit(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) => {
      if (!TOOLKIT.test(specifier)) return nextResolve(specifier, context);
      // As if this file asked: a package finds itself by its own name, and its entries in package.json.
      const conditions = [...context.conditions, ...OWN_CONDITIONS];
      return nextResolve(specifier, { ...context, conditions, parentURL: import.meta.url });
    },
  });
}
