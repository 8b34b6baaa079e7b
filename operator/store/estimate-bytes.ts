import { HeldObject } from '../model/held-object.ts';

/** Bytes of an object's or array's own header, and of one of its slots, in V8 on 64 bits. */
const HEADER_BYTES = 24;
const SLOT_BYTES = 8;

/**
 * Memory that a decoded JSON value takes, roughly: text as one byte a character, names of
 * properties as nothing, for V8 shares them.
 */
export function estimateBytes(value: unknown): number {
  let bytes = 0;
  // No recursion: JSON.parse reads objects that are nested more deeply than the call stack.
  const waiting: unknown[] = [value];
  while (waiting.length > 0) {
    const part = waiting.pop();
    if (typeof part === 'string') bytes += HEADER_BYTES + part.length;
    if (typeof part !== 'object' || part === null) continue;
    bytes += HEADER_BYTES;
    if (part instanceof HeldObject) {
      bytes += heldBytes(part);
      continue;
    }
    for (const member of Object.values(part)) {
      bytes += SLOT_BYTES;
      waiting.push(member);
    }
  }
  return bytes;
}

function heldBytes(held: HeldObject): number {
  const { textLength, keptLength } = held;
  if (textLength > 0) return keptLength + textLength;
  return keptLength + estimateBytes(held.isUnreadable ? held.readMetadata() : held.read());
}

/** How many objects are measured to estimate them all. */
const SAMPLE_SIZE = 100;

/** `estimateBytes` of a collection, from at most about a hundred of its objects, evenly spread. */
export function estimateTotalBytes(objects: ReadonlyMap<unknown, unknown>): number {
  const every = Math.ceil(objects.size / SAMPLE_SIZE);
  let position = 0;
  let measured = 0;
  let bytes = 0;
  for (const object of objects.values()) {
    if (position++ % every !== 0) continue;
    measured++;
    bytes += estimateBytes(object);
  }
  return measured === 0 ? 0 : Math.round((bytes / measured) * objects.size);
}
