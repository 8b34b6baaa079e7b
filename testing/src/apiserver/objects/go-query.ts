import { badRequest } from '../failures/failure.ts';
import { int64Problem } from './go-integers.ts';

/** A boolean query parameter. As in Go's conversion, only `false` and `0` are false. */
export function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value !== 'false' && value !== '0';
}

/**
 * An integer query parameter.
 * @throws ApiError 400 when the parameter is not an integer of 64 bits.
 */
export function integer(query: URLSearchParams, name: string): number | undefined {
  const value = query.get(name);
  if (value === null) return undefined;
  const problem = int64Problem(value);
  if (problem !== undefined) throw badRequest(problem);
  return Number(value);
}
