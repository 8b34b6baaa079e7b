import type { Clock } from '../core/clock.ts';

/** Default time limit of a program, in milliseconds. */
export const DEFAULT_PROGRAM_TIMEOUT_MS: number = 60_000;

/** Default maximum of the bytes that a program may write to standard output and standard error together. */
export const DEFAULT_OUTPUT_LIMIT_BYTES: number = 10_000_000;

/** How a program is run. It inherits nothing from this process except the working directory. */
export interface ProgramOptions {
  /** The executable: a path, or a name that is looked up in `env.PATH`. No shell interprets it. */
  readonly program: string;
  readonly args?: readonly string[];
  /** The working directory. Default: the working directory of this process. */
  readonly cwd?: string;
  /** The whole environment of the program. The toolkit adds `CHANCERY_RUN`, which identifies the run. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What it reads from standard input. Default: nothing. On Linux the input is in an unnamed file in
   * `tmpDir`.
   */
  readonly input?: string;
  /** Milliseconds after which its process group is ended; 0 for no limit. Default 60 s. */
  readonly timeoutMs?: number;
  /** Maximum number of bytes on standard output and standard error together. Default 10 MB. */
  readonly outputLimitBytes?: number;
  /**
   * Called with each line of output, without its line feed and with at most 16 KiB of it. The result then has
   * no `stdout`. Default: standard output is kept for the result.
   */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  /**
   * If true, standard output is kept for the result although `onLine` is set, and `onLine` is called with
   * lines of standard error only.
   */
  readonly keepsStdout?: boolean;
  /**
   * The folder for files that are removed before the program starts. Default: the system's folder for
   * temporary files.
   */
  readonly tmpDir?: string;
  readonly clock: Clock;
  /** Ends the process group when it aborts. */
  readonly signal: AbortSignal;
}
