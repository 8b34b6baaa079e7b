import type { Clock } from '../core/clock.ts';

/** Time limit of a program that has no other. */
export const DEFAULT_PROGRAM_TIMEOUT_MS: number = 60_000;

/** Bytes that a program may write on standard output and standard error together. */
export const DEFAULT_OUTPUT_LIMIT_BYTES: number = 10_000_000;

/** How a program is run. Nothing but the working directory is inherited from this process. */
export interface ProgramOptions {
  /** The executable: a path, or a name that is looked up in `env.PATH`. No shell reads it. */
  readonly program: string;
  readonly args?: readonly string[];
  /** Default: that of this process. */
  readonly cwd?: string;
  /** The whole environment of the program. `CHANCERY_RUN` is added to it: it names the run. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from standard input. Default: nothing. On Linux a nameless file of `tmpDir` has it. */
  readonly input?: string;
  /** Milliseconds after which its process group is ended, 0 for no limit. Default 60 s. */
  readonly timeoutMs?: number;
  /** Bytes on standard output and standard error together. Default 10 MB. */
  readonly outputLimitBytes?: number;
  /**
   * Called with each line of output without its end, at most 16 KiB of it. Then the result has no `stdout`.
   * Default: standard output is kept for the result.
   */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  /** Standard output is kept for the result although there is `onLine`, which gets standard error only. */
  readonly keepsStdout?: boolean;
  /** A folder for files that have gone before the program starts. Default: that of the system. */
  readonly tmpDir?: string;
  readonly clock: Clock;
  /** Ends the process group. */
  readonly signal: AbortSignal;
}
