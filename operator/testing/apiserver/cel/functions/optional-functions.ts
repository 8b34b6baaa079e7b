import { type CelEnvironment, celLibrary } from '../cel-library.ts';

/** `optional.ofNonZeroValue`, which the library does not have. */
export function registerOptionalFunctions(environment: CelEnvironment): void {
  const { Optional } = celLibrary();
  environment.registerFunction(
    'OptionalNamespace.ofNonZeroValue(A): optional<A>',
    (_: unknown, value: unknown) => (isZero(value) ? Optional.none() : Optional.of(value)),
  );
}

function isZero(value: unknown): boolean {
  if (value === null || value === '' || value === false) return true;
  if (typeof value === 'number' || typeof value === 'bigint') return Number(value) === 0;
  if (Array.isArray(value)) return value.length === 0;
  return value instanceof Map && value.size === 0;
}
