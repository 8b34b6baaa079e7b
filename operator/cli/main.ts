import process from 'node:process';
import type { Writable } from 'node:stream';
import { sleep, systemClock } from '../core/clock.ts';
import '../core/one-copy.ts';
import { createLogger } from '../manager/observe/logger.ts';
import type { ExitCode } from './command.ts';
import { CRASH_LOG_LINES, crashLimitMs } from './crash.ts';
import { COMMANDS, dispatch } from './dispatch.ts';
import { exitWithin } from './exit-within.ts';
import { saveMemory } from './save-memory.ts';

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
