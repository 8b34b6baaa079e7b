import { readFileSync } from 'node:fs';
import { platform } from 'node:process';
import type { Cancel, Clock } from '../core/clock.ts';

/** The resources that a program has used. */
export interface ProgramUsage {
  readonly durationMs: number;
  /**
   * Seconds of processor time in steps of 0.01, including the child processes that the program has waited
   * for. If several programs end at the same moment, the time of all of them is attributed to one of them. 0
   * on systems other than Linux.
   */
  readonly userCpuSeconds: number;
  readonly systemCpuSeconds: number;
  /** Largest measured resident memory of the program itself, in bytes. 0 on systems other than Linux. */
  readonly maxRssBytes: number;
}

/** Linux reports processor time to programs in hundredths of a second on every processor type: `USER_HZ`. */
const TICKS_PER_SECOND = 100;

/**
 * Memory is measured after this many milliseconds, and then at growing intervals, because most programs run
 * only for a short time.
 */
const FIRST_SAMPLE_MS = 20;
const LONGEST_DISTANCE_MS = 2_000;

interface CpuTimes {
  readonly user: number;
  readonly system: number;
}

/**
 * The processor time of all ended programs, measured when the latest of them ended. Linux reports only the
 * sum for all children of this process, so what is added later belongs to the next program that ends.
 */
let counted: CpuTimes | undefined;

/**
 * Measures what one program uses. It reads `/proc` twice for a program that runs for a short time, and once
 * every 2 s for a program that runs longer.
 */
export class UsageMeter {
  readonly #clock: Clock;
  readonly #pid: number;
  readonly #startedAt: number;
  #cancel: Cancel = () => {};
  #maxRssBytes = 0;

  /** Begins to measure a program that has just started. */
  constructor(pid: number, clock: Clock) {
    counted = timesOfEnded(); // a process that ended earlier was not a program of this process
    this.#clock = clock;
    this.#pid = pid;
    this.#startedAt = clock.monotonic();
    this.#sample(FIRST_SAMPLE_MS);
  }

  /**
   * Call this in the same turn of the event loop in which the program ends, because the next program that
   * ends increases the sum.
   */
  stop(): ProgramUsage {
    this.#cancel();
    const before = counted;
    const now = timesOfEnded();
    counted = now;
    return {
      durationMs: this.#clock.monotonic() - this.#startedAt,
      userCpuSeconds: secondsBetween(before?.user, now?.user),
      systemCpuSeconds: secondsBetween(before?.system, now?.system),
      maxRssBytes: this.#maxRssBytes,
    };
  }

  #sample(nextMs: number): void {
    this.#maxRssBytes = Math.max(this.#maxRssBytes, largestMemoryOf(this.#pid));
    this.#cancel = this.#clock.schedule(nextMs, () =>
      this.#sample(Math.min(nextMs * 2, LONGEST_DISTANCE_MS)),
    );
  }
}

function secondsBetween(before: number | undefined, now: number | undefined): number {
  if (before === undefined || now === undefined) return 0;
  return (now - before) / TICKS_PER_SECOND;
}

/**
 * The processor time of all children that have ended: `cutime` and `cstime` of proc_pid_stat(5). The program
 * name before these fields may contain spaces and parentheses.
 */
function timesOfEnded(): CpuTimes | undefined {
  const text = textOf('/proc/self/stat');
  const fields = text?.slice(text.lastIndexOf(')') + 2).split(' ');
  if (fields === undefined) return undefined;
  return { user: Number(fields[13]), system: Number(fields[14]) };
}

function largestMemoryOf(pid: number): number {
  const [, kilobytes = '0'] =
    /^VmHWM:\s*([0-9]+) kB$/m.exec(textOf(`/proc/${pid}/status`) ?? '') ?? [];
  return Number(kilobytes) * 1_024;
}

/**
 * The contents of a file. The file is read synchronously, because a file in `/proc` is generated in memory,
 * and in a later turn of the event loop it would contain another state.
 */
function textOf(path: string): string | undefined {
  if (platform !== 'linux') return undefined;
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return undefined; // the process has ended
  }
}
