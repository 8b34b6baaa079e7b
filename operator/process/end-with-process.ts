import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import process from 'node:process';
import { textFiles } from '../core/text/text-files.ts';
import { programEnvironment } from './program-environment.ts';
import { signalGroup } from './survivors.ts';

const files = textFiles(new URL('./', import.meta.url));

/** The value of `CHANCERY_RUN` of each program, by its process group. */
const programs = new Map<number, string>();

function endAll(): void {
  for (const groupId of programs.keys()) signalGroup(groupId, 'SIGKILL');
}

/**
 * Until it is disposed of, a program is ended when this process ends: after a second signal, after a lost Lease, and
 * after SIGKILL. What has left its process group is then ended on Linux, by its `CHANCERY_RUN`.
 */
export function endWithProcess(groupId: number, run: string): Disposable {
  // First, so that no program writes into a folder that is being removed.
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

/** A shell that does what this process cannot do after SIGKILL: `program-guard.sh`. */
let guard: ChildProcess | undefined;

function tellGuard(sign: '+' | '-', groupId: number, run: string): void {
  if (process.pid === 1) return; // when it ends, the system ends all that is in the container
  guard ??= startGuard();
  guard.stdin?.write(`${sign} ${groupId} ${run}\n`);
}

/** It keeps nothing of this process open, and this process does not wait for it. */
function startGuard(): ChildProcess {
  const child = spawn('/bin/sh', ['-c', files('program-guard.sh'), 'chancery-guard'], {
    detached: true, // a signal to the group of this process must not end it
    env: programEnvironment({}),
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {}); // without a shell, SIGKILL leaves programs
  child.stdin.on('error', () => {}); // it has ended
  child.unref();
  if (child.stdin instanceof Socket) child.stdin.unref();
  return child;
}
