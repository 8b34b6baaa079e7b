import type { Clock } from '../core/clock.ts';

/** How a program is run. Nothing is inherited from this process. */
export interface ProgramOptions {
  /** The executable: an absolute path, or a name that is looked up in `env.PATH`. No shell reads it. */
  readonly program: string;
  readonly args?: readonly string[];
  /** Default: that of this process. */
  readonly cwd?: string;
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>;
  /** What it reads from standard input. Default: nothing. */
  readonly input?: string;
  /** Milliseconds after which its process group is ended, 0 for no limit. Default 60 s. */
  readonly timeoutMs?: number;
  /** Bytes on standard output and standard error together. Default 10 MB. */
  readonly outputLimitBytes?: number;
  /** Called with each line of output, at most 16 KiB of it. Default: only `stdout` of the result has it. */
  readonly onLine?: (stream: 'stdout' | 'stderr', line: string) => void;
  readonly clock: Clock;
  /** Ends the process group. */
  readonly signal: AbortSignal;
}

/** What a program that ended by itself has left. */
export interface ProgramResult {
  /** After a signal: 128 and the number of the signal, as in shells. */
  readonly exitCode: number;
  readonly stdout: string;
  readonly durationMs: number;
  /** Seconds of processor time, as far as they were seen. */
  readonly userCpuSeconds: number;
  readonly systemCpuSeconds: number;
  /** Largest resident memory that was seen. */
  readonly maxRssBytes: number;
  /** Processes that had outlived the program and were ended. */
  readonly survivors: number;
}
