import { sortedJson } from '../../core/json/sorted-json.ts';
import { isMapping } from '../../core/mapping.ts';
import { UNLIMITED, type Work } from '../work.ts';
import { shown } from './field-errors.ts';

/**
 * Deep equality of JSON values. The order of an object's fields does not matter. Works at any
 * depth.
 *
 * @param work - the step limit. Each compared pair of values takes one step.
 * @throws TooMuchWork
 */
export function jsonEquals(left: unknown, right: unknown, work: Work = UNLIMITED): boolean {
  const pairs: [unknown, unknown][] = [[left, right]];
  for (let pair = pairs.pop(); pair !== undefined; pair = pairs.pop()) {
    work.spend(1);
    const [one, other] = pair;
    if (one === other) continue;
    if (Array.isArray(one)) {
      if (!Array.isArray(other) || one.length !== other.length) return false;
      for (const [index, item] of one.entries()) pairs.push([item, other[index]]);
      continue;
    }
    if (!isMapping(one) || !isMapping(other)) return false;
    const names = Object.keys(one);
    if (names.length !== Object.keys(other).length) return false;
    for (const name of names) {
      if (!Object.hasOwn(other, name)) return false;
      pairs.push([one[name], other[name]]);
    }
  }
  return true;
}

/** A string that identifies a value. Two values have the same string only if they are equal. */
export function identityOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? sortedJson(shown(value)) : shown(value);
}
