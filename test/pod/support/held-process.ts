import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';

/** A process that holds namespaces open until its standard input ends. */
export interface HeldProcess {
  /** As this process knows it. */
  readonly pid: number;
  /** Ends it; resolves when it is gone. */
  readonly end: () => Promise<void>;
}

/** Run by the innermost of the commands: says that it is there, and stays for as long as somebody holds it. */
export const HOLD = 'echo held; exec cat >/dev/null';

/**
 * Runs `command`, whose last process runs HOLD in a shell. It ends with this process in every case: a
 * pipe closes whatever has become of who held it.
 *
 * @param depth - how many processes there are between the command and that one.
 * @throws Error with its own words when it ends instead.
 */
export async function hold(command: readonly string[], depth: number): Promise<HeldProcess> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] });
  child.stdin.on('error', () => {}); // it may be gone before it is told to go
  const words: string[] = [];
  child.stderr.on('data', (chunk) => words.push(String(chunk)));
  const [said] = await Promise.race([
    once(child.stdout, 'data'),
    once(child, 'close'),
    once(child, 'error'),
  ]);
  if (String(said) !== 'held\n') throw new Error(words.join('').trim() || String(said));
  const end = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'close');
    child.stdin.destroy();
    await gone;
  };
  return { pid: descendant(child, depth), end };
}

/** The only child of the only child … `depth` times. */
export function descendant({ pid = -1 }: Pick<ChildProcess, 'pid'>, depth: number): number {
  if (depth === 0) return pid;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');
  const [only = ''] = children;
  if (children.length !== 1 || only === '')
    throw new Error(`process ${pid} has not one child: ${children}`);
  return descendant({ pid: Number(only) }, depth - 1);
}
