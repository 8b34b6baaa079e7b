import type { Clock } from '../core/clock.ts';

/** Default time limit of a program, in milliseconds. */
export const DEFAULT_PROGRAM_TIMEOUT_MS: number = 60_000;

/** Default maximum of the bytes that a program may write to standard output and standard error together. */
export const DEFAULT_OUTPUT_LIMIT_BYTES: number = 10_000_000;

/** How a program is run. By default, it inherits only the working directory from this process. */
export interface ProgramOptions {
  /** The executable: a path, or a name that is looked up in `env.PATH`. No shell interprets it. */
  readonly program: string;
  readonly args?: readonly string[];
  /** The working directory. Default: the working directory of this process. */
  readonly cwd?: string;
  /** The whole environment of the program. The toolkit adds `CHANCERY_RUN`, which identifies the run. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The contents of the program's standard input. Default: empty. On Linux the input is in a file in `tmpDir`
   * that is removed before the program starts.
   */
  readonly input?: string;
  /** Milliseconds after which the program's process group is ended; 0 for no limit. Default 60 s. */
  readonly timeoutMs?: number;
  /** Maximum number of bytes on standard output and standard error together. Default 10 MB. */
  readonly outputLimitBytes?: number;
  /**
   * Called with each line of output, without its line feed and cut to 16 KiB. If set, `stdout` of the result
   * is empty. Default: standard output is kept for the result.
   */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  /**
   * If true, standard output is kept for the result even if `onLine` is set. `onLine` is then called only
   * with lines of standard error.
   */
  readonly keepsStdout?: boolean;
  /**
   * The folder for files that are removed before the program starts. Default: the system's folder for
   * temporary files.
   */
  readonly tmpDir?: string;
  readonly clock: Clock;
  /** When this signal aborts, the process group is ended. */
  readonly signal: AbortSignal;
}
