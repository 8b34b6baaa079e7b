import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, tmpdir } from 'node:os';
import type { Readable } from 'node:stream';
import { closeInspectorSignal } from './closed-to-programs.ts';
import { findProgram, notStarted } from './find-program.ts';
import type { ProgramOptions } from './program-options.ts';
import { programPipes } from './program-pipes.ts';
import { RUN_VARIABLE } from './survivors.ts';

/** A running program. Its process number is also the number of its process group. */
export interface StartedProgram {
  readonly path: string;
  readonly pid: number;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Resolves to the exit code when the program ends. Processes that it has started may still be running. */
  readonly exitCode: Promise<number>;
  /** Closes the pipes in this process. */
  close(): void;
}

/**
 * Starts a program in a separate process group.
 *
 * @param run - the value of `CHANCERY_RUN`, which must be unique.
 * @throws ProgramError `not-started`.
 */
export async function startProgram(options: ProgramOptions, run: string): Promise<StartedProgram> {
  const { tmpDir = tmpdir(), env, cwd, input, args = [] } = options;
  const path = await findProgram(options);
  closeInspectorSignal();
  const pipes = await programPipes(tmpDir, env.PATH, input);
  try {
    const child = spawn(path, args, {
      cwd,
      env: { ...env, [RUN_VARIABLE]: run },
      detached: true,
      stdio: pipes === undefined ? 'pipe' : [...pipes.given],
    });
    const exitCode = exitCodeOf(child);
    await once(child, 'spawn');
    child.stdin?.on('error', () => {}); // a program may end without reading its input
    child.stdin?.end(input);
    const stdout = pipes?.stdout ?? (child.stdout as Readable);
    const stderr = pipes?.stderr ?? (child.stderr as Readable);
    const close = (): void => {
      for (const stream of [child.stdin, stdout, stderr]) stream?.destroy();
    };
    return { path, pid: child.pid as number, stdout, stderr, exitCode, close };
  } catch (error) {
    pipes?.stdout.destroy();
    pipes?.stderr.destroy();
    throw refusedBySystem(path, cwd, error);
  } finally {
    pipes?.release();
  }
}

function exitCodeOf(child: ChildProcess): Promise<number> {
  return new Promise((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/** The meaning of each error code of the system if the file exists and can be executed. */
const REFUSALS: Readonly<Record<string, string>> = {
  EAGAIN: 'the system allows no more processes: look at the pids limit of the container',
  EMFILE: 'too many files are open in this process',
  ENFILE: 'too many files are open in the system',
  ENOMEM: 'there is not enough memory',
  E2BIG: 'its arguments and its environment are too long',
  ETXTBSY: 'another process writes it at this moment',
  ENOEXEC: 'it is made for another processor or system',
  ERR_INVALID_ARG_VALUE: 'an argument or a variable has a null character',
};

function refusedBySystem(path: string, cwd: string | undefined, error: unknown): Error {
  const { code } = error as NodeJS.ErrnoException;
  // The file and its interpreter were found before, so the working directory must be missing.
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return notStarted(path, `its working directory ${cwd} does not exist`, code);
  }
  return notStarted(path, REFUSALS[code ?? ''] ?? 'the system refuses it', code);
}
