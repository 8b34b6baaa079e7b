import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { NEVER_ABORTED } from '../core/abort.ts';
import { systemClock } from '../core/clock.ts';
import type { ExitCode } from './command.ts';

/** How long the event loop may take to exit by itself with the requested exit code, before SIGKILL. */
const KILL_AFTER_MS = 250;

/** Plain JavaScript, because the worker runs it unchanged. */
const KILLER = `
  const { workerData: { pid, afterMs } } = require('node:worker_threads');
  setTimeout(() => process.kill(pid, 'SIGKILL'), afterMs);
`;

/**
 * Ends this process with `code` after `withinMs`. A second thread sends SIGKILL 250 ms later if the process
 * still runs: a handler that never returns blocks every timer of the main thread.
 *
 * @param cancel - when it aborts first, nothing happens.
 */
export function exitWithin(
  withinMs: number,
  code: ExitCode,
  cancel: AbortSignal = NEVER_ABORTED,
): void {
  const cancelExit = systemClock.schedule(withinMs, () => process.exit(code));
  const afterMs = Math.min(withinMs + KILL_AFTER_MS, 2 ** 31 - 1);
  const killer = new Worker(KILLER, { eval: true, workerData: { pid: process.pid, afterMs } });
  killer.on('error', () => {}); // the timer still ends the process
  killer.unref();
  const spare = (): void => {
    cancelExit();
    void killer.terminate();
  };
  cancel.addEventListener('abort', spare, { once: true });
}
