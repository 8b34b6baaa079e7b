/**
 * What the command `chancery` needs of this package: `chancery hooks`, `chancery test-hook`, and the declarations of hooks
 * for `generate`, `check` and `lint`.
 *
 * @module
 */

export { declaredHooks } from './command/declared-hooks.ts';
export { hooksCommand } from './command/hooks.ts';
export { testHook } from './test-hook/test-hook-file.ts';
