import process from 'node:process';

/** Runs of each property; vitest.config.ts says how many where `PROPERTY_RUNS` is not set by hand. */
const setting = Number(process.env.PROPERTY_RUNS);
if (!Number.isInteger(setting) || setting < 1) {
  const said = JSON.stringify(process.env.PROPERTY_RUNS);
  throw new Error(`PROPERTY_RUNS must be a whole number from 1, not ${said}`);
}

/**
 * How often a property is tried.
 *
 * @param share - of a property whose runs take long: the part of the setting that it gets, at least
 *   one run. Default 1.
 */
export function propertyRuns(share = 1): { readonly numRuns: number } {
  return { numRuns: Math.max(1, Math.round(setting * share)) };
}
