import type { StructuralSchema } from '../../model/structural-schema.ts';
import type { Work } from '../work.ts';
import { fitting } from './sample-problems.ts';

/** How many multiples are tried above zero, above the minimum, and below the maximum. */
const STEPS = 21;

/**
 * The first candidate that the schema allows; if it allows none, simply the first candidate.
 *
 * @param at - different values result in different numbers, if the schema allows that.
 * @throws TooMuchWork
 */
export function sampleNumber(schema: StructuralSchema, at: number, work: Work): number {
  const numbers = candidates(schema).filter(Number.isFinite);
  return fitting(numbers, schema, at, work) ?? numbers[0] ?? 1;
}

/** The numbers to try, in order. 1 comes before 0, because it is a better example. */
function candidates({
  type,
  minimum,
  maximum,
  multipleOf: step = 1,
}: StructuralSchema): readonly number[] {
  const steps = Array.from({ length: STEPS }, (_none, at) => at * step);
  const up = Math.ceil((minimum ?? 0) / step) * step;
  const down = Math.floor((maximum ?? 0) / step) * step;
  const multiples = [
    ...steps.slice(1),
    ...steps.map((each) => up + each),
    ...steps.map((each) => down - each),
  ];
  // The numbers are rounded, because in JavaScript 3 × 0.1 is a little more than 0.3.
  const round = (value: number): number => Number(value.toPrecision(12));
  const numbers = Number.isInteger(step) ? multiples : multiples.map(round);
  if (type !== 'number') return numbers;
  const [low = (maximum ?? 1) - 1, high = low + 1] = [minimum, maximum];
  return [...numbers, ...[2, 1, 3].map((quarters) => low + ((high - low) * quarters) / 4)];
}
