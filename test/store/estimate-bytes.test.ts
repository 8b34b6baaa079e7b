import { expect, test } from 'vitest';
import { HeldObject } from '../../operator/model/held-object.ts';
import { estimateBytes, estimateTotalBytes } from '../../operator/store/estimate-bytes.ts';
import { cutText } from '../support/cut-text.ts';

test('[C-23] text, arrays and objects count, names of properties and numbers do not', () => {
  const small = estimateBytes({ a: 1, b: [true, null] });

  expect(estimateBytes('x'.repeat(1_000))).toBe(1_024);
  expect(estimateBytes({ aLongName: 1, another: [true, null] })).toBe(small);
  expect(estimateBytes({ a: 1, b: [true, null], c: 'x'.repeat(1_000) }) - small).toBe(1_032);
});

test.each([
  0, 1, 99, 100, 101, 5_000,
])('[C-23] an estimate of %d uneven objects is near', (count) => {
  const objects = new Map(
    Array.from({ length: count }, (_, at) => [at, { text: 'x'.repeat((at * 37) % 1_000) }]),
  );
  let exact = 0;
  for (const object of objects.values()) exact += estimateBytes(object);

  const estimate = estimateTotalBytes(objects);

  expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * 0.1);
});

test('[C-23] what is held counts as its text, and then as its object and what is kept to compare', () => {
  const heldAt = (resourceVersion: string): HeldObject => {
    const identity = { apiVersion: 'v1', kind: 'Thing', name: 'a', namespace: 'demo', uid: 'u' };
    const { apiVersion, kind, ...metadata } = { ...identity, resourceVersion };
    const object = { apiVersion, kind, metadata, spec: { text: 'x'.repeat(2_000) } };
    return new HeldObject({ ...identity, resourceVersion }, cutText(JSON.stringify(object)));
  };
  const [first, second] = [heldAt('1'), heldAt('2')];
  const unread = estimateBytes(first);

  const read = estimateBytes(first.read());
  second.follow(first);
  second.read();

  expect(unread).toBe(24 + JSON.stringify(first.read()).length);
  expect(estimateBytes(first)).toBe(24 + read);
  expect(estimateBytes(second)).toBe(24 + read + second.keptLength);
  expect(second.keptLength).toBeGreaterThan(2_000);
});
