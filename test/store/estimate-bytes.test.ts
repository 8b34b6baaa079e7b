import { expect, test } from 'vitest';
import { estimateBytes, estimateTotalBytes } from '../../operator/store/estimate-bytes.ts';

test('C-23 text, arrays and objects count, names of properties and numbers do not', () => {
  const small = estimateBytes({ a: 1, b: [true, null] });

  expect(estimateBytes('x'.repeat(1_000))).toBe(1_024);
  expect(estimateBytes({ aLongName: 1, another: [true, null] })).toBe(small);
  expect(estimateBytes({ a: 1, b: [true, null], c: 'x'.repeat(1_000) }) - small).toBe(1_032);
});

test.each([0, 1, 99, 100, 101, 5_000])('C-23 an estimate of %d uneven objects is near', (count) => {
  const objects = new Map(
    Array.from({ length: count }, (_, at) => [at, { text: 'x'.repeat((at * 37) % 1_000) }]),
  );
  let exact = 0;
  for (const object of objects.values()) exact += estimateBytes(object);

  const estimate = estimateTotalBytes(objects);

  expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.1);
});
