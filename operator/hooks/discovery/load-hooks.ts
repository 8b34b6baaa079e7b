import type { Clock } from '../../core/clock.ts';
import type { ProgramOptions, ProgramResult } from '../../process/run-program.ts';
import type { Hook } from '../hook.ts';

export interface LoadHooksOptions {
  /** The environment of `--config`: what a run gets, without the files. */
  readonly env: Readonly<Record<string, string>>;
  /** `runProgram`. */
  readonly runProgram: (options: ProgramOptions) => Promise<ProgramResult>;
  /** Broken hooks become problems. Default false: the first is thrown. */
  readonly skipBroken?: boolean;
  /** Milliseconds for one `--config`. Default 60 s. */
  readonly timeoutMs?: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A hook that cannot be used. */
export interface HookProblem {
  /** Path below the folder. */
  readonly hook: string;
  /** Log-safe, one line: what is wrong and what to do. */
  readonly message: string;
}

export interface LoadedHooks {
  /** In path order. */
  readonly hooks: readonly Hook[];
  /** Empty unless `skipBroken`. */
  readonly problems: readonly HookProblem[];
}

/**
 * Folder -> hooks. Finds the executables, asks each for its `--config`, or reads the file `HOOK.yaml` beside it, and reads the
 * rights files.
 *
 * @throws ConfigurationError `CONFIG` for a folder without hooks, and for a broken hook; `signal.reason` when aborted.
 */
export declare function loadHooks(dir: string, options: LoadHooksOptions): Promise<LoadedHooks>;
