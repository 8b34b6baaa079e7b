/**
 * The only module that imports TypeBox, and of that only what builds types: its checkers and compilers
 * would double the time of the import, and they do not judge as the API server does.
 */
export type { Static, TArray, TObject, TSchema, TUnsafe } from 'typebox/type';
/** TypeBox's builders of schemas: `Type.Object`, `Type.String`, `Type.Optional`, … */
export * as Type from 'typebox/type';
