import type { Entry } from '../model/entry.ts';

/** Size in bytes of the header of an object or array, and of one of its slots, in 64-bit V8. */
const HEADER_BYTES = 24;
const SLOT_BYTES = 8;

/**
 * Estimated bytes of memory of a decoded JSON value. A string counts as one byte per character. Property
 * names do not count, because V8 shares them.
 */
export function estimateBytes(value: unknown): number {
  let bytes = 0;
  // This is not recursive, because JSON.parse can return objects that are nested too deeply for the call
  // stack.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === 'string') bytes += HEADER_BYTES + part.length;
    if (typeof part !== 'object' || part === null) continue;
    bytes += HEADER_BYTES;
    for (const member of Object.values(part)) {
      bytes += SLOT_BYTES;
      waiting.push(member);
    }
  }
  return bytes;
}

function entryBytes(entry: Entry): number {
  const { textLength } = entry;
  return HEADER_BYTES + (textLength > 0 ? textLength : estimateBytes(entry.object));
}

/** Number of objects that are measured for the estimate. */
const SAMPLE_SIZE = 100;

/** Estimated memory of a cache in bytes, from about a hundred evenly spread entries. */
export function estimateTotalBytes(entries: ReadonlyMap<unknown, Entry>): number {
  const every = Math.ceil(entries.size / SAMPLE_SIZE);
  let position = 0;
  let measured = 0;
  let bytes = 0;
  for (const entry of entries.values()) {
    if (position++ % every !== 0) continue;
    measured++;
    bytes += entryBytes(entry);
  }
  return measured === 0 ? 0 : Math.round((bytes / measured) * entries.size);
}
