import type { Fault } from './fault.ts';
import { earlyCleaner } from './held-out/early-cleaner.ts';
import { forbiddenConcurrency } from './held-out/forbidden-concurrency.ts';
import { missedRotation } from './held-out/missed-rotation.ts';
import { persistedDefaults } from './held-out/persisted-defaults.ts';
import { tagInSecondCall } from './held-out/tag-in-second-call.ts';

/**
 * Operators that were written before explore() could run, and were not changed after they had been explored. The command
 * `npm run prove -- faults --held-out` tells which of them it finds.
 */
export const HELD_OUT: readonly Fault[] = [
  persistedDefaults,
  tagInSecondCall,
  missedRotation,
  earlyCleaner,
  forbiddenConcurrency,
];
