import process from 'node:process';
import type { Writable } from 'node:stream';
import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { NEVER_ABORTED } from '../core/abort.ts';
import { sleep, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { createLogger } from '../manager/observe/logger.ts';
import { settingsFrom } from '../manager/settings/settings.ts';
import type { ExitCode } from './command.ts';
import { COMMANDS, dispatch } from './dispatch.ts';

import '../core/one-copy.ts';

/**
 * The process: its arguments, streams, signals and end. Everything else is reached through `Io`.
 *
 * The first SIGTERM or SIGINT asks to stop; the second ends the process at once, with 1. Whatever
 * nobody caught asks to stop as well, after a line in the log, and the process ends with 1: in order if
 * that works, and when the time for it is over if it does not.
 */
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(new Error(`received ${name}`));
  });
}
let crashes = 0;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) =>
    crashed(error, event === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection'),
  );
}

const log = createLogger('warn', process.stderr);
// Node would print its warnings as text in the middle of the log.
process.removeAllListeners('warning').on('warning', (err) => log.warn({ err }, 'warning of Node'));
// Who closes our output may want us to end, which is for the command to see; it is no crash.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

let exitCode: ExitCode = 1;
try {
  exitCode = await dispatch(COMMANDS, process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    signal: stop.signal,
    exitWithin,
    saveMemory,
  });
} catch (error) {
  crashed(error, 'uncaught exception');
}
await Promise.race([
  flushed(process.stdout),
  sleep(systemClock, 1_000, new AbortController().signal),
]);
process.exit(crashes > 0 ? 1 : exitCode);

/** More of them change nothing: the stop is under way, and its time does not begin again. */
function crashed(err: unknown, message: string): void {
  crashes++;
  if (crashes <= CRASH_LOG_LINES) log.error({ err }, message);
  if (crashes === 1) exitWithin(crashLimitMs(process.env), 1);
  stop.abort(err);
}

/** Resolves when everything written is out, or never can be: a reader that hangs must not hold us. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}

/** A timer that throws can do so a thousand times a second. */
const CRASH_LOG_LINES = 10;

/** For a stop that may take for ever, or for no time at all, when the process is in order. */
const DEFAULT_MS = 25_000;

/** What the orderly stop of a process may take after something that nobody caught. */
function crashLimitMs(environment: Readonly<Record<string, string | undefined>>): number {
  try {
    const { shutdownTimeoutMs } = settingsFrom(environment);
    return Number.isFinite(shutdownTimeoutMs) ? shutdownTimeoutMs : DEFAULT_MS;
  } catch (error) {
    if (error instanceof ConfigurationError) return DEFAULT_MS; // the command says so, if it cares
    throw error;
  }
}

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
function exitWithin(withinMs: number, code: ExitCode, cancel: AbortSignal = NEVER_ABORTED): void {
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

/**
 * V8 reads these flags whenever it decides, so that they can be set when the process runs. It reads
 * `--max-semi-space-size` only when the process starts (v8/src/heap/heap.cc, `Heap::ConfigureHeap`).
 *
 * - `--optimize-for-size`: the old generation grows by about 30 % before V8 looks for garbage in it, and
 *   not to several times of what is in use (`Heap::ShouldOptimizeForMemoryUsage`).
 * - `--semi-space-growth-factor=1`: the young generation keeps the size that it has. It would grow to
 *   three times 32 MiB on a machine with much memory.
 */
const FLAGS = ['--optimize-for-size', '--semi-space-growth-factor=1'] as const;

/**
 * Makes the process take less memory and more processor time from now on. For a command that reads far
 * more than it keeps, and that has a process of its own.
 */
function saveMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
