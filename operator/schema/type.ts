/** The only module that imports TypeBox. */
export { type Static, Type } from 'typebox';
