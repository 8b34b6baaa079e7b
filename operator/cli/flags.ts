import { parseArgs } from 'node:util';
import { nearMatches } from '../client/near-match.ts';
import { ConfigurationError, messageOf } from '../core/errors.ts';

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
