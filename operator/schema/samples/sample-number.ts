import type { StructuralSchema } from '../../model/structural-schema.ts';
import type { Work } from '../work.ts';
import { fitting } from './sample-problems.ts';

/** How many steps are tried from each limit. */
const STEPS = 21;

/**
 * A number that the schema allows, if one that is tried is; else the first of them.
 *
 * @param at - different numbers give different numbers, as far as the schema has them.
 * @throws TooMuchWork
 */
export function sampleNumber(schema: StructuralSchema, at: number, work: Work): number {
  const numbers = candidates(schema).filter(Number.isFinite);
  return fitting(numbers, schema, at, work) ?? numbers[0] ?? 1;
}

/** One is a better example than zero, where both may be. */
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
  // 3 × 0.1 is a little more than 0.3.
  const round = (value: number): number => Number(value.toPrecision(12));
  const numbers = Number.isInteger(step) ? multiples : multiples.map(round);
  if (type !== 'number') return numbers;
  const [low = (maximum ?? 1) - 1, high = low + 1] = [minimum, maximum];
  return [...numbers, ...[2, 1, 3].map((quarters) => low + ((high - low) * quarters) / 4)];
}
