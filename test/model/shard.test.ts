/** The slot of an object, and the selector of slots, as an API server with `ShardedListAndWatch` counts them. */
import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fieldHash, SLOTS, slotOf } from '../../operator/model/shard/field-hash.ts';
import { shardSelector } from '../../operator/model/shard/shard-selector.ts';

/** The definition of FNV-1a, to the letter. */
function reference(text: string): bigint {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash;
}

const SLOT = 1n << 58n;
const UID = 'object.metadata.uid';

describe('the hash of a field', () => {
  // The first four are vectors of the authors of FNV-1a.
  test.each([
    ['', 'cbf29ce484222325'],
    ['a', 'af63dc4c8601ec8c'],
    ['foobar', '85944171f73967e8'],
    ['chongo was here!\n', '46810940eff5f915'],
    ['ä', reference('ä').toString(16).padStart(16, '0')],
  ])('[sharding 1] the hash of %j equals its FNV-1a hash', (text, expected) => {
    expect(fieldHash(text)).toBe(expected);
  });

  test('[sharding 1] any string has the hash and the slot of the reference implementation', () => {
    const texts = fc.oneof(
      fc.uuid(),
      fc.string({ unit: 'grapheme-ascii', maxLength: 70 }),
      fc.string({ unit: 'binary', maxLength: 40 }),
      // A half of a pair alone: UTF-8 has U+FFFD for it.
      fc
        .array(fc.constantFrom('\ud83d', '\udc4d', 'x', 'é'), { maxLength: 9 })
        .map((all) => all.join('')),
    );
    fc.assert(
      // 200 texts a run: 10,000 in 50 runs.
      fc.property(fc.array(texts, { minLength: 200, maxLength: 200 }), (all) =>
        all.every((text) => {
          const hash = reference(text);
          const hex = hash.toString(16).padStart(16, '0');
          return fieldHash(text) === hex && slotOf(text) === Number(hash / SLOT);
        }),
      ),
    );
  });

  test('[sharding 1] every slot gets its share of many uids', () => {
    const counts = new Array<number>(SLOTS).fill(0);
    for (let at = 0; at < 6_400; at++) {
      const digits = createHash('sha256').update(String(at)).digest('hex');
      const slot = slotOf(digits.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5'));
      counts[slot] = (counts[slot] ?? 0) + 1;
    }

    expect(Math.min(...counts)).toBeGreaterThan(50);
    expect(Math.max(...counts)).toBeLessThan(200);
  });
});

describe('the selector of slots', () => {
  test('[sharding 2] adjacent slots are one range, from the first hash to the end of the last slot', () => {
    expect(shardSelector(UID, [9, 7, 8])).toBe(
      "shardRange(object.metadata.uid, '0x1c00000000000000', '0x2800000000000000')",
    );
  });

  test('[sharding 2] separate slots are ranges in the order of their hashes', () => {
    expect(shardSelector('object.metadata.namespace', [40, 3, 2, 40, 0])).toBe(
      "shardRange(object.metadata.namespace, '0x0000000000000000', '0x0400000000000000')" +
        " || shardRange(object.metadata.namespace, '0x0800000000000000', '0x1000000000000000')" +
        " || shardRange(object.metadata.namespace, '0xa000000000000000', '0xa400000000000000')",
    );
  });

  test('[sharding 2] the last slot ends at 2^64', () => {
    expect(shardSelector(UID, [63])).toBe(
      "shardRange(object.metadata.uid, '0xfc00000000000000', '0x10000000000000000')",
    );
  });

  test('[sharding 2] a shard selector selects exactly the hashes of its slots', () => {
    const slots = fc.uniqueArray(fc.nat({ max: SLOTS - 1 }), { minLength: 1 });
    fc.assert(
      fc.property(slots, (chosen) => {
        const ranges = [
          ...shardSelector(UID, chosen).matchAll(/'(0x[0-9a-f]+)', '(0x[0-9a-f]+)'/g),
        ].map(([, start = '', end = '']) => [BigInt(start), BigInt(end)] as const);
        const isSelected = (hash: bigint): boolean =>
          ranges.some(([start, end]) => hash >= start && hash < end);

        for (let slot = 0; slot < SLOTS; slot++) {
          const first = BigInt(slot) * SLOT;
          const wanted = chosen.includes(slot);
          expect([slot, isSelected(first), isSelected(first + SLOT - 1n)]).toEqual([
            slot,
            wanted,
            wanted,
          ]);
        }
        for (const [at, [start, end]] of ranges.entries()) {
          expect(start).toBeLessThan(end);
          // Merged and in order: nothing is left to join.
          expect(start).toBeGreaterThan(ranges[at - 1]?.[1] ?? -1n);
        }
      }),
    );
  });

  test.each([
    ['no slot', [], 'a shard selector needs at least one slot'],
    ['a slot below 0', [4, -1], 'expected slots from 0 to 63, got -1'],
    ['a slot above 63', [64], 'expected slots from 0 to 63, got 64'],
    ['a fractional slot', [1.5], 'expected slots from 0 to 63, got 1.5'],
  ])('[sharding 2] a shard selector with %s is refused', (_, slots, message) => {
    expect(() => shardSelector(UID, slots)).toThrow(new RangeError(message));
  });
});
