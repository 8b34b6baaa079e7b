import type { Hook } from '../hook.ts';

/** One task's work: a hook and the contexts that it is told of. It lives over all attempts of its task. */
export interface HookRun {
  /**
   * Starts the hook, checks what it left, applies its patches and its metrics. After an attempt whose patches
   * failed in a way that may pass, the next attempt continues with the document that failed, and does not start
   * the hook.
   *
   * @param contexts - called when the hook is started, at most once in an attempt. It reads the snapshots and answers
   *   with the text of `BINDING_CONTEXT_PATH` in pieces of about 64 KiB, to be written one after another: whole, it
   *   may be longer than a string can be.
   * @throws HookError when the hook or one of its documents failed; ProgramError when it broke a limit; `signal.reason`
   *   when aborted; LeadershipLostError.
   */
  attempt(contexts: () => Iterable<string>, signal: AbortSignal): Promise<void>;
}

/**
 * Starts a hook once with a question of the API server. Its metrics are applied.
 *
 * @param contexts - the text of `BINDING_CONTEXT_PATH`, as in `HookRun`.
 * @throws HookError when the hook failed, or left a patch: an answer changes nothing. @throws otherwise as `HookRun`.
 */
export type AskHook = (
  hook: Hook,
  facts: HookRunFacts,
  contexts: Iterable<string>,
  signal: AbortSignal,
) => Promise<HookResponses>;

/** The texts of the files that answer questions of the API server. */
export interface HookResponses {
  readonly admission: string;
  readonly conversion: string;
}

/** Makes the runs of hooks. */
export type NewHookRun = (hook: Hook, facts: HookRunFacts) => HookRun;

/** Names a run in logs and metrics. */
export interface HookRunFacts {
  readonly binding: string;
  readonly queue: string;
}
