import { expect, test } from 'vitest';
import { Entry } from '../../operator/model/entry.ts';
import { estimateBytes, estimateTotalBytes } from '../../operator/store/estimate-bytes.ts';
import { textEntry } from '../support/text-entry.ts';

test('[C-23] the size estimate counts strings, arrays and objects, but not property names or numbers', () => {
  const small = estimateBytes({ a: 1, b: [true, null] });

  expect(estimateBytes('x'.repeat(1_000))).toBe(1_024);
  expect(estimateBytes({ aLongName: 1, another: [true, null] })).toBe(small);
  expect(estimateBytes({ a: 1, b: [true, null], c: 'x'.repeat(1_000) }) - small).toBe(1_032);
});

test.each([
  0, 1, 99, 100, 101, 5_000,
])('[C-23] the size estimate for %d uneven objects is close to their real size', (count) => {
  const objects = Array.from({ length: count }, (_, at) => ({
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a' },
    text: 'x'.repeat((at * 37) % 1_000),
  }));
  const exact = objects.reduce((sum, object) => sum + 24 + estimateBytes(object), 0);

  const estimate = estimateTotalBytes(new Map(objects.map((each, at) => [at, Entry.of(each)])));

  expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.1);
});

test('[C-23] the estimated size of an entry is the size of its text, or of its object once the object replaces the text', () => {
  const metadata = { name: 'a', namespace: 'demo', uid: 'u', resourceVersion: '1' };
  const object = { apiVersion: 'v1', kind: 'Thing', metadata, spec: { text: 'x'.repeat(2_000) } };
  const entry = textEntry(object);
  const estimate = (): number => estimateTotalBytes(new Map([[0, entry]]));

  const asText = estimate();
  entry.keep();

  expect(asText).toBe(24 + JSON.stringify(object).length);
  expect(estimate()).toBe(24 + estimateBytes(object));
});
