import { expect, test } from 'vitest';
import { WantedBy } from '../../read/wanted-by.ts';

test('a resource is dropped from memory when the last workload stops using it', () => {
  const forgotten: string[] = [];
  const wantedBy = new WantedBy((resource) => forgotten.push(resource));
  wantedBy.set('web', new Set(['a', 'b']));
  wantedBy.set('db', new Set(['b']));
  wantedBy.set('web', new Set(['a', 'b']));

  wantedBy.set('web', new Set(['c']));
  expect(forgotten).toEqual(['a']);
  wantedBy.set('db', new Set());
  expect(forgotten).toEqual(['a', 'b']);
  wantedBy.set('db', new Set());
  expect(forgotten).toEqual(['a', 'b']);
});
