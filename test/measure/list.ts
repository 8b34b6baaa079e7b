/**
 * How long an operator's event loop stands still while it lists 100,000 objects: probes and Leases
 * wait for it. Five runs, each in a process of its own; `npm run measure -- list`. See docs/measurements.md.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import type { PhaseCost } from './list-reader.ts';

const RUNS = 5;
const PHASES = [
  'first list',
  'list after everything has changed',
  'list that verifies the store',
] as const;

const runs: (readonly PhaseCost[])[] = [];
for (let run = 1; run <= RUNS; run++) {
  runs.push(await measure());
  process.stderr.write(`run ${run} of ${RUNS}\n`);
}
process.stdout.write(`Node ${process.version}, ${RUNS} runs: median (least - most)\n`);
for (const [index, name] of PHASES.entries()) {
  const costs = runs.flatMap((phases) => phases[index] ?? []);
  process.stdout.write(
    `${name}\n` +
      row('longest event-loop delay, ms', costs, ({ longestDelayMs }) => longestDelayMs) +
      row('longest garbage collection, ms', costs, (cost) => cost.longestCollectionMs) +
      row('in all, ms', costs, ({ totalMs }) => totalMs) +
      row('heap in use, MiB', costs, ({ heapMiB }) => heapMiB) +
      row('resident memory, MiB', costs, ({ residentMiB }) => residentMiB),
  );
}

async function measure(): Promise<readonly PhaseCost[]> {
  const server = start('list-server.ts');
  const [url] = (await once(server, 'message')) as [string];
  const reader = start('list-reader.ts', url);
  try {
    await answer(reader);
    server.send('expire');
    return (await answer(reader)) as readonly PhaseCost[];
  } finally {
    reader.kill();
    server.kill();
  }
}

function start(file: string, ...words: readonly string[]): ChildProcess {
  return fork(new URL(file, import.meta.url), words, { execArgv: process.execArgv });
}

/** What the process says next; it has failed when it ends first. */
async function answer(reader: ChildProcess): Promise<unknown> {
  const stop = new AbortController();
  const { signal } = stop;
  try {
    const said = once(reader, 'message', { signal });
    const ended = once(reader, 'exit', { signal }).then(([code]) => {
      throw new Error(`the reader has ended with ${code}`);
    });
    const [message] = await Promise.race([said, ended]);
    return message;
  } finally {
    stop.abort();
  }
}

function row(name: string, costs: readonly PhaseCost[], of: (cost: PhaseCost) => number): string {
  const values = costs.map(of).sort((a, b) => a - b);
  const [least = 0, median = 0, most = 0] = [0, values.length >> 1, values.length - 1].map(
    (index) => Math.round(values[index] ?? 0),
  );
  return `  ${name.padEnd(32)} ${median} (${least} - ${most})\n`;
}
