/**
 * Loaded into a process with `--import`: measures the turns of its event loop, and answers a message with the longest one
 * since the message before. CPU is that of the main thread, and hardly depends on what else the machine does.
 */
import { performance } from 'node:perf_hooks';

/** The longest turn. */
export interface LongestTurn {
  readonly ms: number;
  readonly cpuMs: number;
}

let longest: LongestTurn = { ms: 0, cpuMs: 0 };
let at = performance.now();
let cpuMs = mainThreadCpuMs();

function mainThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

setInterval(() => {
  const [now, cpuNow] = [performance.now(), mainThreadCpuMs()];
  longest = {
    ms: Math.max(longest.ms, now - at),
    cpuMs: Math.max(longest.cpuMs, cpuNow - cpuMs),
  };
  [at, cpuMs] = [now, cpuNow];
}, 1).unref();

process.on('message', () => {
  process.send?.(longest);
  longest = { ms: 0, cpuMs: 0 };
});
process.channel?.unref();
