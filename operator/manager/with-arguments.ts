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

/** What a module contributes to a process for the given arguments. */
export interface ProgramParts
  extends Pick<CreateManagerOptions, 'runnables' | 'webhooks' | 'healthChecks' | 'metrics'> {
  /** The controllers to run. Default: none. */
  readonly controllers?: readonly Controller[];
  /**
   * Settings that override the environment. The module decides which settings these are, because it can read
   * the environment itself. Default: none.
   */
  readonly settings?: CreateManagerOptions['settings'];
  /**
   * A command that `chancery run` calls once, behind the ambassador, instead of running a manager. Its result
   * is the exit code of the process, from 0 to 255. Default: a manager runs the controllers.
   *
   * `client` writes with the field manager `chancery-command`. `signal` aborts when the process must stop.
   * Write nothing but results to `stdout`.
   */
  readonly command?: (io: {
    readonly client: Client;
    readonly stdout: { write(text: string): unknown };
    readonly stderr: { write(text: string): unknown };
    readonly signal: AbortSignal;
    readonly clock: Clock;
  }) => Promise<number>;
}

/** What is passed to `withArguments`: the declared arguments, and the function `create`. */
interface ProgramDefinition<A extends Arguments> {
  /** The declared arguments. The keys are the names of the arguments, without dashes. */
  readonly arguments: A;
  /**
   * The meaning of positional arguments, for `--help`. If omitted, the module takes none, and a positional
   * argument is an error.
   */
  readonly positionals?: readonly (readonly [words: string, help: string])[];
  /** Environment variables that the module reads, for `--help`. Default: none. */
  readonly environment?: readonly (readonly [name: string, help: string])[];
  /**
   * Creates the controllers and everything else. It must not open or write anything, because every command
   * that loads the module calls it.
   */
  readonly create: (given: {
    readonly values: ArgumentValues<A>;
    readonly positionals: readonly string[];
    readonly environment: Environment;
  }) => ProgramParts | Promise<ProgramParts>;
}

/** A module that takes arguments, the result of `withArguments`. */
export interface Program {
  /** The declared arguments. The keys are the names of the arguments, without dashes. */
  readonly arguments: Arguments;
  /** The meaning of positional arguments. Undefined when the module takes none. */
  readonly positionals: readonly (readonly [words: string, help: string])[] | undefined;
  /** Environment variables that the module reads. */
  readonly environment: readonly (readonly [name: string, help: string])[];
  /**
   * Parses `args`, the arguments after `--` on a command line, and calls the module's `create`. By default,
   * `environment` is the environment of this process.
   *
   * @throws ConfigurationError `CONFIG` for an argument that is unknown or has no usable value, and whatever
   *   `create` of the module throws.
   */
  create(given?: {
    readonly args?: readonly string[];
    readonly environment?: Environment;
  }): Promise<ProgramParts>;
}

/**
 * Registered with `Symbol.for`, so that `isProgram` also recognizes programs from another copy of this
 * module.
 */
const DECLARED: unique symbol = Symbol.for('chancery.program');

/**
 * Declares a module that takes arguments. The result must be the default export of the module. Commands
 * that load modules, such as `chancery run MODULE -- ARGS`, pass it the arguments after `--`.
 *
 *     export default withArguments({
 *       arguments: { greeting: { type: 'string', default: 'hello', help: 'the first word' } },
 *       create: ({ values }) => ({ controllers: [greeter(values.greeting)] }),
 *     });
 *
 * @throws ConfigurationError `CONFIG` when a name or a type of an argument is invalid.
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
