import { SLOTS } from './field-hash.ts';

/** The fields whose hash an API server can use to select objects. */
export type ShardField = 'object.metadata.uid' | 'object.metadata.namespace';

/**
 * The `shardSelector` for the objects in some slots, as an API server writes it into
 * `metadata.shardInfo.selector`: one range for each run of adjacent slots, in ascending order.
 *
 * @param slots - from 0 to 63, in any order.
 * @throws RangeError when `slots` is empty, because a selector cannot select nothing, and for a number that
 *   is not a slot.
 */
export function shardSelector(field: ShardField, slots: Iterable<number>): string {
  const sorted = [...new Set(slots)].sort((a, b) => a - b);
  if (sorted.length === 0) throw new RangeError('a shard selector needs at least one slot');
  const wrong = sorted.find((slot) => !Number.isInteger(slot) || slot < 0 || slot >= SLOTS);
  if (wrong !== undefined)
    throw new RangeError(`expected slots from 0 to ${SLOTS - 1}, got ${wrong}`);
  const has = new Set(sorted);
  const starts = sorted.filter((slot) => !has.has(slot - 1));
  const ends = sorted.map((slot) => slot + 1).filter((end) => !has.has(end));
  return starts
    .map((start, at) => `shardRange(${field}, '${bound(start)}', '${bound(ends[at] ?? SLOTS)}')`)
    .join(' || ');
}

/** The first hash of a slot. For the slot after the last one it is 2^64, the only bound with 17 digits. */
function bound(slot: number): string {
  return `0x${(slot * 4).toString(16).padStart(2, '0')}${'0'.repeat(14)}`;
}
