import { ConfigurationError } from '../../core/errors.ts';

/** The trimmed value of a variable; undefined when it is unset or empty. */
export type ReadSetting = (name: string) => string | undefined;

/** The error for an invalid variable: its name, the expected and the found value. */
export function unusable(name: string, expected: string, found: string): ConfigurationError {
  return new ConfigurationError(`${name} must be ${expected}, not ${JSON.stringify(found)}`);
}

/** @throws ConfigurationError `CONFIG` unless the variable is unset or a whole number in the range. */
export function wholeNumber(
  read: ReadSetting,
  name: string,
  { min = 0, max }: { readonly min?: number; readonly max: number },
): number | undefined {
  const text = read(name);
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^[0-9]+$/.test(text) && value >= min && value <= max) return value;
  throw unusable(name, `a whole number from ${min} to ${max}`, text);
}

/** @throws ConfigurationError `CONFIG` unless the variable is unset, `true` or `false`. */
export function flag(read: ReadSetting, name: string, whenUnset: boolean): boolean {
  return oneOf(read, name, ['true', 'false']) === undefined ? whenUnset : read(name) === 'true';
}

/** @throws ConfigurationError `CONFIG` unless the variable is unset or one of `words`. */
export function oneOf<W extends string>(
  read: ReadSetting,
  name: string,
  words: readonly W[],
): W | undefined {
  const text = read(name);
  if (text === undefined) return undefined;
  const found = words.find((word) => word === text);
  if (found !== undefined) return found;
  throw unusable(name, `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`, text);
}
