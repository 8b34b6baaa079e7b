import { DEFAULT_GENERATION, gatesOf } from '../behaviour/server-generation.ts';

/** The server whose documents this one serves, whatever generation it answers as. */
export const VERSION = gatesOf(DEFAULT_GENERATION).version as {
  readonly gitVersion: string;
  readonly [field: string]: string;
};
