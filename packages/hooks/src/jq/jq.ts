/** The outputs of a program for one input, or the reason why there are none. */
export type JqOutcome =
  /** Each output as JSON with sorted keys. Integers keep all their digits. */
  | { readonly outputs: readonly string[] }
  /**
   * `error`: the program failed for this input. `limit`: it took too long or too much memory. The
   * message may contain the types of values, but no values of the input.
   */
  | { readonly failure: 'error' | 'limit'; readonly message: string };

/** Runs jq programs outside of the main thread, within limits. */
export interface Jq {
  /** @throws ConfigurationError `CONFIG` when `program` cannot be compiled, with jq's message. */
  check(program: string): Promise<void>;
  /**
   * The outcomes for `inputs`, in the same order. Each input is JSON text. An input that fails does
   * not affect the other inputs. The program `.` only sorts the keys.
   *
   * @param groups - for each input, the group to which it belongs, such as its namespace. A program
   * that repeatedly reaches its limit is paused for the inputs of that group only. Default: all
   * inputs are in one group.
   * @throws `signal.reason` when aborted; ConfigurationError `CONFIG` when jq is not installed, or
   * when `program` cannot be compiled.
   */
  run(
    program: string,
    inputs: readonly string[],
    signal: AbortSignal,
    groups?: readonly string[],
  ): Promise<readonly JqOutcome[]>;
  /** Ends the thread. */
  close(): Promise<void>;
}
