/**
 * One layer in its own process: `node run-layer.ts LAYER FOLDER`. Reads the files `0`, `1` and `2` of the
 * folder in chunks of 64 KiB, as libuv reads a socket. The first file warms up, and fills what the layer keeps.
 * Prints a `LayerFigures` as JSON.
 */
import { openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { LAYERS, type Layer, type LayerName, read } from './layers.ts';

/** Microseconds for each event. */
export interface Microseconds {
  readonly user: number;
  readonly system: number;
  /** The part that the garbage collector took on the main thread. */
  readonly collection: number;
}

export interface LayerFigures {
  /** Events of the two measured files together. */
  readonly events: number;
  /** While the heap grows to its size. */
  readonly first: Microseconds;
  /** Afterwards. */
  readonly second: Microseconds;
  readonly peakBytes: number;
  readonly readCharacters: number;
}

const CHUNK_BYTES = 64 * 1024;

let collectionMs = 0;
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) collectionMs += duration;
}).observe({ entryTypes: ['gc'] });

const [name = '', folder = ''] = process.argv.slice(2);
const layer = LAYERS[name as LayerName].open();
await pass(layer, '0');
globalThis.gc?.();
const one = await pass(layer, '1');
const two = await pass(layer, '2');
const figures: LayerFigures = {
  events: one.events + two.events,
  first: one.each,
  second: two.each,
  peakBytes: process.resourceUsage().maxRSS * 1_024,
  readCharacters: read.characters,
};
process.stdout.write(`${JSON.stringify(figures)}\n`);

async function pass(
  layer: Layer,
  file: string,
): Promise<{ readonly events: number; readonly each: Microseconds }> {
  const descriptor = openSync(join(folder, file), 'r');
  collectionMs = 0;
  const before = process.cpuUsage();
  let events = 0;
  for (;;) {
    const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
    const bytes = readSync(descriptor, chunk);
    if (bytes === 0) break;
    events += layer.take(chunk.subarray(0, bytes));
    await nextTurn();
  }
  const { user, system } = process.cpuUsage(before);
  await nextTurn(); // the observer has received the last collections
  const each = {
    user: user / events,
    system: system / events,
    collection: (collectionMs * 1_000) / events,
  };
  return { events, each };
}
