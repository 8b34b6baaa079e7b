import process from 'node:process';
import { Worker } from 'node:worker_threads';
import { NEVER_ABORTED } from '../core/abort.ts';
import { systemClock } from '../core/clock.ts';
import type { ExitCode } from './command.ts';

/** What the event loop gets to do it by itself, with the exit code that was asked for. */
const KILL_AFTER_MS = 250;

/** Plain JavaScript: it is run as it is. */
const KILLER = `
  const { workerData: { pid, afterMs } } = require('node:worker_threads');
  setTimeout(() => process.kill(pid, 'SIGKILL'), afterMs);
`;

/**
 * Ends this process with `code` when `withinMs` are over. A second thread sees to it that it does: a
 * handler that never returns would hold up every timer of this one. Then it is a SIGKILL, a quarter of a
 * second later.
 *
 * @param cancel - nothing happens once it has aborted.
 */
export function exitWithin(
  withinMs: number,
  code: ExitCode,
  cancel: AbortSignal = NEVER_ABORTED,
): void {
  const cancelExit = systemClock.schedule(withinMs, () => process.exit(code));
  const afterMs = Math.min(withinMs + KILL_AFTER_MS, 2 ** 31 - 1);
  const killer = new Worker(KILLER, { eval: true, workerData: { pid: process.pid, afterMs } });
  killer.on('error', () => {}); // the timer is still there
  killer.unref();
  const spare = (): void => {
    cancelExit();
    void killer.terminate();
  };
  cancel.addEventListener('abort', spare, { once: true });
}
