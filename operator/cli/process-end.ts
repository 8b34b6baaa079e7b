import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { settingsFrom } from '../manager/settings/settings.ts';
import type { ExitCode } from './command.ts';

/**
 * Time that the event loop gets to exit with the requested exit code. After that, the process gets SIGKILL.
 */
const KILL_AFTER_MS = 250;

/** Plain JavaScript, because the worker runs it unchanged. */
const KILLER = `
  const { workerData: { pid, afterMs, says } } = require('node:worker_threads');
  setTimeout(() => {
    try {
      require('node:fs').writeSync(2, says);
    } finally {
      process.kill(pid, 'SIGKILL');
    }
  }, afterMs);
`;

/**
 * Ends this process with `code` after `withinMs`. If the process still runs 250 ms later, a second
 * thread sends SIGKILL, because a handler that never returns blocks every timer of the main thread.
 *
 * @param cancel - if it aborts within that time, the process is not ended.
 * @param says - a line that is written to standard error before the process ends.
 */
export function exitWithin(
  withinMs: number,
  code: ExitCode,
  cancel: AbortSignal = NEVER_ABORTED,
  says: string = '',
): void {
  const cancelExit = systemClock.schedule(withinMs, () => {
    try {
      writeSync(2, says); // a stream may not be flushed before the exit
    } finally {
      process.exit(code);
    }
  });
  const afterMs = Math.min(withinMs + KILL_AFTER_MS, 2 ** 31 - 1);
  const killer = new Worker(KILLER, {
    eval: true,
    workerData: { pid: process.pid, afterMs, says },
  });
  killer.on('error', () => {}); // the timer still ends the process
  killer.unref();
  const spare = (): void => {
    cancelExit();
    void killer.terminate();
  };
  cancel.addEventListener('abort', spare, { once: true });
}

/**
 * Maximum number of crashes that are logged. A timer that throws may throw a thousand times per
 * second.
 */
export const CRASH_LOG_LINES = 10;

/** Used when CHANCERY_SHUTDOWN_TIMEOUT sets no limit, or when the settings are unusable. */
const DEFAULT_MS = 25_000;

/**
 * Time limit in milliseconds for a graceful shutdown that no second signal can end early: after an uncaught
 * error or SIGHUP.
 */
export function crashLimitMs(environment: Readonly<Record<string, string | undefined>>): number {
  try {
    const { shutdownTimeoutMs } = settingsFrom(environment);
    return Number.isFinite(shutdownTimeoutMs) ? shutdownTimeoutMs : DEFAULT_MS;
  } catch (error) {
    if (error instanceof ConfigurationError) return DEFAULT_MS; // the command reports bad settings
    throw error;
  }
}

/**
 * True when nohup has started this process. Node resets every signal to its default when it starts,
 * so it does not know that SIGHUP should be ignored. bash and zsh put the name of the started
 * program into the variable `_`.
 */
export function isBelowNohup(env: Readonly<Record<string, string | undefined>>): boolean {
  return basename(env._ ?? '') === 'nohup';
}

/**
 * npm passes every SIGINT and SIGTERM to the process that it has started. After Ctrl-C, that
 * process already has the SIGINT of the terminal (`@npmcli/run-script`, lib/signal-manager.js), and
 * the SIGINT of npm follows within a few milliseconds. A user does not press Ctrl-C twice within so
 * short a time.
 */
const PASSED_ON_WITHIN_MS = 300;

/**
 * Interprets SIGTERM and SIGINT: the first signal asks the command to stop, and a second signal
 * ends the process at once.
 */
export class StopSignals {
  readonly #clock: Clock;
  readonly #isBelowNpm: boolean;
  #firstAt: number | undefined;

  /**
   * @param env - the environment of the process. npm and npx set `npm_lifecycle_event` for their
   * child processes.
   */
  constructor(clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    this.#clock = clock;
    this.#isBelowNpm = env.npm_lifecycle_event !== undefined;
  }

  /**
   * Called for each signal. Returns `repeated` when npm has passed on a signal that this process
   * has already received.
   */
  receive(): 'stop' | 'at once' | 'repeated' {
    const now = this.#clock.monotonic();
    if (this.#firstAt === undefined) {
      this.#firstAt = now;
      return 'stop';
    }
    const isRepeated = this.#isBelowNpm && now - this.#firstAt < PASSED_ON_WITHIN_MS;
    return isRepeated ? 'repeated' : 'at once';
  }
}
