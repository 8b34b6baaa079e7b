import type { Option, ValueType, ValueTypes } from './value-types.ts';

/** The options of a command, keyed by their long names without dashes. */
export type Options = Readonly<Record<string, Option>>;

/** An argument that is not an option. */
export interface Argument {
  /** The name in the usage: `FILE`, or the possible words as in `bash|zsh`. */
  readonly name: string;
  readonly isPath?: true;
  /** The argument may be repeated. All arguments after it then have the same meaning. */
  readonly repeats?: true;
}

/**
 * The complete command line of one command. The parser, the types of the parsed values, `--help`,
 * the completion of the shells and docs/reference/commands.md are derived from it.
 *
 * Every start loads all tables, so the module of a table must not import expensive modules.
 */
export interface CommandTable<O extends Options = Options, K extends string = string> {
  readonly name: string;
  readonly summary: string;
  /**
   * The usage lines without `chancery` and the name of the command. Default: one line, with the
   * arguments and `[OPTION...]`.
   */
  readonly usage?: readonly string[];
  /**
   * Kinds of work, such as `api` and `hook`, each with its meaning. The first argument chooses the
   * kind. If it is none of the kinds, the kind in capital letters applies, and the first argument
   * is an argument of that kind.
   */
  readonly kinds?: Readonly<Record<K, string>>;
  readonly arguments?: readonly Argument[];
  /**
   * The meaning of the arguments after `--`, such as `ARGUMENT...`. If omitted, arguments after
   * `--` are treated like all other arguments.
   */
  readonly rest?: string;
  readonly options: O;
  /**
   * A command may replace another program. These are options of that program, each with its
   * replacement in this command.
   */
  readonly replaced?: Readonly<Record<string, string>>;
  /**
   * Environment variables of the replaced program that have no effect on this command, each with its
   * replacement.
   */
  readonly ignored?: Readonly<Record<string, string>>;
  /**
   * The command runs until it is asked to stop. Such a command has the option `--exit-with-parent`.
   */
  readonly isLasting?: true;
  /** Without an argument, the command prints its help and exits with code 2. */
  readonly needsWords?: true;
  /** Paragraphs before the options. */
  readonly description: string;
  /** Paragraphs after the options. */
  readonly notes?: string;
  /**
   * Environment variables that the command reads: the name of a setting, or a name with its
   * meaning. `all` stands for all settings.
   */
  readonly environment?: 'all' | readonly (string | readonly [name: string, meaning: string])[];
  readonly exitCodes: Readonly<Record<number, string>>;
  readonly examples?: string;
}

/** A parsed command line. The types of its values are derived from the table of the command. */
export interface Given<O extends Options = Options, K extends string = string> {
  readonly values: Values<O>;
  /** The chosen kind of work. */
  readonly kind: K;
  /** The arguments that are not options, without the kind. */
  readonly words: readonly string[];
  /** The arguments after `--`. */
  readonly rest: readonly string[];
  /**
   * Environment variables that are set but have no effect: one message each, with the replacement.
   */
  readonly ignored: readonly string[];
}

/** The type `Given` with the options and kinds of the table type `T`. */
export type GivenTo<T> = T extends CommandTable<infer O, infer K> ? Given<O, K> : never;

/** Values, keyed by the names of the options in camelCase: `dryRun` for `--dry-run`. */
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

/** The option of every command that runs until it is asked to stop. */
export const EXIT_WITH_PARENT = 'exit-with-parent';

/** All options of a command. */
export function optionsOf({ options, isLasting }: CommandTable): Options {
  const help = 'stop also when the process that has started this command ends';
  return isLasting === true ? { ...options, [EXIT_WITH_PARENT]: { help } } : options;
}
