import { NANOS, parseQuantity } from '../../model/quantity.ts';

/** The size of an operator's caches: the sum over all sources on its status page. */
export interface CacheSize {
  readonly objects: number;
  /** Estimated memory of the objects. */
  readonly bytes: number;
}

/**
 * Resident memory in bytes, from `npm run measure -- operator` (docs/measurements.md, "How much
 * memory an operator takes"). `base` is the memory of an operator without objects. `perObject` is
 * the memory for each object, in addition to its bytes. `perByte` is the memory for each byte that
 * the status page reports. The memory was measured at the end of a list in which every object has
 * changed, because both the old and the new state are in memory then.
 */
const RESIDENT = { base: 110e6, perObject: 3_500, perByte: 2.7 } as const;

/**
 * V8's heap in bytes at the same moment, from the same measurement. For 10,000 objects of 20 kB,
 * the result is 7 to 18 % above the smallest heap with which an operator could run. That smallest
 * heap is 400 to 440 MiB.
 */
const HEAP = { base: 20e6, perObject: 1_800, perByte: 2.3 } as const;

/**
 * The maximum heap that Node sets for V8 in a container: half of the memory limit, within these
 * bounds (Node 24.21.0; nodejs/node `src/api/environment.cc`, v8/v8 `src/heap/heap.cc`,
 * `HeapSizeFromPhysicalMemory`).
 */
const LEAST_HEAP = 256 * 2 ** 20;
const MOST_HEAP = 2 * 2 ** 30;
const HEAP_SHARE = 0.5;

const MIB = 2 ** 20;

/** Suggested limits are multiples of this number, in MiB. */
const STEP_MIB = 32;

/** The peak memory of an operator, and the settings that allow for it. */
export interface NeededMemory {
  /** The peak size of V8's heap in bytes. */
  readonly heapBytes: number;
  /** The smallest sufficient memory limit of the container, in bytes. */
  readonly limitBytes: number;
  /** The memory limit as it is written in a manifest, such as `384Mi`. It is rounded up. */
  readonly limit: string;
  /**
   * MiB for `--max-old-space-size`. Undefined when the heap size that Node chooses by itself is
   * large enough.
   */
  readonly heapFlagMiB: number | undefined;
}

/**
 * The memory of an operator with caches of this size, when it reads a list in which every object
 * has changed. The memory that the author's code needs is not included.
 *
 * @param heapIsSet - true when the size of the heap is set by `--max-old-space-size`, and not
 * chosen by Node.
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

/**
 * The value of a quantity such as `128Mi`, `10m`, `1e9` or `1`. Undefined for other text, and for a
 * negative value.
 */
export function quantity(value: unknown): number | undefined {
  const parsed = parseQuantity(String(value ?? ''));
  if ('problem' in parsed || parsed.nanos < 0n) return undefined;
  return Number(parsed.nanos) / Number(NANOS);
}

/** Bytes of a GOMEMLIMIT. Go accepts `96MiB`, but not `96M`. */
export function goBytes(value: string): number | undefined {
  const [, amount] = /^([0-9]+(?:[KMGT]i)?)B$/.exec(value) ?? /^([0-9]+)$/.exec(value) ?? [];
  return quantity(amount);
}
