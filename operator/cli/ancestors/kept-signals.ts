import type { ProcessTable } from './process-table.ts';

/** A launcher, and the shell that it has started and that waits for this process. */
export interface ShellBelow {
  readonly launcher: number;
  readonly shell: number;
}

/**
 * How often the launcher and the shell had gone to sleep (-1 if never seen asleep), and a value
 * that changes when a child of the shell has ended.
 */
interface Snapshot {
  readonly launcher: number;
  /**
   * The value of `launcher` at the previous call of `check`. npm may wake up before a call, and the
   * shell only after that call.
   */
  readonly launcherBefore: number;
  readonly shell: number;
  readonly reaped: string | undefined;
}

/**
 * Notices a signal that a shell does not pass on. npm passes SIGINT to the shell that it has
 * started. dash and bash ignore SIGINT while they wait for their child. So npm, the shell and this
 * process would not end.
 *
 * No system call tells which signals another process has received. But the shell sleeps until a
 * child ends or a signal arrives, and Linux counts how often a process has gone to sleep. When npm
 * and the shell wake up at about the same time, and no child of the shell has ended, npm has passed
 * on a signal.
 *
 * npm and the shell also wake up when all processes continue after Ctrl-Z, or after the container
 * was paused or the machine was suspended. In these cases, every thread of this process has woken
 * up as well, even the thread of Node that otherwise wakes up only for SIGUSR1.
 */
export class KeptSignals {
  readonly #shells: readonly ShellBelow[];
  readonly #table: ProcessTable;
  /** The id of this process. If all its threads wake up together, all processes had been stopped. */
  readonly #self: number;
  #threads: ReadonlyMap<number, number>;
  #before: readonly Snapshot[] = [];
  /** Set if a launcher and its shell have just woken up: the shell, and what it had reaped before that. */
  #suspected: { readonly shell: number; readonly reaped: string | undefined } | undefined;

  constructor(shells: readonly ShellBelow[], table: ProcessTable, self: number) {
    this.#shells = shells;
    this.#table = table;
    this.#self = self;
    this.#threads = this.#sleepingThreads();
  }

  /**
   * Must be called repeatedly. Returns true only at the second call after the signal. After the
   * first call, it may still turn out that the shell was not woken up by a signal.
   */
  check(): boolean {
    const suspected = this.#suspected;
    this.#suspected = undefined;
    if (suspected !== undefined && this.#isSignal(suspected)) return true;
    const before = this.#before;
    this.#before = this.#shells.map((pair, at) => this.#snapshot(pair, before[at]));
    for (const [at, { shell }] of this.#shells.entries()) {
      const [last, now] = [before[at], this.#before[at]];
      if (last === undefined || now === undefined || last.shell < 0) continue;
      const bothWoke = now.launcher > last.launcherBefore && now.shell > last.shell;
      if (bothWoke) this.#suspected = { shell, reaped: last.reaped };
    }
    return false;
  }

  #snapshot({ launcher, shell }: ShellBelow, last: Snapshot | undefined): Snapshot {
    const reaped = this.#table.reapedBy(shell); // read first: a child that ends now is seen at the next call
    const sleeps = this.#table.sleepsOf(shell);
    const launcherSleeps = this.#table.sleepsOf(launcher) ?? last?.launcher ?? -1;
    return {
      launcher: launcherSleeps,
      launcherBefore: last?.launcher ?? launcherSleeps,
      shell: sleeps ?? last?.shell ?? -1,
      reaped: sleeps === undefined && last !== undefined ? last.reaped : reaped,
    };
  }

  #isSignal({ shell, reaped }: { readonly shell: number; readonly reaped: string | undefined }) {
    if (reaped === undefined || this.#table.reapedBy(shell) !== reaped) return false;
    const slept = [...this.#threads].some(([id, sleeps]) => this.#table.sleepsOf(id) === sleeps);
    if (!slept) this.#threads = this.#sleepingThreads();
    return slept;
  }

  #sleepingThreads(): ReadonlyMap<number, number> {
    const found = this.#table.threadsOf(this.#self).flatMap((id) => {
      const sleeps = this.#table.sleepsOf(id);
      return sleeps === undefined ? [] : [[id, sleeps] as const];
    });
    return new Map(found);
  }
}
