import type { Readable, Writable } from 'node:stream';

/**
 * 0: done. 1: the operation failed. 2: the command line, or what it names, was wrong. 3: leadership is
 * lost, or the operator refuses to run where it is.
 */
export type ExitCode = 0 | 1 | 2 | 3;

/** Everything a command may touch, so that tests run it in-process. */
export interface Io {
  readonly stdin: Readable;
  /** Results only: other programs read this. */
  readonly stdout: Writable;
  /** Messages for people, and logs. */
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when the process is asked to stop; a command that is asked to stop has not failed. */
  readonly signal: AbortSignal;
  /**
   * Ends the process with `code` when `withinMs` are over, whatever is under way then, unless `cancel`
   * aborts before.
   */
  exitWithin(withinMs: number, code: ExitCode, cancel?: AbortSignal): void;
  /** Makes the process take less memory and more processor time from now on. */
  saveMemory(): void;
}

/** One word of the command line, and what it does. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  /** Printed by `--help`: usage, options, examples. */
  readonly help: string;
  /**
   * @throws ConfigurationError `CONFIG` for a wrong command line: it ends in one line and exit code 2.
   * @throws OperatorError for any other failure: one line and exit code 1.
   */
  run(args: readonly string[], io: Io): Promise<ExitCode>;
}
