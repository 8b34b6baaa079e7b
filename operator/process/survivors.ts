import { readdir, readFile } from 'node:fs/promises';
import process from 'node:process';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, sleep } from '../core/clock.ts';

/** The variable that names a run. Every process of the run has it, unless it was started with another environment. */
export const RUN_VARIABLE = 'CHANCERY_RUN';

/** Rounds that follow at once: a process may have started another one while the others were ended. */
const FAST_ROUNDS = 20;

/** Further rounds, for processes that take long to die, such as those with much memory. */
const SLOW_ROUNDS = 50;
const SLOW_ROUND_MS = 100;

/** What has become of the processes of a run. */
export interface Survivors {
  /** Processes that were still there. On other systems than Linux they are not counted. */
  readonly found: number;
  /** Processes that could not be ended. */
  readonly left: number;
}

/**
 * Ends every process of a run whose program has ended: those of its process group, and on Linux those that have left
 * it and have `CHANCERY_RUN` of this run in their environment.
 *
 * They are ended at once, by SIGKILL: the program had no wish to wait for them.
 */
export async function endSurvivors(groupId: number, run: string, clock: Clock): Promise<Survivors> {
  const seen = new Set<number>();
  const others = new Set<number>();
  let alive: ReadonlySet<number> = new Set();
  for (let round = 0; round < FAST_ROUNDS + SLOW_ROUNDS; round++) {
    const processes = await processesOf(run, others);
    alive = processes.found;
    signalGroup(groupId, 'SIGKILL'); // also those that have another environment
    if (alive.size === 0 && processes.undecided.size === 0) break;
    for (const pid of alive) {
      seen.add(pid);
      signalTo(pid, 'SIGKILL');
    }
    if (round >= FAST_ROUNDS) await sleep(clock, SLOW_ROUND_MS, NEVER_ABORTED);
  }
  return { found: seen.size, left: alive.size };
}

/** Sends a signal to all processes of a group. No group of that number is no error. */
export function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  signalTo(-groupId, signal);
}

function signalTo(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended meanwhile, or changed its user and is left to the caller's count.
  }
}

/** Readings of the list of processes in a round. Other programs may start processes all the time. */
const READINGS = 20;

/** What a look at the list of processes has found. */
interface RunProcesses {
  readonly found: ReadonlySet<number>;
  /** Those that are just becoming another program, and may be of the run. */
  readonly undecided: ReadonlySet<number>;
}

/**
 * Processes of this user that were started with `CHANCERY_RUN=run`. None on systems other than Linux.
 *
 * A process that ends before it is looked at may have started another one, which the list does not have. So the list
 * is read again until it has no new process, and none that is just becoming another program.
 *
 * @param others - numbers of processes that are not of the run. Those that are found are added.
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

/** Whether a process has a variable. Undefined for one that is just becoming another program: it has none then. */
async function startedWith(pid: number, variable: string): Promise<boolean | undefined> {
  try {
    const environment = await readFile(`/proc/${pid}/environ`, 'latin1');
    if (environment !== '') return `\0${environment}`.includes(`\0${variable}\0`);
    const stat = await readFile(`/proc/${pid}/stat`, 'latin1');
    // The parts that follow the name, which may have spaces and brackets. They are those of proc_pid_stat(5) from 3 on.
    const parts = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = '', flags] = [parts[0], parts[9 - 3]];
    if (ENDED.has(state) || (Number(flags) & KERNEL_THREAD) !== 0) return false;
    // A program that was started with no variable has an environment that begins and ends at some address.
    const [start, end] = [Number(parts[50 - 3]), Number(parts[51 - 3])];
    return start !== 0 && start === end ? false : undefined;
  } catch {
    return false; // it has ended, or belongs to another user
  }
}

/** Linux's PF_KTHREAD. */
const KERNEL_THREAD = 0x0020_0000;

/** Zombies, and processes of which only the number is left. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);
