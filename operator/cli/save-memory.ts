import { setFlagsFromString } from 'node:v8';

/**
 * V8 reads these flags whenever it decides, so that they can be set when the process runs. It reads
 * `--max-semi-space-size` only when the process starts (v8/src/heap/heap.cc, `Heap::ConfigureHeap`).
 *
 * - `--optimize-for-size`: the old generation grows by about 30 % before V8 looks for garbage in it, and
 *   not to several times of what is in use (`Heap::ShouldOptimizeForMemoryUsage`).
 * - `--semi-space-growth-factor=1`: the young generation keeps the size that it has. It would grow to
 *   three times 32 MiB on a machine with much memory.
 */
const FLAGS = ['--optimize-for-size', '--semi-space-growth-factor=1'] as const;

/**
 * Makes the process take less memory and more processor time from now on. For a command that reads far
 * more than it keeps, and that has a process of its own.
 */
export function saveMemory(): void {
  for (const flag of FLAGS) setFlagsFromString(flag);
}
