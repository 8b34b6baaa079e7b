/**
 * Loaded into a process with `--import`: measures the turns of its event loop, and answers a message with the longest one
 * since the message before. CPU is that of the main thread, and hardly depends on what else the machine does.
 */
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';

/** The longest turn. */
export interface LongestTurn {
  readonly ms: number;
  readonly cpuMs: number;
}

/** Flags of Node for a process whose turns are asked for. It needs a channel for messages. */
export const WATCHING: readonly string[] = ['--import', fileURLToPath(import.meta.url)];

/** The longest turn of a process that was started with {@link WATCHING}, since it was asked before. */
export async function longestTurn(child: ChildProcess): Promise<LongestTurn> {
  const answer = once(child, 'message');
  child.send({});
  return ((await answer) as [LongestTurn])[0];
}

if (isMainThread && process.execArgv.includes(WATCHING[1] ?? '')) watch();

function watch(): void {
  let longest: LongestTurn = { ms: 0, cpuMs: 0 };
  let at = performance.now();
  let cpuMs = mainThreadCpuMs();
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
}

function mainThreadCpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
