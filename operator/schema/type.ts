/**
 * The only module that imports TypeBox. It imports only the builders of types, because the checkers and
 * compilers would double the import time and do not check as the API server does.
 */
export type { Static, TArray, TObject, TSchema, TUnsafe } from 'typebox/type';
/** TypeBox's schema builders: `Type.Object`, `Type.String`, `Type.Optional`, … */
export * as Type from 'typebox/type';
