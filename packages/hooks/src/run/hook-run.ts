import type { Hook } from '../hook.ts';

/** All attempts of one task: a hook, and the contexts that it gets. */
export interface HookRun {
  /**
   * Starts the hook, checks its result files, and applies its patches and metrics. When patches
   * fail and a retry may succeed, the next attempt continues with the document that failed, and
   * does not start the hook again.
   *
   * @param contexts - called when the hook is started, at most once per attempt. It reads the
   * snapshots and returns the text of `BINDING_CONTEXT_PATH`. The text comes in pieces of about 64
   * KiB that must be written one after another, because the whole text may exceed the maximum
   * length of a string.
   * @throws HookError when the hook or one of its documents failed; ProgramError when the hook
   * exceeded a limit; `signal.reason` when aborted; LeadershipLostError.
   */
  attempt(contexts: () => Iterable<string>, signal: AbortSignal): Promise<void>;
}

/**
 * Starts a hook once with a request of the API server, and applies its metrics.
 *
 * @param contexts - the text of `BINDING_CONTEXT_PATH`, as in `HookRun`.
 * @throws HookError when the hook failed, or when it wrote a patch, because an answer must change
 * nothing. Also throws the other errors of `HookRun`.
 */
export type AskHook = (
  hook: Hook,
  facts: HookRunFacts,
  contexts: Iterable<string>,
  signal: AbortSignal,
) => Promise<HookResponses>;

/** The contents of the files with answers to requests of the API server. */
export interface HookResponses {
  readonly admission: string;
  readonly conversion: string;
}

/** Creates the runs of hooks. */
export type NewHookRun = (hook: Hook, facts: HookRunFacts) => HookRun;

/** Identifies a run in logs and metrics. */
export interface HookRunFacts {
  readonly binding: string;
  readonly queue: string;
}
