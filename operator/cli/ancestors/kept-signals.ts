import type { Clock } from '../../core/clock.ts';
import type { ProcessTable } from './process-table.ts';

/** A launcher and the shell that it has started, which waits for this process. */
export interface ShellBelow {
  readonly launcher: number;
  readonly shell: number;
}

/** So late a call says nothing: the machine, the container or this process may have stood still. */
const LATE_MS = 2_000;

/**
 * Notices a signal that a shell keeps to itself. npm passes SIGINT on to the shell that it has started; dash and bash do
 * nothing while they wait for their child, and then neither npm nor the shell nor this process would end.
 *
 * No system call tells what another process has received. But such a shell sleeps until its child ends or a signal
 * comes, and Linux counts how often a process has gone to sleep. When npm and its shell wake up between two calls, npm
 * has passed on a signal. They also wake up when all processes stood still and go on, as after Ctrl-Z or when a
 * machine was suspended: then this process has received SIGCONT or is called too late, and begins anew.
 */
export class KeptSignals {
  readonly #shells: readonly ShellBelow[];
  readonly #table: ProcessTable;
  readonly #clock: Clock;
  #checkedAt = { monotonic: -Infinity, now: -Infinity };
  /** Of each pair: how often launcher and shell had gone to sleep; -1 for one that has not slept yet. */
  #before: readonly { launcher: number; shell: number }[] = [];
  #isSuspected = false;

  constructor(shells: readonly ShellBelow[], table: ProcessTable, clock: Clock) {
    this.#shells = shells;
    this.#table = table;
    this.#clock = clock;
  }

  /** This process stood still. */
  resumed(): void {
    this.#before = [];
    this.#isSuspected = false;
  }

  /**
   * Call it again and again. True at the second call after the signal: SIGCONT, which is reported to this process
   * with a delay, has then spoken against it.
   */
  check(): boolean {
    if (this.#isLate()) this.resumed();
    if (this.#isSuspected) return true;
    const before = this.#before;
    this.#before = this.#shells.map((pair, at) => ({
      launcher: this.#table.sleepsOf(pair.launcher) ?? before[at]?.launcher ?? -1,
      shell: this.#table.sleepsOf(pair.shell) ?? before[at]?.shell ?? -1,
    }));
    this.#isSuspected = this.#before.some(({ launcher, shell }, at) => {
      const last = before[at];
      if (last === undefined || last.shell < 0) return false;
      return launcher > last.launcher && shell > last.shell;
    });
    return false;
  }

  #isLate(): boolean {
    const last = this.#checkedAt;
    this.#checkedAt = { monotonic: this.#clock.monotonic(), now: this.#clock.now() };
    const { monotonic, now } = this.#checkedAt;
    return monotonic - last.monotonic > LATE_MS || now - last.now > LATE_MS;
  }
}
