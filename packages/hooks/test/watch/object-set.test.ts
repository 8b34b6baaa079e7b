import { expect, test } from 'vitest';
import type { ObjectKey } from '../../../../operator/model/object.ts';
import type { BindingObject } from '../../src/watch/binding-watch.ts';
import { ObjectSet } from '../../src/watch/object-set.ts';

const object = (key: string, checksum: string): BindingObject => ({
  key: key as ObjectKey,
  objectText: `{"at":"${checksum}"}`,
  filterText: undefined,
  checksum,
});

test('if a new state has the same checksum as the last state, it is stored and causes no event', () => {
  const objects = new ObjectSet();
  const first = objects.put(object('x/a', '1'));
  const again = { ...object('x/a', '1'), objectText: '{"at":"later"}' };

  const second = objects.put(again);
  const third = objects.put(object('x/a', '2'));

  expect([first?.type, second, third?.type]).toEqual(['Added', undefined, 'Modified']);
  objects.put(again);
  expect(objects.sorted()).toEqual([again]);
});

test('a deletion causes one event with the last state, and an object that appears again is Added', () => {
  const objects = new ObjectSet();
  objects.put(object('x/a', '1'));

  const deleted = objects.delete('x/a' as ObjectKey, object('x/a', '2'));
  const again = objects.delete('x/a' as ObjectKey);
  const made = objects.put(object('x/a', '2'));

  expect(deleted).toEqual({ type: 'Deleted', object: object('x/a', '2') });
  expect([again, made?.type]).toEqual([undefined, 'Added']);
});

test('objects are sorted by namespace and then by name', () => {
  const objects = new ObjectSet();
  for (const key of ['b/a', 'a-b/c', 'a/z', 'a/b', 'cluster']) objects.put(object(key, '1'));

  expect(objects.sorted().map(({ key }) => key)).toEqual(['cluster', 'a/b', 'a/z', 'a-b/c', 'b/a']);
  expect(objects.keysIn(new Set(['a']))).toEqual(['a/z', 'a/b']);
});
