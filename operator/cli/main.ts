import process from 'node:process';
import type { Writable } from 'node:stream';
import { sleep, systemClock } from '../core/clock.ts';
import { createLogger } from '../manager/logger.ts';
import { COMMANDS } from './commands.ts';
import { dispatch } from './dispatch.ts';

/**
 * The process: its arguments, streams, signals and end. Everything else is reached through `Io`.
 *
 * The first SIGTERM or SIGINT asks to stop; the second ends the process at once, with 1. So does
 * whatever nobody caught, after one line in the log.
 */
const stop = new AbortController();
for (const name of ['SIGTERM', 'SIGINT'] as const) {
  process.on(name, () => {
    if (stop.signal.aborted) process.exit(1);
    stop.abort(new Error(`received ${name}`));
  });
}
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (err: unknown) => {
    log.error(
      { err },
      event === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection',
    );
    process.exit(1);
  });
}

const log = createLogger('warn', process.stderr);
// Node would print its warnings as text in the middle of the log.
process.removeAllListeners('warning').on('warning', (err) => log.warn({ err }, 'warning of Node'));
// Who closes our output may want us to end, which is for the command to see; it is no crash.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

const exitCode = await dispatch(COMMANDS, process.argv.slice(2), {
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  env: process.env,
  signal: stop.signal,
});
await Promise.race([
  flushed(process.stdout),
  sleep(systemClock, 1_000, new AbortController().signal),
]);
process.exit(exitCode);

/** Resolves when everything written is out, or never can be: a reader that hangs must not hold us. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
