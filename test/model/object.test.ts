import { describe, expect, test } from 'vitest';
import { controllerOf, keyOf, objectKey, splitKey } from '../../operator/model/object.ts';

describe('keys', () => {
  test.each([
    ['demo', 'a', 'demo/a'],
    [undefined, 'a', 'a'],
  ])('of namespace %s and name %s, and back', (namespace, name, key) => {
    const metadata = { name, ...(namespace !== undefined && { namespace }) };

    expect(objectKey(namespace, name)).toBe(key);
    expect(keyOf({ metadata })).toBe(key);
    expect(splitKey(keyOf({ metadata }))).toEqual({ namespace, name });
  });

  test('an empty namespace is none', () => {
    expect(objectKey('', 'a')).toBe('a');
  });
});

describe('controllerOf', () => {
  const owner = { apiVersion: 'v1', kind: 'A', name: 'a', uid: '1' };

  test('finds the owner that controls among those that only own', () => {
    const controlling = { ...owner, uid: '2', controller: true };

    const found = controllerOf({ metadata: { name: 'x', ownerReferences: [owner, controlling] } });

    expect(found).toBe(controlling);
  });

  test.each([
    [undefined],
    [[]],
    [[owner, { ...owner, controller: false }]],
  ])('finds none among %j', (ownerReferences) => {
    const metadata = { name: 'x', ...(ownerReferences && { ownerReferences }) };

    expect(controllerOf({ metadata })).toBeUndefined();
  });
});
