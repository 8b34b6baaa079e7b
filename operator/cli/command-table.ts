import type { Option, ValueType, ValueTypes } from './value-types.ts';

/** The options of a command, by their long names without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** A word of the command line that is no option. */
export interface Argument {
  /** As in the usage: `FILE`, or the words to choose from as `bash|zsh`. */
  readonly name: string;
  readonly isPath?: true;
  /** All further words are the same. */
  readonly repeats?: true;
}

/**
 * Everything about the command line of one command. The parser, the types of the parsed values, `--help`, the
 * completion of the shells and docs/reference/commands.md follow from it.
 *
 * Every start loads all tables, so the module of a table imports nothing that costs.
 */
export interface CommandTable<O extends Options = Options, K extends string = string> {
  readonly name: string;
  readonly summary: string;
  /** What follows the name in the lines of the usage. Default: the arguments, and `[OPTION...]`. */
  readonly usage?: readonly string[];
  /**
   * The first word chooses among several kinds of work, each with its meaning. With a kind in capitals another first
   * word is an argument of that kind.
   */
  readonly kinds?: Readonly<Record<K, string>>;
  readonly arguments?: readonly Argument[];
  /** What the words after `--` are, as `ARGUMENT...`. Without it they are arguments as the others. */
  readonly rest?: string;
  readonly options: O;
  /** Options of the program that the command takes the place of, each with what replaces it here. */
  readonly replaced?: Readonly<Record<string, string>>;
  /** Variables of that program that have no effect here, each with what replaces them. */
  readonly ignored?: Readonly<Record<string, string>>;
  /** The command works until it is asked to stop. Such a command takes `--exit-with-parent`. */
  readonly isLasting?: true;
  /** Without a word, the command prints its help and ends with 2. */
  readonly needsWords?: true;
  /** Paragraphs before the options. */
  readonly description: string;
  /** Paragraphs after the options. */
  readonly notes?: string;
  /** Names of variables that are settings, or variables with their meanings. `all`: every setting. */
  readonly environment?: 'all' | readonly (string | readonly [name: string, meaning: string])[];
  readonly exitCodes: Readonly<Record<number, string>>;
  readonly examples?: string;
}

/** What a command line says, in the types that the table of the command names. */
export interface Given<O extends Options = Options, K extends string = string> {
  readonly values: Values<O>;
  /** The kind of work. */
  readonly kind: K;
  /** The words that are no options, without the kind. */
  readonly words: readonly string[];
  /** The words after `--`. */
  readonly rest: readonly string[];
  /** Variables that are set and have no effect, with what replaces them, one text each. */
  readonly ignored: readonly string[];
}

/** As `Given`, for the type of a table. */
export type GivenTo<T> = T extends CommandTable<infer O, infer K> ? Given<O, K> : never;

/** By the names of the options in camelCase: `--dry-run` is `dryRun`. */
export type Values<O extends Options> = {
  readonly [Name in keyof O & string as CamelCase<Name>]: ValueOf<O[Name]>;
};

type ValueOf<O extends Option> = O extends { readonly type: ValueType }
  ? O extends { readonly multiple: true }
    ? readonly SingleOf<O>[]
    : O extends { readonly default: string }
      ? SingleOf<O>
      : SingleOf<O> | undefined
  : boolean;

type SingleOf<O extends Option> = O extends { readonly choices: readonly (infer C)[] }
  ? O extends { readonly type: 'list' }
    ? readonly C[]
    : C
  : O extends { readonly type: infer T extends ValueType }
    ? ValueTypes[T]
    : never;

export type CamelCase<Name extends string> = Name extends `${infer First}-${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Name;

export function camelCase(name: string): string {
  return name.replaceAll(/-(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** The option of each command that works until it is asked to stop. */
export const EXIT_WITH_PARENT = 'exit-with-parent';

/** All options of a command. */
export function optionsOf({ options, isLasting }: CommandTable): Options {
  const help = 'stop also when the process that has started this command ends';
  return isLasting === true ? { ...options, [EXIT_WITH_PARENT]: { help } } : options;
}
