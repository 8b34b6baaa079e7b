/** Maximum size in bytes of a webhook's answer, and of all output of a program. */
export const MAX_ANSWER_BYTES: number = 10_000_000;

/**
 * Time limit of a function that has no time limit of its own, in milliseconds. It equals the
 * default of webhooks.
 */
export const DEFAULT_FUNCTION_TIMEOUT_MS: number = 10_000;
