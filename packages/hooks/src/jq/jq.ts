/** The outputs of a program for one input, or why it has none. */
export type JqOutcome =
  /** Each output as JSON with sorted keys and all digits of its integers. */
  | { readonly outputs: readonly string[] }
  /**
   * `error`: of the program for this input; `limit`: it took too long or too much memory. The message names types and
   * holds nothing else of the input.
   */
  | { readonly failure: 'error' | 'limit'; readonly message: string };

/** Runs jq programs outside of the main thread, within limits. */
export interface Jq {
  /** @throws ConfigurationError `CONFIG` when `program` cannot be compiled, with jq's message. */
  check(program: string): Promise<void>;
  /**
   * The outcome for each of `inputs`, which are JSON texts, in their order. One bad input costs no other. The program
   * `.` only sorts the keys.
   *
   * @param groups - for each input, the group that answers for it, such as its namespace: a program that reaches its
   *   limit again and again is paused for the inputs of that group only. Default: all are of one group.
   * @throws `signal.reason` when aborted; ConfigurationError `CONFIG` when there is no jq, or `program` cannot be
   *   compiled.
   */
  run(
    program: string,
    inputs: readonly string[],
    signal: AbortSignal,
    groups?: readonly string[],
  ): Promise<readonly JqOutcome[]>;
  /** Ends its threads. */
  close(): Promise<void>;
}
