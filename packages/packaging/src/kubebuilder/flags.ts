import { ConfigurationError } from 'chancery';
import { goBoolean, type KnownFlag, readCommandLine } from 'chancery/internal';
import { flagsOf } from './defined-flags.ts';
import type { Subcommand } from './protocol.ts';

/**
 * The values of flags, found by name. The types `string` and `int` have string values. Undefined
 * for flags that were not given.
 */
export interface FlagValues {
  text(name: string): string | undefined;
  bool(name: string): boolean | undefined;
}

/**
 * Reads the flags of a subcommand from the command line. kubebuilder sends every argument that
 * begins with `--`, including flags of other plugins, and the one argument that follows each flag.
 * The last value of a flag counts. Defaults are not applied.
 *
 * @param also - names of flags of kubebuilder or of other plugins. Their values are read as
 * strings.
 * @throws ConfigurationError `CONFIG` when a flag has no value, or a value of another type.
 */
export function flagValues(
  subcommand: Subcommand,
  args: readonly string[],
  also: readonly string[] = [],
): FlagValues {
  const known: Readonly<Record<string, KnownFlag>> = Object.fromEntries([
    ...also.map((name) => [name, {}]),
    ...flagsOf(subcommand).map(({ Name, Type }) => [
      Name,
      Type === 'bool' ? { valueIfNone: 'true' } : {},
    ]),
  ]);
  const values = new Map<string, string | boolean>();
  for (const word of readCommandLine(args, known)) {
    if (word.type === 'no-value') throw valueMissing(word.name);
    if (word.type === 'positional') requireNoValue(word.value, word.maybeValueOf);
    if (word.type !== 'flag') continue;
    const { name, value, from } = word;
    // This argument is not the value of the flag, but the next flag.
    if (from === 'next' && value.startsWith('--')) throw valueMissing(name);
    const isText = known[name]?.valueIfNone === undefined;
    values.set(name, isText ? value : booleanOf(name, value));
  }
  return {
    text: (name) => values.get(name) as string | undefined,
    bool: (name) => values.get(name) as boolean | undefined,
  };
}

/**
 * Refuses an argument after a boolean flag. As in kubebuilder, `--flag` alone means true, and the
 * next argument is never the value of the flag.
 */
function requireNoValue(word: string, flag: string | undefined): void {
  if (flag === undefined) return;
  throw new ConfigurationError(
    `--${flag} ${word} means true, because kubebuilder takes the value of a bool from the same word only: write ` +
      `--${flag}=${word}`,
  );
}

function booleanOf(name: string, text: string): boolean {
  const value = goBoolean(text);
  if (value !== undefined) return value;
  throw new ConfigurationError(`--${name} must be true or false, not ${JSON.stringify(text)}`);
}

function valueMissing(name: string): ConfigurationError {
  return new ConfigurationError(`--${name} needs a value, such as --${name}=VALUE`);
}
