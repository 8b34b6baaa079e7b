import process from 'node:process';
import type { Client } from '../client/client.ts';
import type { Controller } from '../controller/controller.ts';
import type { Clock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { booleanOf, givenArguments, listOf, requirePositionals } from './arguments/words.ts';
import type { CreateManagerOptions } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What every declared argument has. */
interface CommonArgument {
  /** What it does, for `--help`. */
  readonly help: string;
}

/** `--name`, `--name=true` or `--name=false`, with the words of Go's `strconv.ParseBool`. */
interface BooleanArgument extends CommonArgument {
  /** The last of several wins. */
  readonly type: 'boolean';
  /** Its value when it is not given. Default false. */
  readonly default?: boolean;
}

/** `--name=TEXT` or `--name TEXT`. The text may be empty. */
interface StringArgument extends CommonArgument {
  /** The last of several wins. */
  readonly type: 'string';
  /** A word in capitals that stands for the value in `--help`. Default `TEXT`. */
  readonly value?: string;
  /** Its value when it is not given. Default undefined. */
  readonly default?: string;
}

/** `--name=a,b`, one record of CSV: an item in double quotes may contain commas. */
interface ListArgument extends CommonArgument {
  /** The items of several are joined in the order given. */
  readonly type: 'list';
  /** A word in capitals that stands for the value in `--help`. Default `A,B`. */
  readonly value?: string;
  /** Its value when it is not given. Default: no items. */
  readonly default?: readonly string[];
}

type Argument = BooleanArgument | StringArgument | ListArgument;
type Arguments = Readonly<Record<string, Argument>>;

/** The value of each argument of a table, by its name: what `create` of `withArguments` gets. */
export type ArgumentValues<A extends Arguments> = {
  readonly [Name in keyof A]: A[Name] extends { readonly type: 'boolean' }
    ? boolean
    : A[Name] extends { readonly type: 'list' }
      ? readonly string[]
      : A[Name] extends { readonly default: string }
        ? string
        : string | undefined;
};

/** What a module consists of, for the arguments that it was given. */
export interface ProgramParts
  extends Pick<CreateManagerOptions, 'runnables' | 'healthChecks' | 'metrics'> {
  /** The controllers to run. Default: none. */
  readonly controllers?: readonly Controller[];
  /**
   * Settings that override those of the environment: the module decides, because it can read the environment
   * itself. Default: none.
   */
  readonly settings?: CreateManagerOptions['settings'];
  /**
   * Work that `chancery run` does once, behind the ambassador, in place of a manager. Its result is the exit
   * code of the process, from 0 to 255. Default: a manager runs the controllers.
   *
   * `client` writes with the field manager `chancery-command`. `signal` aborts when the process is asked to
   * stop. Only results belong to `stdout`.
   */
  readonly command?: (io: {
    readonly client: Client;
    readonly stdout: { write(text: string): unknown };
    readonly stderr: { write(text: string): unknown };
    readonly signal: AbortSignal;
    readonly clock: Clock;
  }) => Promise<number>;
}

/** What `withArguments` takes. */
interface ProgramDefinition<A extends Arguments> {
  /** The arguments by their names, without dashes. */
  readonly arguments: A;
  /** What positionals mean, for `--help`. Default: the module takes none, and one is an error. */
  readonly positionals?: readonly (readonly [words: string, help: string])[];
  /** Environment variables that the module reads, for `--help`. Default: none. */
  readonly environment?: readonly (readonly [name: string, help: string])[];
  /** Makes the parts. Opens nothing and writes nothing: every command that loads the module calls it. */
  readonly create: (given: {
    readonly values: ArgumentValues<A>;
    readonly positionals: readonly string[];
    readonly environment: Environment;
  }) => ProgramParts | Promise<ProgramParts>;
}

/** A module that takes arguments, as `withArguments` returns it. */
export interface Program {
  /** The arguments by their names. */
  readonly arguments: Arguments;
  /** What positionals mean. Undefined when it takes none. */
  readonly positionals: readonly (readonly [words: string, help: string])[] | undefined;
  /** Environment variables that it reads. */
  readonly environment: readonly (readonly [name: string, help: string])[];
  /**
   * Parses `args`, which stand after `--` on a command line, and makes the parts. `environment` is that of
   * this process by default.
   *
   * @throws ConfigurationError `CONFIG` for an argument that is unknown or has no usable value, and whatever
   *   `create` of the module throws.
   */
  create(given?: {
    readonly args?: readonly string[];
    readonly environment?: Environment;
  }): Promise<ProgramParts>;
}

/** Registered with `Symbol.for`: `isProgram` then knows the programs of another copy of this module. */
const DECLARED: unique symbol = Symbol.for('chancery.program');

/**
 * Declares a module that takes arguments. The result is its default export. `chancery run MODULE -- ARGS` gives
 * it the arguments after the two dashes, and so does every command that loads modules.
 *
 *     export default withArguments({
 *       arguments: { greeting: { type: 'string', default: 'hello', help: 'the first word' } },
 *       create: ({ values }) => ({ controllers: [greeter(values.greeting)] }),
 *     });
 *
 * @throws ConfigurationError `CONFIG` when a name or a type of an argument is unusable.
 */
export function withArguments<const A extends Arguments>(
  definition: ProgramDefinition<A>,
): Program {
  const { arguments: declared, positionals, environment = [] } = definition;
  for (const [name, argument] of Object.entries(declared)) requireUsable(name, argument);
  const program: Program = {
    arguments: Object.freeze({ ...declared }),
    positionals,
    environment,
    async create({ args = [], environment: variables = process.env } = {}): Promise<ProgramParts> {
      const given = givenArguments(args, declared);
      const words = given.filter(({ name }) => name === undefined).map(({ value }) => value);
      requirePositionals(given, declared, () => positionals !== undefined);
      const values = valuesOf(declared, given);
      return await definition.create({ values, positionals: words, environment: variables });
    },
  };
  return Object.freeze({ ...program, [DECLARED]: true });
}

/** True for a value that `withArguments()` returned. */
export function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && DECLARED in value;
}

function valuesOf<A extends Arguments>(
  declared: A,
  given: ReturnType<typeof givenArguments>,
): ArgumentValues<A> {
  const values = Object.entries(declared).map(([name, argument]) => {
    const texts = given.filter((each) => each.name === name).map(({ value }) => value);
    return [name, parsedValue(name, argument, texts)] as const;
  });
  return Object.freeze(Object.fromEntries(values)) as ArgumentValues<A>;
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

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  boolean: (value) => typeof value === 'boolean',
  string: (value) => typeof value === 'string',
  list: (value) => Array.isArray(value) && value.every((item) => typeof item === 'string'),
};

/** `--help` is of the command line. */
const RESERVED = 'help';

function requireUsable(name: string, argument: Argument): void {
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
