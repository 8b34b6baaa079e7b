/**
 * Loaded into a process by `--import`. Every 100 ms it writes a line into the file `LONGEST_TURN`: the time, by how many
 * milliseconds a timer of 5 ms was late at most, and how much time of the processor the main thread used between two of
 * its ticks at most. The second hardly depends on the load of the machine, and is at most 5 ms more than the longest turn.
 */
import { appendFileSync } from 'node:fs';
import process from 'node:process';
import { isMainThread } from 'node:worker_threads';

const TICK_MS = 5;
const WRITE_MS = 100;

const { LONGEST_TURN: file } = process.env;

/** Since Node 23.9; the types do not know it. */
const { threadCpuUsage } = process as unknown as {
  threadCpuUsage(): { readonly user: number; readonly system: number };
};

function cpuMs(): number {
  const { user, system } = threadCpuUsage();
  return (user + system) / 1_000;
}

if (file !== undefined && isMainThread) {
  let [lateMs, busyMs, writtenAt] = [0, 0, 0];
  let [tickAt, usedMs] = [performance.now(), cpuMs()];
  const tick = (): void => {
    const [now, used] = [performance.now(), cpuMs()];
    lateMs = Math.max(lateMs, now - tickAt - TICK_MS);
    busyMs = Math.max(busyMs, used - usedMs);
    if (now - writtenAt >= WRITE_MS) {
      appendFileSync(file, `${Date.now()} ${lateMs.toFixed(1)} ${busyMs.toFixed(1)}\n`);
      [lateMs, busyMs, writtenAt] = [0, 0, now];
    }
    [tickAt, usedMs] = [performance.now(), cpuMs()];
    setTimeout(tick, TICK_MS).unref();
  };
  tick();
}
