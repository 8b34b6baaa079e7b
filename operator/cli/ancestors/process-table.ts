import { readFileSync } from 'node:fs';

/** One process that runs. */
export interface ProcessEntry {
  readonly pid: number;
  /** 0 when its parent is outside of the container. */
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** When it was started. With `pid` it names one process for ever: numbers are used again. */
  readonly startedAt: string;
}

/** The processes of this machine. */
export interface ProcessTable {
  /** Undefined for a process that has ended, also while nobody has asked for its exit code. */
  find(pid: number): ProcessEntry | undefined;
  /** The variables that a process was started with, each as `NAME=VALUE`; undefined when they cannot be read. */
  environmentOf(pid: number): readonly string[] | undefined;
  /** How often a process that sleeps now has gone to sleep. Undefined for one that is awake. */
  sleepsOf(pid: number): number | undefined;
}

/** As Linux shows them in `/proc`. On other systems it has no process. */
export const systemProcesses: ProcessTable = {
  find(pid) {
    const stat = textOf(pid, 'stat');
    // The name before these fields may have spaces and brackets. They are those of proc_pid_stat(5) from 3 on.
    const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state = 'X', parent, group, session] = fields ?? [];
    if (ENDED.has(state)) return undefined;
    return {
      pid,
      parent: Number(parent),
      group: Number(group),
      session: Number(session),
      startedAt: fields?.[22 - 3] ?? '',
    };
  },
  environmentOf: (pid) => textOf(pid, 'environ')?.split('\0'),
  sleepsOf(pid) {
    const status = textOf(pid, 'status') ?? '';
    if (!/^State:\s*S/m.test(status)) return undefined;
    const [, count] = /^voluntary_ctxt_switches:\s*([0-9]+)$/m.exec(status) ?? [];
    return count === undefined ? undefined : Number(count);
  },
};

/** Zombies, and processes of which only the number is left. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

function textOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined; // it has ended, or belongs to another user
  }
}
