import { nodeCrypto } from '../core/builtin-modules.ts';
import type { Cancel, Clock } from '../core/clock.ts';
import { endWithProcess } from './end-with-process.ts';
import { ProgramError } from './program-error.ts';
import {
  DEFAULT_OUTPUT_LIMIT_BYTES,
  DEFAULT_PROGRAM_TIMEOUT_MS,
  type ProgramOptions,
} from './program-options.ts';
import { ProgramOutput } from './program-output.ts';
import { type ProgramUsage, UsageMeter } from './program-usage.ts';
import { type StartedProgram, startProgram } from './start-program.ts';
import { endSurvivors, signalGroup } from './survivors.ts';

/**
 * Milliseconds between SIGTERM and SIGKILL, in which a program can clean up. This is short enough for the 30
 * s in which a Pod must end.
 */
const GRACE_MS = 5_000;

/**
 * Milliseconds for which the output of other processes is still read after the program has ended. In bash,
 * `exec > >(tee log)` creates such a process, which writes the last lines after bash itself has ended.
 */
const LAST_LINES_MS = 1_000;

/** The result of a program that ended by itself. */
export interface ProgramResult extends ProgramUsage {
  /** The exit code. After a signal it is 128 plus the number of the signal, as in shells. */
  readonly exitCode: number;
  /** The program's standard output. Empty with `onLine`, unless `keepsStdout` is set. */
  readonly stdout: string;
  /** The last 2,048 bytes of standard error, for messages. */
  readonly stderrEnd: string;
  /** Number of processes that had outlived the program and were ended. 0 on systems other than Linux. */
  readonly survivors: number;
}

/**
 * Runs a program to its end, in a separate process group. When the promise settles, no process of the run is
 * left: processes that outlive the program are ended, on Linux even if they have left its group. The
 * documentation lists the cases in which this is not guaranteed.
 *
 * When a limit is exceeded or `signal` aborts, the group gets SIGTERM, and 5 s later SIGKILL.
 *
 * @throws ProgramError `PROGRAM` when the program cannot be started, or exceeds a limit. An exit code other
 *   than 0 is not an error.
 * @throws `signal.reason` when aborted before the program ended by itself.
 */
export async function runProgram(options: ProgramOptions): Promise<ProgramResult> {
  const { clock, outputLimitBytes = DEFAULT_OUTPUT_LIMIT_BYTES } = options;
  options.signal.throwIfAborted();
  const run = nodeCrypto().randomUUID();
  const program = await startProgram(options, run);
  using _group = endWithProcess(program.pid, run);
  const meter = new UsageMeter(program.pid, clock);
  const ending = new Ending(program, options);
  const output = new ProgramOutput({
    limitBytes: outputLimitBytes,
    onLine: options.onLine,
    keepsStdout: options.keepsStdout,
    onLimit: () => ending.begin((usage) => wroteTooMuch(program, outputLimitBytes, usage)),
    clock,
  });
  const read = Promise.all([
    output.read('stdout', program.stdout),
    output.read('stderr', program.stderr),
  ]).catch((error: unknown) => ending.begin(() => error));

  const exitCode = await program.exitCode;
  const usage = meter.stop();
  ending.programEnded();
  await settledWithin(read, LAST_LINES_MS, clock);
  const survivors = await endSurvivors(program.pid, run, clock);
  // From now on no process of the run keeps the pipes open, except for a process that could not be found.
  await settledWithin(read, GRACE_MS, clock);
  program.close();
  await read;

  if (ending.why !== undefined) throw ending.why(usage);
  if (survivors.left > 0) throw couldNotBeEnded(program, survivors.left, usage);
  const { stdout, stderrEnd } = output;
  return { exitCode, stdout, stderrEnd, survivors: survivors.found, ...usage };
}

/**
 * Ends a program when it exceeds its time limit or its output limit, or when the run is aborted. Only the
 * first of these reasons is reported.
 */
class Ending {
  readonly #groupId: number;
  readonly #clock: Clock;
  readonly #stopListening: () => void;
  #why: ((usage: ProgramUsage) => unknown) | undefined;
  #hasEnded = false;
  #cancelLimit: Cancel = () => {};
  #cancelKill: Cancel = () => {};

  constructor(program: StartedProgram, options: ProgramOptions) {
    const { clock, signal, timeoutMs = DEFAULT_PROGRAM_TIMEOUT_MS } = options;
    this.#groupId = program.pid;
    this.#clock = clock;
    const onAbort = (): void => this.begin(() => signal.reason);
    this.#stopListening = () => signal.removeEventListener('abort', onAbort);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort(); // aborted while the program was started
    if (timeoutMs > 0) {
      this.#cancelLimit = clock.schedule(timeoutMs, () =>
        this.begin((usage) => tookTooLong(program, timeoutMs, usage)),
      );
    }
  }

  /** Creates the error of the run. Undefined if the program ended by itself. */
  get why(): ((usage: ProgramUsage) => unknown) | undefined {
    return this.#why;
  }

  begin(why: (usage: ProgramUsage) => unknown): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    if (this.#hasEnded) return;
    signalGroup(this.#groupId, 'SIGTERM');
    this.#cancelKill = this.#clock.schedule(GRACE_MS, () => signalGroup(this.#groupId, 'SIGKILL'));
  }

  programEnded(): void {
    this.#hasEnded = true;
    this.#stopListening();
    this.#cancelLimit();
    this.#cancelKill();
  }
}

/** Resolves when `work` resolves, or after `ms`. */
async function settledWithin(work: Promise<unknown>, ms: number, clock: Clock): Promise<void> {
  let cancel: Cancel = () => {};
  const limit = new Promise<void>((resolve) => {
    cancel = clock.schedule(ms, resolve);
  });
  await Promise.race([work, limit]);
  cancel();
}

function tookTooLong({ path }: StartedProgram, timeoutMs: number, usage: ProgramUsage): Error {
  return new ProgramError(`${path} was ended: it ran longer than ${timeoutMs / 1_000} s`, {
    reason: 'timeout',
    usage,
    context: { program: path, timeoutMs },
  });
}

function wroteTooMuch({ path }: StartedProgram, limitBytes: number, usage: ProgramUsage): Error {
  return new ProgramError(`${path} was ended: it wrote more than ${limitBytes} bytes of output`, {
    reason: 'output-limit',
    usage,
    context: { program: path, limitBytes },
  });
}

function couldNotBeEnded({ path }: StartedProgram, count: number, usage: ProgramUsage): Error {
  return new ProgramError(`${path} left ${count} processes that could not be ended`, {
    reason: 'survivors',
    usage,
    context: { program: path, count },
  });
}
