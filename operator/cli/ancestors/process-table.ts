import { readdirSync, readFileSync } from 'node:fs';

/** A running process. */
export interface ProcessEntry {
  readonly pid: number;
  /** The process id of the parent. 0 when the parent is outside of the container. */
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /**
   * The start time. Together with `pid` it identifies a process forever. `pid` alone does not,
   * because process ids are reused.
   */
  readonly startedAt: string;
}

/** The processes of this machine. */
export interface ProcessTable {
  /**
   * Finds a process. Undefined for a process that has ended, even if the parent has not yet
   * collected its exit code.
   */
  find(pid: number): ProcessEntry | undefined;
  /**
   * The variables with which a process was started, each as `NAME=VALUE`. Undefined when they
   * cannot be read.
   */
  environmentOf(pid: number): readonly string[] | undefined;
  /** How often a sleeping process or thread has gone to sleep. Undefined when it is awake. */
  sleepsOf(pid: number): number | undefined;
  /** A value that changes whenever the process collects the exit code of a child that has ended. */
  reapedBy(pid: number): string | undefined;
  threadsOf(pid: number): readonly number[];
}

/** The processes in `/proc` of Linux. On other systems the table is empty. */
export const systemProcesses: ProcessTable = {
  find(pid) {
    const fields = statOf(pid);
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
  // The number of page faults of all children that were reaped. Every process has page faults, so
  // the number grows with every reaped child.
  reapedBy(pid) {
    const fields = statOf(pid);
    return fields && `${fields[11 - 3]} ${fields[13 - 3]}`;
  },
  threadsOf(pid) {
    try {
      return readdirSync(`/proc/${pid}/task`).map(Number);
    } catch {
      return [];
    }
  },
};

/**
 * The fields of proc_pid_stat(5), starting with field 3. Field 2, the name, may contain spaces and
 * brackets.
 */
function statOf(pid: number): readonly string[] | undefined {
  const stat = textOf(pid, 'stat');
  return stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** The states of zombies, and of dead processes that still have a process id. */
const ENDED: ReadonlySet<string> = new Set(['Z', 'X', 'x']);

function textOf(pid: number, file: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'latin1');
  } catch {
    return undefined; // it has ended, or belongs to another user
  }
}
