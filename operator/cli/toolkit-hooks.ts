import { registerHooks } from 'node:module';

/** The public entries of this very copy of the toolkit: sources beside sources, built beside built. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const ENTRIES: ReadonlyMap<string, string> = new Map([
  ['chancery', new URL(`../index${extension}`, import.meta.url).href],
  ['chancery/schema', new URL(`../schema${extension}`, import.meta.url).href],
  ['chancery/testing', new URL(`../testing${extension}`, import.meta.url).href],
]);

/**
 * Makes `chancery`, `chancery/schema` and `chancery/testing` mean this toolkit in every module that is loaded from now
 * on. A module that is mounted from a ConfigMap has no `node_modules` above it, and one that has
 * must not bring a second copy into the process.
 */
export function resolveToolkit(): void {
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      nextResolve(ENTRIES.get(specifier) ?? specifier, context),
  });
}
