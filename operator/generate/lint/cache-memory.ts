import { NANOS, parseQuantity } from '../../model/quantity.ts';

/** What the caches of an operator hold, as its status page shows it: the sum of all sources. */
export interface CacheSize {
  readonly objects: number;
  /** Estimated memory of the objects. */
  readonly bytes: number;
}

/**
 * Resident memory, from `npm run measure:operator` (docs/measurements.md, "How much memory an operator
 * takes"): of an operator without objects; for each object, beside its bytes; and for each byte that the
 * status page shows, at the end of a list in which every object has changed. Then the old state and
 * the new one are in memory.
 */
const RESIDENT = { base: 110e6, perObject: 3_500, perByte: 2.7 } as const;

/**
 * V8's heap at the same moment, from the same measurement: 7 to 18 % more than 400 to 440 MiB, the least
 * with which an operator with 10,000 objects of 20 kB lived.
 */
const HEAP = { base: 20e6, perObject: 1_800, perByte: 2.3 } as const;

/**
 * The heap that Node gives V8 in a container: half of the memory limit, between these two (Node 24.21.0;
 * nodejs/node `src/api/environment.cc`, v8/v8 `src/heap/heap.cc`, `HeapSizeFromPhysicalMemory`).
 */
const LEAST_HEAP = 256 * 2 ** 20;
const MOST_HEAP = 2 * 2 ** 30;
const HEAP_SHARE = 0.5;

const MIB = 2 ** 20;

/** Suggestions are multiples of it, in MiB. */
const STEP_MIB = 32;

/** What an operator takes at most, and what it has to be given for that. */
export interface NeededMemory {
  /** Bytes that V8's heap takes at most. */
  readonly heapBytes: number;
  /** Least memory limit of the container, in bytes. */
  readonly limitBytes: number;
  /** A memory limit that is enough, such as `384Mi`. */
  readonly limit: string;
  /** MiB for `--max-old-space-size` where Node's own choice is too small under any limit. */
  readonly heapFlagMiB: number | undefined;
}

/**
 * The memory of an operator whose caches hold so much, while a list shows that every object has changed.
 * Code of the operator's own is not counted.
 *
 * @param heapIsSet - `--max-old-space-size` says how large the heap is, not Node.
 */
export function neededMemory(
  { objects, bytes }: CacheSize,
  { heapIsSet }: { readonly heapIsSet: boolean },
): NeededMemory {
  const heapBytes = HEAP.base + objects * HEAP.perObject + bytes * HEAP.perByte;
  const resident = RESIDENT.base + objects * RESIDENT.perObject + bytes * RESIDENT.perByte;
  const needsFlag = heapBytes > MOST_HEAP;
  const isNodesChoice = !heapIsSet && !needsFlag && heapBytes > LEAST_HEAP;
  const limitBytes = isNodesChoice ? Math.max(resident, heapBytes / HEAP_SHARE) : resident;
  return {
    heapBytes,
    limitBytes,
    limit: `${roundedMiB(limitBytes)}Mi`,
    heapFlagMiB: heapIsSet || needsFlag ? roundedMiB(heapBytes) : undefined,
  };
}

function roundedMiB(bytes: number): number {
  return Math.ceil(bytes / MIB / STEP_MIB) * STEP_MIB;
}

/** The number that a quantity such as `128Mi`, `10m`, `1e9` or `1` stands for; undefined for other text and below 0. */
export function quantity(value: unknown): number | undefined {
  const parsed = parseQuantity(String(value ?? ''));
  if ('problem' in parsed || parsed.nanos < 0n) return undefined;
  return Number(parsed.nanos) / Number(NANOS);
}

/** Bytes of a GOMEMLIMIT: Go writes `96MiB`, and knows no `96M`. */
export function goBytes(value: string): number | undefined {
  const [, amount] = /^([0-9]+(?:[KMGT]i)?)B$/.exec(value) ?? /^([0-9]+)$/.exec(value) ?? [];
  return quantity(amount);
}
