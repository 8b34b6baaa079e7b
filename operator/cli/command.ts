import type { Readable, Writable } from 'node:stream';

/**
 * 0: success. 1: the operation failed. 2: the command line is wrong, or a file or module on it is
 * wrong. 3: leadership was lost, or the operator refuses to run in this environment. 4: the
 * requested object is not known.
 */
export type ExitCode = 0 | 1 | 2 | 3 | 4;

/**
 * The streams, the environment and the functions of the process that a command may use. Tests
 * replace them, to run a command in-process.
 */
export interface Io {
  readonly stdin: Readable;
  /** The stream for results. Nothing else is written to it, because other programs read it. */
  readonly stdout: Writable;
  /** The stream for messages to people, and for logs. */
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Aborts when the process is asked to stop. A command that stops for this reason has not failed.
   *
   * A command reads this property once it has read its files. From then on, the signal asks it to
   * stop. Before that, SIGTERM and SIGINT end the process at once, even while its thread is busy.
   * The process also ends at once when the time limit for reading is over.
   */
  readonly signal: AbortSignal;
  /**
   * Ends the process with `code` after `withinMs`, even if work is still running. Does nothing if
   * `cancel` aborts first.
   *
   * @param says - a line that is written to standard error before the process ends.
   */
  exitWithin(withinMs: number, code: ExitCode, cancel?: AbortSignal, says?: string): void;
  /** From now on the process uses less memory and more processor time. */
  saveMemory(): void;
  /** From now on `signal` also aborts when the process that started this command has ended. */
  exitWithParent(): void;
}

/** One command of the command line, such as `run`. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Text of `--help`: usage, options, examples. */
  readonly help: string;
  /**
   * Returns the text that `--help` prints when `args` contain modules that declare arguments. If
   * the result is undefined, `help` is printed.
   *
   * @throws ConfigurationError `CONFIG` when a module cannot be loaded.
   */
  helpOf?(args: readonly string[], io: Io): Promise<string | undefined>;
  /**
   * Runs the command.
   *
   * @throws ConfigurationError `CONFIG` for a wrong command line. The process prints one line and
   * exits with 2.
   * @throws OperatorError for any other failure. The process prints one line and exits with 1.
   */
  run(args: readonly string[], io: Io): Promise<ExitCode>;
}
