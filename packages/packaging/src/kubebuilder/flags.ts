import { ConfigurationError } from 'chancery';
import { flagsOf } from './defined-flags.ts';
import type { PluginFlag, Subcommand } from './protocol.ts';

/** Flags by name: a text for `string` and `int`, undefined for flags that were not given. */
export interface FlagValues {
  text(name: string): string | undefined;
  bool(name: string): boolean | undefined;
}

/** What Go's `strconv.ParseBool` takes. */
const BOOLEANS: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true]),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false]),
]);

/**
 * The flags of a subcommand among the words of the command line. kubebuilder sends every word that begins with
 * `--`, those of other plugins too, and the one word after each of them. The last value of a flag wins. A
 * default is not applied.
 *
 * @param also - flags of kubebuilder or of other plugins, by name; they are read as texts.
 * @throws ConfigurationError `CONFIG` for a flag without a value, and for a value of another type.
 */
export function flagValues(
  subcommand: Subcommand,
  args: readonly string[],
  also: readonly string[] = [],
): FlagValues {
  const types = new Map<string, PluginFlag['Type']>([
    ...also.map((name) => [name, 'string'] as const),
    ...flagsOf(subcommand).map(({ Name, Type }) => [Name, Type] as const),
  ]);
  const values = new Map<string, string | boolean>();
  for (const [at, word] of args.entries()) {
    if (word === '--') break; // kubebuilder takes no flag after it
    const { 1: name = '', 2: inWord } = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const type = types.get(name);
    if (type === undefined) continue;
    if (type === 'bool') values.set(name, booleanOf(name, inWord, args[at + 1]));
    else values.set(name, textOf(name, inWord ?? args[at + 1]));
  }
  return {
    text: (name) => values.get(name) as string | undefined,
    bool: (name) => values.get(name) as boolean | undefined,
  };
}

/** A bool without a value in its word is true for kubebuilder, whatever the next word says. */
function booleanOf(name: string, inWord: string | undefined, next = ''): boolean {
  if (inWord === undefined) {
    if (!isBoolean(next)) return true;
    throw new ConfigurationError(
      `--${name} ${next} means true, because kubebuilder takes the value of a bool from the same word only: write ` +
        `--${name}=${next}`,
    );
  }
  if (isBoolean(inWord)) return BOOLEANS[inWord] === true;
  throw new ConfigurationError(`--${name} must be true or false, not ${JSON.stringify(inWord)}`);
}

function isBoolean(text: string): boolean {
  return Object.hasOwn(BOOLEANS, text);
}

function textOf(name: string, text: string | undefined): string {
  if (text !== undefined && !text.startsWith('--')) return text;
  throw new ConfigurationError(`--${name} needs a value, such as --${name}=VALUE`);
}
