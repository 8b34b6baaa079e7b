/**
 * The most memory that `chancery watch` takes: for many small objects and for a few large ones, after the
 * first list, after a list that shows nothing new, and after a list in which every object has changed.
 * Five runs, each in a process of its own; `npm run measure -- watch`, with `--built` from what
 * `npm run build` has made. See docs/measurements.md.
 */
import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { setTimeout as after } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { machineLoad, peakMB, row } from './figures.ts';
import { LOADS, type Load, type ServedCollection, servedCollection } from './served-collection.ts';

const RUNS = 5;
const IS_BUILT = process.argv.includes('--built');
const COMMAND = fileURLToPath(
  new URL(
    IS_BUILT ? '../../dist/operator/cli/main.js' : '../../operator/cli/main.ts',
    import.meta.url,
  ),
);
const PATH = '/api/v1/namespaces/bench/configmaps';

/** The slow reader waits for so long after so many bytes: 50 MB/s at the most. */
const SLOW = { bytes: 256 * 1024, waitMs: 5 } as const;

/** What the measured process has taken at most, in MB of 10^6 bytes, at the end of each phase. */
interface Peaks {
  readonly idle: number;
  readonly listed: number;
  readonly relisted: number;
  readonly changed: number;
}

const PHASES = {
  idle: 'no object',
  listed: 'first list',
  relisted: 'after a list without news',
  changed: 'after a list in which all have changed',
} as const;

process.stdout.write(
  `Node ${process.version}, ${IS_BUILT ? 'built' : 'sources'}, ${RUNS} runs: ` +
    `peak resident memory in MB, median (least - most); load ${machineLoad()}\n`,
);
for (const load of LOADS) {
  for (const reader of ['fast', 'slow'] as const) {
    const runs: Peaks[] = [];
    for (let run = 1; run <= RUNS; run++) runs.push(await measure(load, reader));
    process.stdout.write(`${load.title}, ${reader} reader\n`);
    for (const [phase, name] of Object.entries(PHASES)) {
      process.stdout.write(
        row(
          name,
          runs.map((run) => run[phase as keyof Peaks]),
        ),
      );
    }
  }
}
process.stdout.write(`load ${machineLoad()}\n`);

async function measure(load: Load, reader: 'fast' | 'slow'): Promise<Peaks> {
  const empty = await servedCollection({ objects: 0, bytes: 0 });
  const idle = await watched(empty, reader);
  const idlePeak = idle.peakMB();
  await idle.end();
  await empty.end();

  const served = await servedCollection(load);
  const watching = await watched(served, reader);
  const listed = watching.peakMB();
  await served.until('expire');
  const relisted = watching.peakMB();
  await served.until('change and expire');
  const changed = watching.peakMB();
  await watching.end();
  await served.end();
  if (watching.lines() !== 2 * load.objects + 1) {
    throw new Error(`${watching.lines()} lines were printed of ${load.objects} objects`);
  }
  return { idle: idlePeak, listed, relisted, changed };
}

/** `chancery watch` once everything is printed and its watch is open. */
async function watched({ url, opened }: ServedCollection, reader: 'fast' | 'slow') {
  const open = opened();
  const child = spawn(
    process.execPath,
    [COMMAND, 'watch', PATH, '--sync-marker', '--server', url],
    { stdio: ['ignore', 'pipe', 'inherit'], env: environment() },
  );
  const lines = reading(child, reader);
  await Promise.race([open, failure(child)]);
  return {
    lines,
    peakMB: () => peakMB(child),
    async end() {
      child.kill();
      await once(child, 'close');
    },
  };
}

/** Reads what the process prints. @returns how many lines there were. */
function reading(
  child: ChildProcessByStdio<null, Readable, null>,
  reader: 'fast' | 'slow',
): () => number {
  let lines = 0;
  let sinceWait = 0;
  const read = async (): Promise<void> => {
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
      sinceWait += chunk.length;
      if (reader === 'fast' || sinceWait < SLOW.bytes) continue;
      sinceWait = 0;
      await after(SLOW.waitMs);
    }
  };
  void read();
  return () => lines;
}

async function failure(child: ChildProcess): Promise<never> {
  const [code] = await once(child, 'exit');
  throw new Error(`chancery watch has ended with ${code}`);
}

/** Neither a token nor settings of the person who measures. */
function environment(): Readonly<Record<string, string>> {
  return {
    PATH: process.env.PATH ?? '',
    CHANCERY_INSECURE_ALLOW_TOKEN: 'true',
    CHANCERY_LOG_LEVEL: 'error',
  };
}
