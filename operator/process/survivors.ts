import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';

/**
 * The variable that identifies a run. Every process of the run has this variable, unless it was started with
 * another environment.
 */
export const RUN_VARIABLE = 'CHANCERY_RUN';

/**
 * Number of rounds that follow each other without a wait. Several rounds are needed because a process may
 * start another process while processes are being ended.
 */
const FAST_ROUNDS = 20;

/** Number of further rounds, for processes that end slowly, such as those with much memory. */
const SLOW_ROUNDS = 50;
const SLOW_ROUND_MS = 100;

/** What happened to the remaining processes of a run. */
export interface Survivors {
  /** Number of processes that were still running. On systems other than Linux they are not counted. */
  readonly found: number;
  /** Number of processes that could not be ended. */
  readonly left: number;
}

/**
 * Ends every process of a run whose program has ended: the processes in its process group, and on Linux also
 * processes outside of the group whose environment contains `CHANCERY_RUN` with the value of this run.
 *
 * They are ended at once by SIGKILL, because the program has not waited for their end.
 */
export async function endSurvivors(groupId: number, run: string, clock: Clock): Promise<Survivors> {
  const seen = new Set<number>();
  const others = new Set<number>();
  let alive: ReadonlySet<number> = new Set();
  for (let round = 0; round < FAST_ROUNDS + SLOW_ROUNDS; round++) {
    const processes = await processesOf(run, others);
    alive = processes.found;
    signalGroup(groupId, 'SIGKILL'); // also ends processes that have another environment
    if (alive.size === 0 && processes.undecided.size === 0) break;
    for (const pid of alive) {
      seen.add(pid);
      signalTo(pid, 'SIGKILL');
    }
    if (round >= FAST_ROUNDS) await sleep(clock, SLOW_ROUND_MS, NEVER_ABORTED);
  }
  return { found: seen.size, left: alive.size };
}

/** Sends a signal to all processes of a group. A missing group is not an error. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  signalTo(-groupId, signal);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended meanwhile, or has changed its user. If it still runs, the caller counts it as a
    // process that could not be ended.
  }
}

/**
 * Maximum number of times that the list of processes is read in a round, because other programs may start
 * processes all the time.
 */
const READINGS = 20;

/** The processes of a run, according to the list of all processes. */
interface RunProcesses {
  readonly found: ReadonlySet<number>;
  /** Processes that are replacing their program, and may belong to the run. */
  readonly undecided: ReadonlySet<number>;
}

/**
 * Processes of this user that were started with `CHANCERY_RUN=run`. Empty on systems other than Linux.
 *
 * A process that ends before it is examined may have started another process that is not in the list. So the
 * list is read again until it contains no new process, and no process that is replacing its program.
 *
 * @param others - numbers of processes that do not belong to the run. The function adds the numbers of
 *   further such processes that it finds.
 */
async function processesOf(run: string, others: Set<number>): Promise<RunProcesses> {
  const found = new Set<number>();
  const undecided = new Set<number>();
  if (process.platform !== 'linux') return { found, undecided };
  let listed: readonly number[] = [];
  for (let reading = 0; reading < READINGS; reading++) {
    const known = new Set(listed);
    listed = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name)).map(Number);
    if (undecided.size === 0 && listed.every((pid) => known.has(pid))) break;
    undecided.clear();
    for (const pid of listed) {
      if (found.has(pid) || others.has(pid)) continue;
      const isOfRun = await startedWith(pid, `${RUN_VARIABLE}=${run}`);
      if (isOfRun === true) found.add(pid);
      else if (isOfRun === false) others.add(pid);
      else undecided.add(pid);
    }
  }
  return { found, undecided };
}

/**
 * True if a process was started with a variable. Undefined while the process is replacing its program,
 * because it has no environment then.
 */
async function startedWith(pid: number, variable: string): Promise<boolean | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (environment !== '') return `\0${environment}`.includes(`\0${variable}\0`);
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The name of the program may contain spaces and parentheses. `parts` are the fields after it: the fields
    // of proc_pid_stat(5) from the third field on.
    const parts = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', flags] = [parts[0], parts[9 - 3]];
    if (ENDED.has(state) || (Number(flags) & KERNEL_THREAD) !== 0) return false;
    // If a program was started without variables, its environment begins and ends at the same address.
    const [start, end] = [Number(parts[50 - 3]), Number(parts[51 - 3])];
    return start !== 0 && start === end ? false : undefined;
  } catch {
    return false; // the process has ended, or belongs to another user
  }
}

/** PF_KTHREAD of Linux. */
const KERNEL_THREAD = 0x0020_0000;

/** The states of zombies, and of processes of which only the process number is left. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);
