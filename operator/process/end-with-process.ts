import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import process from 'node:process';
import { textFiles } from '../core/text/text-files.ts';
import { programEnvironment } from './program-environment.ts';
import { signalGroup } from './survivors.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The value of `CHANCERY_RUN` for each program, keyed by its process group. */
const programs = new Map<number, string>();

function endAll(): void {
  for (const groupId of programs.keys()) signalGroup(groupId, 'SIGKILL');
}

/**
 * Ends a program when this process ends, even after a second signal, a lost Lease or SIGKILL. On Linux,
 * processes that have left the process group of the program are ended as well, because their `CHANCERY_RUN`
 * identifies them. Disposing of the result cancels this.
 */
export function endWithProcess(groupId: number, run: string): Disposable {
  // This listener is prepended, so that programs end before their folders are removed.
  if (programs.size === 0) process.prependListener('exit', endAll);
  programs.set(groupId, run);
  tellGuard('+', groupId, run);
  return {
    [Symbol.dispose]: () => {
      programs.delete(groupId);
      if (programs.size === 0) process.off('exit', endAll);
      tellGuard('-', groupId, run);
    },
  };
}

/**
 * A shell with the script `program-guard.sh`. It ends the programs when this process was ended by SIGKILL,
 * and so cannot end them itself.
 */
let guard: ChildProcess | undefined;

function tellGuard(sign: '+' | '-', groupId: number, run: string): void {
  if (process.pid === 1) return; // the system then ends everything in the container
  guard ??= startGuard();
  guard.stdin?.write(`${sign} ${groupId} ${run}\n`);
}

/**
 * Starts the shell. The shell keeps no files of this process open, and this process does not wait for the end
 * of the shell.
 */
function startGuard(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', files('program-guard.sh'), 'chancery-guard'], {
    detached: true, // a signal to the group of this process must not end it
    env: programEnvironment({}),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {}); // without a shell, programs survive SIGKILL
  child.stdin.on('error', () => {}); // the shell has ended
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
