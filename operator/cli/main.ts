import process from 'node:process';
import type { Writable } from 'node:stream';
import { sleep, systemClock } from '../core/clock.ts';
import '../core/one-copy.ts';
import { createLogger } from '../manager/observe/logger.ts';
import { watchAncestors } from './ancestors/ancestor-watch.ts';
import type { ExitCode } from './command.ts';
import { COMMANDS, dispatch } from './dispatch.ts';
import {
  CRASH_LOG_LINES,
  crashLimitMs,
  exitWithin,
  isBelowNohup,
  StopSignals,
} from './process-end.ts';
import { saveMemory } from './save-memory.ts';

/**
 * The process: its arguments, streams, signals and exit. All other code uses them through `Io`.
 *
 * Until a command has read its signal, SIGTERM, SIGINT and SIGHUP end the process at once. There is
 * no handler yet, because a file that keeps the thread busy would delay the handler. Afterwards the
 * first SIGTERM or SIGINT asks the command to stop. The second signal ends the process at once with
 * exit code 1. Under npm each Ctrl-C arrives twice, see `StopSignals`.
 *
 * SIGHUP, and the end of npm or npx, also ask the command to stop. A second signal may never come, so the
 * process ends when the time limit of the shutdown is over.
 *
 * An uncaught error is logged and also asks the command to stop. Then the exit code is 1, and the process
 * ends when the command has stopped, or when the time limit of the shutdown is over.
 */
const stop = new AbortController();
const signals = new StopSignals(systemClock, process.env);
let listens = false;
// The kernel ignores a signal for which the process with PID 1 has no handler.
if (process.pid === 1) listenToSignals();
let isUnattended = false;
let crashes = 0;
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) =>
    crashed(error, event === 'uncaughtException' ? 'uncaught exception' : 'unhandled rejection'),
  );
}

const { CHANCERY_LOG_FORMAT: wanted } = process.env; // the command refuses any other value
const format = wanted === 'json' || wanted === 'pretty' ? wanted : 'auto';
const log = createLogger('warn', process.stderr, { format, environment: process.env });
// Node would print its warnings as plain text between the lines of the log.
process.removeAllListeners('warning').on('warning', (err) => {
  // For this warning, the error of the failed import already contains the reason and the remedy,
  // see `loadRemedy`.
  if (!err.message.startsWith('Failed to load the ES module:')) {
    log.warn({ err }, 'warning of Node');
  }
});
// A reader that closes our output causes an error here. It is not a crash, and commands handle
// it themselves.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});

let stopWatch = watch(false);
let exitCode: ExitCode = 1;
try {
  exitCode = await dispatch(COMMANDS, process.argv.slice(2), {
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    get signal() {
      listenToSignals();
      return stop.signal;
    },
    exitWithin,
    saveMemory,
    exitWithParent() {
      stopWatch();
      stopWatch = watch(true);
    },
  });
} catch (error) {
  crashed(error, 'uncaught exception');
}
await Promise.race([
  flushed(process.stdout),
  sleep(systemClock, 1_000, new AbortController().signal),
]);
process.exit(crashes > 0 ? 1 : exitCode);

function listenToSignals(): void {
  if (listens) return;
  listens = true;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    process.on(name, () => {
      const meaning = signals.receive();
      if (meaning === 'at once') process.exit(1);
      if (meaning === 'stop') stop.abort(new Error(`received ${name}`));
    });
  }
  process.on('SIGHUP', () => {
    if (!isBelowNohup(process.env)) stopUnattended('received SIGHUP');
  });
}

/** Only the first crash starts the shutdown and its time limit. Later crashes are only logged. */
function crashed(err: unknown, message: string): void {
  crashes++;
  if (crashes <= CRASH_LOG_LINES) log.error({ err }, message);
  if (crashes === 1) exitWithin(crashLimitMs(process.env), 1);
  stop.abort(err);
}

function watch(includesParent: boolean): () => void {
  const onGone = (why: string): void => {
    if (!stop.signal.aborted) log.warn({ reason: why }, 'the command stops');
    stopUnattended(why);
  };
  return watchAncestors({ clock: systemClock, env: process.env, includesParent, onGone });
}

/**
 * Asks the command to stop. Only the first call does so. If the command is still reading, the
 * process ends at once.
 */
function stopUnattended(why: string): void {
  if (!listens) process.exit(1);
  if (isUnattended) return;
  isUnattended = true;
  exitWithin(crashLimitMs(process.env), 1);
  stop.abort(new Error(why));
}

/** Resolves when everything is written, or when the stream fails. Never resolves while its reader hangs. */
function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => stream.write('', () => resolve()));
}
