import { expect, test } from 'vitest';
import { hashOf, withHash } from '../../operator/controller/children/owned-apply-writer.ts';

const child = (spec: unknown) => withHash({ metadata: { name: 'a' }, spec } as never);

test('the hash of a child stays what it was, so that an upgrade makes no child anew', () => {
  const spec = { b: [1, { d: null, c: 'x' }], a: undefined, 10: true, 9: 1.5, at: new Date(0) };

  expect(hashOf(child(spec))).toBe('aa9de001756277ea2973b135fdb3fc6f');
});

test('[attack A-1] a child has a hash however deeply it is nested', () => {
  const nested = (leaf: number): unknown =>
    JSON.parse(`${'{"a":'.repeat(50_000)}${leaf}${'}'.repeat(50_000)}`);

  expect(hashOf(child(nested(1)))).toBe(hashOf(child(nested(1))));
  expect(hashOf(child(nested(1)))).not.toBe(hashOf(child(nested(2))));
});
