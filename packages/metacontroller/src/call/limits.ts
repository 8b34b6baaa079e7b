/** Maximum size in bytes of a webhook's answer, and of all output of a program. */
export const MAX_ANSWER_BYTES: number = 10_000_000;

/**
 * The default time limit of a function, in milliseconds. It equals the default time limit of
 * webhooks.
 */
export const DEFAULT_FUNCTION_TIMEOUT_MS: number = 10_000;
