import type { Clock } from '../core/clock.ts';

/** Default time limit of a program. */
export const DEFAULT_PROGRAM_TIMEOUT_MS: number = 60_000;

/** Default limit of the bytes that a program may write to standard output and standard error together. */
export const DEFAULT_OUTPUT_LIMIT_BYTES: number = 10_000_000;

/** How a program is run. It inherits nothing from this process except the working directory. */
export interface ProgramOptions {
  /** The executable: a path, or a name that is looked up in `env.PATH`. No shell reads it. */
  readonly program: string;
  readonly args?: readonly string[];
  /** The working directory. Default: the working directory of this process. */
  readonly cwd?: string;
  /** The whole environment of the program. The toolkit adds `CHANCERY_RUN`, which names the run. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * The text on its standard input. Default: nothing. On Linux the text is in a nameless file of `tmpDir`.
   */
  readonly input?: string;
  /** Milliseconds after which its process group is ended, 0 for no limit. Default 60 s. */
  readonly timeoutMs?: number;
  /** Maximum number of bytes on standard output and standard error together. Default 10 MB. */
  readonly outputLimitBytes?: number;
  /**
   * Called with each line of output, without its line feed and with at most 16 KiB of it. Then the result has
   * no `stdout`. Default: standard output is kept for the result.
   */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  /**
   * Whether standard output is kept for the result although `onLine` is given. `onLine` then receives
   * standard error only.
   */
  readonly keepsStdout?: boolean;
  /**
   * A folder for files that are removed before the program starts. Default: the system's folder for temporary
   * files.
   */
  readonly tmpDir?: string;
  readonly clock: Clock;
  /** Ends the process group when it aborts. */
  readonly signal: AbortSignal;
}
