/**
 * The modules of this package that the command `chancery` loads: `chancery hooks`, `chancery
 * test-hook`, and the declarations of hooks for `generate` and `check`.
 *
 * @module
 */

export { declaredHooks } from './command/declared-hooks.ts';
export { hooks } from './command/hooks.ts';
export { testHook } from './test-hook/test-hook-file.ts';
