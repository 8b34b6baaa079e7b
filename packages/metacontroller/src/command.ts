/**
 * The modules of this package that the command `chancery` loads: `chancery metacontroller`,
 * `chancery test-hook` for functions, and the declarations of controllers for `generate`, `check`
 * and `lint`.
 *
 * @module
 */

export { declaredControllers } from './command/declared-controllers.ts';
export { metacontroller } from './command/metacontroller.ts';
export { testFunction } from './test-function/test-function.ts';
