/** Entries of an annotation that no conversion writes: everybody who may change an object may write them. */
import { expect, test } from 'vitest';
import { withKept } from '../../../operator/schema/conversion/restored-fields.ts';
import { deepFreeze } from '../../../operator/store/freeze.ts';

const ITEMS = { items: [{ k: 1 }, { k: 2, j: 1 }] };

test('withKept changes neither the given fields nor the preserved entries', () => {
  const kept = [
    { path: ['items', { k: 3 }], value: { k: 3 }, at: 0 },
    { path: ['items', { k: 3 }, 'more'], value: true },
    { path: ['items', { k: 1 }, 'more'], value: { deep: {} } },
    { path: ['items', { k: 1 }, 'more', 'deep', 'x'], value: 1 },
  ];
  deepFreeze(kept);
  deepFreeze(ITEMS);

  expect(withKept(ITEMS, kept)).toEqual({
    items: [
      { k: 3, more: true },
      { k: 1, more: { deep: { x: 1 } } },
      { k: 2, j: 1 },
    ],
  });
});

test('within a list, all entries must identify items by the same keys', () => {
  const kept = [
    { path: ['items', { k: 2 }, 'a'], value: 1 },
    { path: ['items', { j: 1 }, 'b'], value: 2 },
    { path: ['items', { k: 2, j: 1 }, 'c'], value: 3 },
    { path: ['items', { j: 9 }], value: { j: 9 } },
  ];

  expect(withKept(ITEMS, kept)).toEqual({ items: [{ k: 1 }, { k: 2, j: 1, a: 1 }] });
});

test('withKept restores preserved fields one after another, and compares each with the result of the previous fields', () => {
  const gone = { path: ['items', { k: 2 }], insteadOf: { k: 2, j: 1 } };

  const whole = withKept(ITEMS, [gone, { path: ['items'], value: [], insteadOf: [{ k: 1 }] }]);
  const other = withKept(ITEMS, [gone, { path: ['items'], value: [], insteadOf: ITEMS.items }]);

  expect([whole, other]).toEqual([{ items: [] }, { items: [{ k: 1 }] }]);
});
