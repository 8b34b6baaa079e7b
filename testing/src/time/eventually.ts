import process from 'node:process';
import { setInterval } from 'node:timers/promises';
import { ConfigurationError, messageOf, OperatorError } from 'chancery/internal-objects';
import { lastWarnings } from './running-operators.ts';

export interface EventuallyOptions {
  /**
   * The time limit in milliseconds. Default 4 s, which is below the 5 s that vitest and Jest allow a test, so
   * that the failure of the probe is reported, and not the timeout of the runner. If vitest's `testTimeout`
   * is longer, the default is four fifths of it, and at most 10 s. `node --test` has no limit; the default
   * there is 10 s.
   */
  readonly timeoutMs?: number;
}

const INTERVAL_MS = 10;

/** The default `testTimeout` of vitest and Jest. */
const RUNNER_TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 10_000;

/**
 * Calls `probe` again and again until a call succeeds, and resolves to the result of that call. Use it in
 * tests with real processes and sockets. If the code takes a clock, use a FakeClock instead.
 *
 * A call succeeds when it does not throw, and returns neither false nor undefined. A call that returns
 * undefined also succeeds if the probe makes assertions: the source of `probe` itself calls `expect` or
 * `assert`, or an earlier call has thrown an AssertionError. Such a probe returns false if it still has to
 * wait.
 *
 * @throws OperatorError `USER_CODE` after `timeoutMs`, with the last error of the probe as its cause. The
 * message ends with the last warnings of the running operators that `startOperator` has started.
 * @throws ConfigurationError at once when `probe` throws such an error, because waiting does not change a
 * configuration.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeoutMs = defaultTimeoutMs(globalThis, process.env) } = options;
  const givenUpAt = performance.now() + timeoutMs;
  let last: Attempt<T> = { held: false };
  // Assertions in functions that the probe calls do not count. They may be about something else,
  // such as an exit code.
  let asserts = ASSERTION.test(String(probe));
  for await (const _ of setInterval(INTERVAL_MS)) {
    const attempt = await attemptBefore(givenUpAt, probe);
    asserts ||= isAssertionError(attempt.error);
    // If a probe did not answer in time, its last error is kept, because it is more informative.
    if (attempt.late !== true || last.error === undefined) last = attempt;
    const { answer, held } = attempt;
    if (held && (answer !== undefined || asserts)) return answer as Exclude<T, false | undefined>;
    if (performance.now() > givenUpAt) break;
  }
  const why = last.error === undefined ? 'the condition never held' : messageOf(last.error);
  const warnings = lastWarnings().map((line) => `\n  operator: ${line}`);
  throw new OperatorError(`not within ${timeoutMs} ms: ${why}${warnings.join('')}`, {
    code: 'USER_CODE',
    layer: 'user-code',
    cause: last.error,
  });
}

interface Attempt<T> {
  /** True if the probe returned a value other than false. */
  readonly held: boolean;
  readonly answer?: T;
  readonly error?: unknown;
  /** True if the probe had not returned when the time was over. */
  readonly late?: true;
}

async function attemptBefore<T>(
  givenUpAt: number,
  probe: () => T | Promise<T>,
): Promise<Attempt<T>> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Attempt<T>>((resolve) => {
    const leftMs = Math.max(givenUpAt - performance.now(), 0) + INTERVAL_MS;
    timer = setTimeout(() => resolve({ held: false, late: true }), leftMs);
  });
  const answered = async (): Promise<Attempt<T>> => {
    const answer = await probe();
    return { held: answer !== false, answer };
  };
  try {
    return await Promise.race([answered(), late]);
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    return { held: false, error };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param scope - the global object. Workers of vitest have their configuration there, as
 * `__vitest_worker__`. Without this configuration, the default of the runners is used.
 * @param env - the environment, in which `node --test` sets NODE_TEST_CONTEXT for the files that it
 * runs.
 */
export function defaultTimeoutMs(
  scope: object,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const { __vitest_worker__: worker } = scope as {
    readonly __vitest_worker__?: { readonly config?: { readonly testTimeout?: unknown } };
  };
  const configured = worker?.config?.testTimeout;
  // 0 means no limit, and node:test has no limit.
  const isNodeTest = worker === undefined && env.NODE_TEST_CONTEXT !== undefined;
  if (configured === 0 || isNodeTest) return MAX_TIMEOUT_MS;
  const limitMs = typeof configured === 'number' ? configured : RUNNER_TIMEOUT_MS;
  return Math.min(limitMs * 0.8, MAX_TIMEOUT_MS);
}

/** A call of `expect` or `assert`. Runners may have rewritten the call as `(0, module.expect)(…)`. */
const ASSERTION = /\b(?:expect|assert)\b\)?\s*[.(]/;

function isAssertionError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AssertionError' || 'matcherResult' in error);
}
