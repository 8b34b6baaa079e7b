/**
 * Resources defined once: `chancery/schema`, an entry of its own, so that an operator without custom
 * resources does not load TypeBox.
 *
 * @module
 */

export { type Static, Type } from './schema/type.ts';
