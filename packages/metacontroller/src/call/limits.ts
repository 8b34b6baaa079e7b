/** Bytes of the longest answer of a webhook, and of all output of a program. */
export const MAX_ANSWER_BYTES: number = 10_000_000;

/** Time limit of a function whose entry states none: that of webhooks. */
export const DEFAULT_FUNCTION_TIMEOUT_MS: number = 10_000;
