import process from 'node:process';
import type { Client } from '../client/client.ts';
import type { Controller } from '../controller/controller.ts';
import type { Clock } from '../core/clock.ts';
import {
  type Arguments,
  type ArgumentValues,
  readArguments,
  requireUsable,
} from './argument-values.ts';
import type { CreateManagerOptions } from './options.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What a module consists of, for the arguments that it was given. */
export interface ProgramParts
  extends Pick<CreateManagerOptions, 'runnables' | 'webhooks' | 'healthChecks' | 'metrics'> {
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
      const given = readArguments(args, declared, positionals !== undefined);
      return await definition.create({ ...given, environment: variables });
    },
  };
  return Object.freeze({ ...program, [DECLARED]: true });
}

/** True for a value that `withArguments()` returned. */
export function isProgram(value: unknown): value is Program {
  return typeof value === 'object' && value !== null && DECLARED in value;
}
