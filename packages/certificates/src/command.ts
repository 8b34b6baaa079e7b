/**
 * The module of this package that the command `chancery` loads: it contains `chancery
 * certificates`.
 *
 * @module
 */

export { certificates } from './certificates.ts';
