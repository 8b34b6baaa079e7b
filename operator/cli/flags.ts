import { parseArgs } from 'node:util';
import { nearMatches } from '../client/near-match.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';
import { isDnsLabel } from '../model/dns-name.ts';

/** The options of a command, by their long names. */
type OptionTable = Readonly<
  Record<
    string,
    {
      readonly type: 'string' | 'boolean';
      readonly short?: string;
      /** The option may be repeated: the value is a list in the order given, not the last value. */
      readonly multiple?: true;
    }
  >
>;

export interface Flags<O extends OptionTable> {
  /** By long name; undefined when the option was not given. */
  readonly values: {
    readonly [K in keyof O]?: Value<O[K]> | undefined;
  };
  readonly positionals: readonly string[];
}

type Value<O extends OptionTable[string]> = O extends { readonly multiple: true }
  ? readonly Single<O>[]
  : Single<O>;

type Single<O extends OptionTable[string]> = O['type'] extends 'string' ? string : boolean;

/**
 * Parses a command line as kubectl does: `-l a=b`, `-la=b`, `-l=a=b`, `--selector a=b` and `--selector=a=b`
 * are the same, options and arguments mix, and the last value of an option wins.
 *
 * @throws ConfigurationError `CONFIG` in one line that names the option.
 */
export function parseFlags<O extends OptionTable>(args: readonly string[], options: O): Flags<O> {
  try {
    return parseArgs({
      args: args.map((argument) => argument.replace(/^(-[A-Za-z])=/, '$1')),
      options,
      allowPositionals: true,
    }) as Flags<O>;
  } catch (error) {
    throw new ConfigurationError(explain(messageOf(error), Object.keys(options)), { cause: error });
  }
}

function explain(message: string, options: readonly string[]): string {
  const [first = message] = message.split(/\.\s/, 1);
  const text = first.charAt(0).toLowerCase() + first.slice(1);
  const [, unknown] = /^unknown option '--([^']+)'/.exec(text) ?? [];
  const near = unknown === undefined ? [] : nearMatches(unknown, options);
  return near.length === 0 ? text : `${text}; did you mean --${near.join(' or --')}?`;
}

/**
 * @param replaced - options of the program that a command replaces, each with what does the same here.
 * @throws ConfigurationError `CONFIG` for the first of them.
 */
export function refuseReplaced(
  args: readonly string[],
  replaced: Readonly<Record<string, string>>,
): void {
  for (const word of args) {
    const [, option = ''] = /^--([a-z-]+)/.exec(word) ?? [];
    const instead = Object.hasOwn(replaced, option) ? replaced[option] : undefined;
    if (instead !== undefined) throw new ConfigurationError(`--${option}: ${instead}`);
  }
}

/**
 * The port that an option names, or undefined when it is not given.
 *
 * @throws ConfigurationError `CONFIG` for anything but a whole number from 0 to 65535.
 */
export function portFlag(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (/^[0-9]{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
  throw new ConfigurationError(
    `${option} must be a whole number from 0 to 65535, not ${JSON.stringify(text)}`,
  );
}

/** @throws ConfigurationError `CONFIG` for a text that cannot be the name of a namespace. */
export function namespaceFlag(text: string | undefined): string | undefined {
  if (text === undefined || isDnsLabel(text)) return text;
  throw new ConfigurationError(
    `--namespace must be at most 63 of a-z, 0-9 and "-", not ${JSON.stringify(text)}`,
  );
}
