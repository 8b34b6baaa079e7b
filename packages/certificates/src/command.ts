/**
 * What the command `chancery` needs of this package: `chancery certificates`.
 *
 * @module
 */

export { certificates } from './certificates.ts';
