import type { ShellBelow } from './kept-signals.ts';
import type { ProcessEntry, ProcessTable } from './process-table.ts';

/**
 * Variables that launchers set for their child processes: npm, npx, yarn, pnpm and bun, `node
 * --run`, and Volta. A launcher runs another program and waits until it ends.
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

/** Maximum length of a chain of ancestors. */
const LONGEST_CHAIN = 64;

/**
 * The processes above a command. When one of them ends, no process is left that could stop the
 * command.
 */
export interface Ancestors {
  /** The launchers, nearest first. */
  readonly launchers: readonly ProcessEntry[];
  /** Shells that launchers have started. They wait for this process or for another launcher. */
  readonly shells: readonly ShellBelow[];
  /** The process that started the outermost launcher, or the command if there is no launcher. */
  readonly parent: ProcessEntry | undefined;
  /** True when a launcher had already ended before the search. */
  readonly lostLauncher: boolean;
  /** True when the parent had already ended before the search. */
  readonly lostParent: boolean;
}

/**
 * Finds the launchers above a process. A launcher sets some of the variables in `MARKS` for its
 * child, so the child has other values than the launcher. A shell between the two passes the
 * variables on unchanged. So launchers are found without knowing their names.
 *
 * Only processes of the same process group are searched. A command is outside the group of its
 * launcher if it was started by `setsid`, in an interactive shell, or as a child that another
 * process guards.
 *
 * @returns undefined when the table does not contain the process, as on systems other than Linux.
 */
export function ancestorsOf(pid: number, table: ProcessTable): Ancestors | undefined {
  const self = table.find(pid);
  if (self === undefined) return undefined;
  const launchers: ProcessEntry[] = [];
  const shells: ShellBelow[] = [];
  let marks = marksOf(pid, table) ?? '';
  /** The command, or its outermost launcher. */
  let started = self;
  /** The topmost process of the group that was found so far. */
  let top = self;
  let above = table.find(self.parent);
  for (let step = 0; step < LONGEST_CHAIN && above?.group === self.group; step++) {
    // The environment of another user's process is not visible, so the process counts as a shell.
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
 * True for a process whose parent has ended. A process is usually in the group of its parent. It
 * may also lead a new group, or a shell may have put it into the group of another process. Even
 * then, child and parent are in the same session. If the parent is in another session, it is the
 * process that has adopted an orphan.
 */
function isOrphaned(child: ProcessEntry, parent: ProcessEntry | undefined): boolean {
  if (child.parent === 0 || child.pid === child.group) return false;
  return parent?.session !== child.session;
}

/**
 * The variables in `MARKS` with which a process was started. Empty when no launcher has started it.
 * Undefined for a process of another user.
 */
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
