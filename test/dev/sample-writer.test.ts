/** What an API server has left out of an object, because the definition does not have it. */
import { expect, test } from 'vitest';
import { droppedField } from '../../operator/cli/dev/sample-writer.ts';

test.each([
  [{ a: 1 }, { a: 1, b: 'default' }, undefined],
  [{ a: null }, {}, undefined],
  [{ a: '500m' }, { a: '0.5' }, undefined],
  [{ a: 1, typo: 2 }, { a: 1 }, '.spec.typo'],
  [{ list: [{ a: 1 }, { b: 2 }] }, { list: [{ a: 1 }, {}] }, '.spec.list[1].b'],
  [{ toString: 1 }, {}, '.spec.toString'],
  [{ map: { a: { b: 1 } } }, { map: {} }, '.spec.map.a'],
])('of %j, stored as %j, the first dropped field is %s', (sent, stored, dropped) => {
  expect(droppedField(sent, stored, '.spec')).toBe(dropped);
});
