import { percentage } from './formats.ts';
import { invalidValue, type Problem } from './problem.ts';

/** Requires a non-negative number, or a percentage. */
export function isPositiveIntOrPercent(value: unknown, field: string): Problem[] {
  if (value === undefined) return [];
  if (typeof value === 'string') {
    return percentage(value).map((why) => invalidValue(field, value, why));
  }
  if (Number(value) >= 0) return [];
  return [invalidValue(field, value, 'must be greater than or equal to 0')];
}

export function moreThanAll(value: unknown, field: string): Problem[] {
  const percent = typeof value === 'string' ? Number.parseInt(value, 10) : 0;
  return percent > 100 ? [invalidValue(field, value, 'must not be greater than 100%')] : [];
}

export function isZero(value: unknown): boolean {
  return value === undefined || Number.parseInt(String(value), 10) === 0;
}
