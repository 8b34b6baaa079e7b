import { ConfigurationError } from '../core/errors.ts';
import {
  type FlagWord,
  GO_BOOLEANS,
  goBoolean,
  type PositionalWord,
  readCommandLine,
  stringSlice,
} from '../core/go/pflag.ts';
import { nearMatches } from '../core/text/near-match.ts';
import { boundedText } from '../core/text/visible-text.ts';

/** The fields that every declared argument has. */
interface CommonArgument {
  /** What the argument does, for `--help`. */
  readonly help: string;
}

/** `--name`, `--name=true` or `--name=false`, with the values that Go's `strconv.ParseBool` accepts. */
interface BooleanArgument extends CommonArgument {
  /** If the argument is given several times, the last one wins. */
  readonly type: 'boolean';
  /** The value when the argument is not given. Default false. */
  readonly default?: boolean;
}

/** `--name=TEXT` or `--name TEXT`. `TEXT` may be empty. */
interface StringArgument extends CommonArgument {
  /** If the argument is given several times, the last one wins. */
  readonly type: 'string';
  /** A word in capitals that stands for the value in `--help`. Default `TEXT`. */
  readonly value?: string;
  /** The value when the argument is not given. Default undefined. */
  readonly default?: string;
}

/** `--name=a,b`, one record of CSV: an item in double quotes may contain commas. */
interface ListArgument extends CommonArgument {
  /** If the argument is given several times, the items are joined in the order given. */
  readonly type: 'list';
  /** A word in capitals that stands for the value in `--help`. Default `A,B`. */
  readonly value?: string;
  /** The value when the argument is not given. Default: no items. */
  readonly default?: readonly string[];
}

type Argument = BooleanArgument | StringArgument | ListArgument;

/** The declared arguments of a module. The keys are the names of the arguments, without dashes. */
export type Arguments = Readonly<Record<string, Argument>>;

/**
 * The values of the declared arguments, with the arguments' names as keys. The function `create` of
 * `withArguments` receives them.
 */
export type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly type: 'boolean' }
    ? boolean
    : A[Name] extends { readonly type: 'list' }
      ? readonly string[]
      : A[Name] extends { readonly default: string }
        ? string
        : string | undefined;
};

/**
 * Splits the words after `--` into named and positional arguments, in order. If the value of an argument is
 * missing, this function throws, while pflag would take the next word as the value.
 *
 * @throws ConfigurationError `CONFIG` for an argument that is unknown or has no value.
 */
export function argumentWords(
  words: readonly string[],
  declared: Arguments,
): readonly (FlagWord | PositionalWord)[] {
  const known = Object.entries(declared).map(([name, { type }]) => [
    name,
    type === 'boolean' ? { valueIfNone: 'true' } : {},
  ]);
  return readCommandLine(words, Object.fromEntries(known)).map((word) => {
    if (word.type === 'unknown') throw unknownArgument(word.text, Object.keys(declared));
    if (word.type === 'no-value') throw valueMissing(word.name);
    const isForgotten =
      word.type === 'flag' && word.from === 'next' && isArgument(word.value, declared);
    if (isForgotten) throw valueMissing(word.name);
    return word;
  });
}

/**
 * The values of the named arguments, and the positional arguments.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `argumentWords`, for a value of another type, and
 *   for a positional argument when the module takes none.
 */
export function readArguments<A extends Arguments>(
  words: readonly string[],
  declared: A,
  takesPositionals: boolean,
): { readonly values: ArgumentValues<A>; readonly positionals: readonly string[] } {
  const read = argumentWords(words, declared);
  const positionals = read.filter((word) => word.type === 'positional');
  const [first] = positionals;
  if (first !== undefined && !takesPositionals) throw positionalRefused(first);
  const values = Object.entries(declared).map(([name, argument]) => {
    const texts = read.flatMap((word) =>
      word.type === 'flag' && word.name === name ? [word.value] : [],
    );
    return [name, parsedValue(name, argument, texts)] as const;
  });
  return {
    values: Object.freeze(Object.fromEntries(values)) as ArgumentValues<A>,
    positionals: positionals.map(({ value }) => value),
  };
}

function isArgument(word: string, declared: Arguments): boolean {
  const [, name = ''] = /^--([^=]+)/.exec(word) ?? [];
  return Object.hasOwn(declared, name);
}

function valueMissing(name: string): ConfigurationError {
  return new ConfigurationError(`--${name} needs a value, as --${name}=VALUE`);
}

function unknownArgument(word: string, names: readonly string[]): ConfigurationError {
  const near = nearMatches(word.replace(/^-+/, ''), names);
  const hint =
    near.length > 0
      ? `did you mean --${near.join(' or --')}?`
      : `known: ${names.map((name) => `--${name}`).join(', ') || 'none'}`;
  return new ConfigurationError(`unknown argument ${JSON.stringify(word)}; ${hint}`);
}

/** The error for a positional argument when the module takes none. */
export function positionalRefused({
  value,
  maybeValueOf: flag,
}: PositionalWord): ConfigurationError {
  const hint = flag === undefined ? '' : `; did you mean --${flag}=${value}?`;
  return new ConfigurationError(
    `expected arguments that begin with --, got ${JSON.stringify(value)}${hint}`,
  );
}

function parsedValue(name: string, argument: Argument, texts: readonly string[]): unknown {
  switch (argument.type) {
    case 'boolean':
      return texts.map((text) => booleanOf(name, text)).at(-1) ?? argument.default ?? false;
    case 'string':
      return texts.at(-1) ?? argument.default;
    case 'list':
      if (texts.length === 0) return argument.default ?? [];
      return texts.flatMap((text) => listOf(name, text));
  }
}

function booleanOf(name: string, text: string): boolean {
  const value = goBoolean(text);
  if (value !== undefined) return value;
  const words = [...GO_BOOLEANS.keys()].join(', ');
  throw new ConfigurationError(`--${name} must be one of ${words}, not ${JSON.stringify(text)}`);
}

function listOf(name: string, text: string): readonly string[] {
  const items = stringSlice(text);
  if (items !== undefined) return items;
  throw new ConfigurationError(
    `--${name} must be a list as a,b or "a,b",c on one line, not ${JSON.stringify(boundedText(text))}`,
  );
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/** No module can declare the argument `help`, because the command line itself handles `--help`. */
const RESERVED = 'help';

/** @throws ConfigurationError `CONFIG` when the name, the type or the default of an argument is invalid. */
export function requireUsable(name: string, argument: Argument): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name) || name === RESERVED) {
    throw new ConfigurationError(
      `an argument must be named with letters, digits, "-", "_" and ".", and not "${RESERVED}"`,
      { context: { argument: name } },
    );
  }
  const isOfType = Object.hasOwn(TYPES, argument.type) ? TYPES[argument.type] : undefined;
  if (isOfType === undefined) {
    throw new ConfigurationError(`type of --${name} must be ${Object.keys(TYPES).join(', ')}`);
  }
  if (argument.default !== undefined && !isOfType(argument.default)) {
    throw new ConfigurationError(`default of --${name} must be of the type ${argument.type}`);
  }
}
