/**
 * The part of this package that the command `chancery` loads: `chancery certificates`.
 *
 * @module
 */

export { certificates } from './certificates.ts';
