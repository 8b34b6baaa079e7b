import type { Log } from '../../controller/reconciler.ts';
import type { Clock } from '../../core/clock.ts';
import type { RunFolders } from '../../process/run-files.ts';
import type { ProgramUsage } from '../../process/run-program.ts';
import type { Hook } from '../hook.ts';

/** How hooks are started. */
export interface InvocationOptions {
  readonly folders: RunFolders;
  /** The environment of every hook: see `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** For hooks that do not say it themselves. Milliseconds, 0 for no limit. */
  readonly timeoutMs: number;
  /** Lines that are JSON objects become fields of the log line. Default false. */
  readonly proxiesJsonLines?: boolean;
  readonly clock: Clock;
  /** Bound to the hook and its run. Each line of output is one line of it. */
  readonly log: Log;
}

/** What a hook has left. */
export interface HookAnswer {
  readonly exitCode: number;
  /** The patch file. Also of a hook that failed, for `ignoreHookError`. */
  readonly patches: string;
  /** The metrics file. */
  readonly metrics: string;
  readonly usage: ProgramUsage;
}

/**
 * Starts a hook once.
 *
 * @param contexts - the text of the file `BINDING_CONTEXT_PATH`.
 * @throws ProgramError `PROGRAM` when it cannot be started or breaks a limit; ResultFileError when a file that
 *   it left cannot be read, unless its exit code says that it failed. @throws `signal.reason` when aborted.
 */
export declare function invokeHook(
  hook: Hook,
  contexts: string,
  options: InvocationOptions,
  signal: AbortSignal,
): Promise<HookAnswer>;
