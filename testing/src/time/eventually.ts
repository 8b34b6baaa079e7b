import process from 'node:process';
import { setInterval } from 'node:timers/promises';
import { ConfigurationError, messageOf, OperatorError } from 'chancery/internal-objects';
import { lastWarnings } from './running-operators.ts';

export interface EventuallyOptions {
  /**
   * In milliseconds. Default 4 s, less than the 5 s that vitest and Jest give a test: the failure of the probe
   * is shown, and not that of the runner. Where vitest's `testTimeout` is longer, the default is four fifths of
   * it, and 10 s at most. `node --test` has no limit: the default is 10 s there.
   */
  readonly timeoutMs?: number;
}

const INTERVAL_MS = 10;

/** `testTimeout` of vitest and Jest when nothing is configured. */
const RUNNER_TIMEOUT_MS = 5_000;
const MAX_TIMEOUT_MS = 10_000;

/**
 * Resolves to what `probe` answers, as soon as the probe holds. For tests with real processes and sockets; where
 * a clock can be injected, own the clock instead.
 *
 * A probe holds when it does not throw and answers neither false nor undefined. An answer of undefined holds, too,
 * when the probe asserts: its own text calls `expect` or `assert`, or it has thrown an AssertionError before. Such a
 * probe answers false if it still has to wait.
 *
 * @throws OperatorError `USER_CODE` after `timeoutMs`, with the last error of the probe as its cause. The message
 *   ends with the last warnings of the operators of `startOperator` that run.
 * @throws ConfigurationError at once when `probe` throws one: waiting does not change a configuration.
 */
export async function eventually<T>(
  probe: () => T | Promise<T>,
  options: EventuallyOptions = {},
): Promise<Exclude<T, false | undefined>> {
  const { timeoutMs = defaultTimeoutMs(globalThis, process.env) } = options;
  const givenUpAt = performance.now() + timeoutMs;
  let last: Attempt<T> = { held: false };
  // Functions that the probe calls do not count: they may assert something else, such as an exit code.
  let asserts = ASSERTION.test(String(probe));
  for await (const _ of setInterval(INTERVAL_MS)) {
    const attempt = await attemptBefore(givenUpAt, probe);
    asserts ||= isAssertionError(attempt.error);
    // A probe that has no answer left its last error standing: that says more.
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
  /** It has answered, and not with false. */
  readonly held: boolean;
  readonly answer?: T;
  readonly error?: unknown;
  /** It had not answered when the time was over. */
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
 * @param scope - the global object. Workers of vitest have their configuration there, as `__vitest_worker__`;
 *   without it the default of the runners counts.
 * @param env - `node --test` sets NODE_TEST_CONTEXT for the files that it runs.
 */
export function defaultTimeoutMs(
  scope: object,
  env: Readonly<Record<string, string | undefined>>,
): number {
  const { __vitest_worker__: worker } = scope as {
    readonly __vitest_worker__?: { readonly config?: { readonly testTimeout?: unknown } };
  };
  const configured = worker?.config?.testTimeout;
  // 0 is no limit, and node:test has none.
  const isNodeTest = worker === undefined && env.NODE_TEST_CONTEXT !== undefined;
  if (configured === 0 || isNodeTest) return MAX_TIMEOUT_MS;
  const limitMs = typeof configured === 'number' ? configured : RUNNER_TIMEOUT_MS;
  return Math.min(limitMs * 0.8, MAX_TIMEOUT_MS);
}

/** A call of `expect` or `assert`. Runners may have written `(0, module.expect)(…)`. */
const ASSERTION = /\b(?:expect|assert)\b\)?\s*[.(]/;

function isAssertionError(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AssertionError' || 'matcherResult' in error);
}
