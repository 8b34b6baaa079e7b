import { writeSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { settingsFrom } from '../manager/settings/settings.ts';
import type { ExitCode } from './command.ts';

/** How long the event loop may take to exit by itself with the requested exit code, before SIGKILL. */
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
 * Ends this process with `code` after `withinMs`. A second thread sends SIGKILL 250 ms later if the process
 * still runs: a handler that never returns blocks every timer of the main thread.
 *
 * @param cancel - when it aborts first, nothing happens.
 * @param says - written to standard error before the end.
 */
export function exitWithin(
  withinMs: number,
  code: ExitCode,
  cancel: AbortSignal = NEVER_ABORTED,
  says: string = '',
): void {
  const cancelExit = systemClock.schedule(withinMs, () => {
    try {
      writeSync(2, says); // a stream may not get to write before the end
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

/** Limits the log: a timer that throws can do so a thousand times a second. */
export const CRASH_LOG_LINES = 10;

/** Used when CHANCERY_SHUTDOWN_TIMEOUT sets no limit, or when the settings are unusable. */
const DEFAULT_MS = 25_000;

/** How long an orderly stop may take, in milliseconds, that nobody can hurry: after an uncaught error or SIGHUP. */
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
 * Whether nohup has started this process. Node sets every signal back to its default when it starts, so that it does
 * not know that SIGHUP was to be ignored. bash and zsh tell a program in `_` what they have started.
 */
export function isBelowNohup(env: Readonly<Record<string, string | undefined>>): boolean {
  return basename(env._ ?? '') === 'nohup';
}

/**
 * npm passes on every SIGINT and SIGTERM to the process that it has started, and the terminal has sent the
 * SIGINT of a Ctrl-C to that process already (`@npmcli/run-script`, lib/signal-manager.js). npm needs a few
 * milliseconds for that; nobody presses Ctrl-C twice within so short a time.
 */
const PASSED_ON_WITHIN_MS = 300;

/** Interprets SIGTERM and SIGINT: the first asks to stop, another one to end at once. */
export class StopSignals {
  readonly #clock: Clock;
  readonly #isBelowNpm: boolean;
  #firstAt: number | undefined;

  /** @param env - npm and npx set `npm_lifecycle_event` for what they start. */
  constructor(clock: Clock, env: Readonly<Record<string, string | undefined>>) {
    this.#clock = clock;
    this.#isBelowNpm = env.npm_lifecycle_event !== undefined;
  }

  /** Counts one signal. `repeated`: npm has passed on the one that was received already. */
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
