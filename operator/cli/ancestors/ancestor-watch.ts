import process from 'node:process';
import type { Cancel, Clock } from '../../core/clock.ts';
import { ancestorsOf, isMark } from './ancestors.ts';
import { KeptSignals } from './kept-signals.ts';
import { type ProcessEntry, type ProcessTable, systemProcesses } from './process-table.ts';

/**
 * Interval at which the ancestors are checked. A check reads one or two small files per ancestor,
 * in less than 0.1 ms.
 */
const INTERVAL_MS = 250;

export interface AncestorWatchOptions {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  /**
   * Also watch the process that started the outermost launcher. Without a launcher, watch the
   * parent of this process.
   */
  readonly includesParent: boolean;
  /** Called once, with a sentence about the process that has ended. */
  readonly onGone: (why: string) => void;
  readonly table?: ProcessTable;
  readonly pid?: number;
  /** Returns the process id of the parent. Works on every system. */
  readonly parentId?: () => number;
}

/**
 * Notices that npm, npx or another launcher above this process has ended. npm passes SIGTERM to the
 * shell that it has started, and the shell may end while its child keeps running. SIGKILL and
 * SIGHUP are not passed on at all. Without this watch, nobody could stop this process any more, and
 * the reader of its output would wait forever. `KeptSignals` handles SIGINT.
 *
 * Without a launcher, the end of a shell is ignored, because processes started with `&` outlive
 * their shell.
 *
 * If the system has no table of processes, only the parent is watched.
 *
 * @returns a function that ends the watch.
 */
export function watchAncestors(options: AncestorWatchOptions): Cancel {
  const { clock, onGone } = options;
  const check = checkOf(options);
  if (check === undefined) return () => {};
  let cancel: Cancel = () => {};
  const again = (): void => {
    const why = check();
    if (why === undefined) cancel = clock.schedule(INTERVAL_MS, again);
    else onGone(why);
  };
  again();
  return () => cancel();
}

/**
 * Returns a function that checks the watched processes. If one of them has ended, the function
 * returns a sentence about it. The result is undefined when there is nothing to watch.
 */
function checkOf({
  env,
  includesParent,
  table = systemProcesses,
  pid = process.pid,
  parentId = () => process.ppid,
}: AncestorWatchOptions): (() => string | undefined) | undefined {
  const found = ancestorsOf(pid, table);
  if (found === undefined) {
    const first = parentId();
    const isMarked = Object.keys(env).some((name) => isMark(`${name}=`));
    if (!isMarked && !includesParent) return undefined;
    return () => (parentId() === first ? undefined : ended(first));
  }
  if (found.lostLauncher || (includesParent && found.lostParent)) {
    return () => 'the process that started this one has ended';
  }
  const watched = [...found.launchers];
  if (includesParent && found.parent !== undefined) watched.push(found.parent);
  if (watched.length === 0) return undefined;
  const kept = new KeptSignals(found.shells, table, pid);
  return () =>
    firstEnded(watched, table) ??
    (kept.check() ? 'npm was asked to stop, and its shell kept the signal' : undefined);
}

function firstEnded(watched: readonly ProcessEntry[], table: ProcessTable): string | undefined {
  const found = watched.find(({ pid, startedAt }) => table.find(pid)?.startedAt !== startedAt);
  return found && ended(found.pid);
}

function ended(pid: number): string {
  return `process ${pid}, which started this one, has ended`;
}
