import type { ShellBelow } from './kept-signals.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/**
 * Variables that launchers set for what they start: npm, npx, yarn, pnpm and bun, `node --run`, and Volta. A
 * launcher runs another program and waits for its end.
 */
const MARKS: readonly string[] = [
  'npm_command',
  'npm_config_user_agent',
  'npm_execpath',
  'npm_lifecycle_event',
  'npm_lifecycle_script',
  'npm_package_json',
  'PNPM_PACKAGE_NAME',
  'NODE_RUN_SCRIPT_NAME',
  'NODE_RUN_PACKAGE_JSON_PATH',
  '_VOLTA_TOOL_RECURSION',
];

/** No chain of ancestors is longer. */
const LONGEST_CHAIN = 64;

/** The processes above a command. If one of them ends, no process is left that would end the command. */
export interface Ancestors {
  /** The launchers, the nearest first. */
  readonly launchers: readonly ProcessEntry[];
  /** The shells that launchers have started, and that wait for this process or for another launcher. */
  readonly shells: readonly ShellBelow[];
  /** The process that started the outermost launcher, or the command when there is none. */
  readonly parent: ProcessEntry | undefined;
  /** A launcher has ended before it was looked for. */
  readonly lostLauncher: boolean;
  /** The same for the parent. */
  readonly lostParent: boolean;
}

/**
 * Finds the launchers above a process. A launcher gives its child other marks than it was started with itself, and a
 * shell between both passes them on as they are. So no name counts.
 *
 * Only processes of one process group are looked at. A command has left the group of its launcher when it was
 * started by `setsid`, in an interactive shell, or as a child that another process guards.
 *
 * @returns undefined when the table does not have the process, as on systems other than Linux.
 */
export function ancestorsOf(pid: number, table: ProcessTable): Ancestors | undefined {
  const self = table.find(pid);
  if (self === undefined) return undefined;
  const launchers: ProcessEntry[] = [];
  const shells: ShellBelow[] = [];
  let marks = marksOf(pid, table) ?? '';
  /** The command, or its outermost launcher. */
  let started = self;
  /** The last process of the group on the way up. */
  let top = self;
  let above = table.find(self.parent);
  for (let step = 0; step < LONGEST_CHAIN && above?.group === self.group; step++) {
    // A process of another user does not show what it was started with: it counts as a shell.
    const own = marksOf(above.pid, table) ?? marks;
    if (marks !== '' && marks !== own) {
      if (top !== started) shells.push({ launcher: above.pid, shell: top.pid });
      launchers.push(above);
      started = above;
    }
    marks = own;
    top = above;
    above = table.find(above.parent);
  }
  const isOrphan = isOrphaned(top, above);
  return {
    launchers,
    shells,
    parent: table.find(started.parent),
    lostLauncher: isOrphan && marks !== '',
    lostParent: isOrphan && started === top,
  };
}

/**
 * A process is in the group of its parent, unless it leads one of its own, or a shell has put it into a group with
 * others; then both are in one session. So a parent in another session is the one that took over an orphan.
 */
function isOrphaned(child: ProcessEntry, parent: ProcessEntry | undefined): boolean {
  if (child.parent === 0 || child.pid === child.group) return false;
  return parent?.session !== child.session;
}

/** Empty for a process that no launcher has started; undefined for one of another user. */
function marksOf(pid: number, table: ProcessTable): string | undefined {
  return table
    .environmentOf(pid)
    ?.filter((variable) => isMark(variable))
    .sort()
    .join('\n');
}

/** @param variable - `NAME=VALUE`. */
export function isMark(variable: string): boolean {
  return MARKS.includes(variable.slice(0, variable.indexOf('=')));
}
