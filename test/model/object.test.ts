import { describe, expect, test } from 'vitest';
import { controllerOf, keyOf, objectKey, splitKey } from '../../operator/model/object.ts';

describe('keys', () => {
  test.each([
    ['demo', 'a', 'demo/a'],
    [undefined, 'a', 'a'],
  ])('the namespace %s and the name %s make a key, from which both can be read again', (namespace, name, key) => {
    const metadata = { name, ...(namespace !== undefined && { namespace }) };

    expect(objectKey(namespace, name)).toBe(key);
    expect(keyOf({ metadata })).toBe(key);
    expect(splitKey(keyOf({ metadata }))).toEqual({ namespace, name });
  });

  test('an empty namespace counts as no namespace', () => {
    expect(objectKey('', 'a')).toBe('a');
  });
});

describe('controllerOf', () => {
  const owner = { apiVersion: 'v1', kind: 'A', name: 'a', uid: '1' };

  test('controllerOf finds the controller among the owners', () => {
    const controlling = { ...owner, uid: '2', controller: true };

    const found = controllerOf({ metadata: { name: 'x', ownerReferences: [owner, controlling] } });

    expect(found).toBe(controlling);
  });

  test.each([
    [undefined],
    [[]],
    [[owner, { ...owner, controller: false }]],
  ])('controllerOf finds no controller among %j', (ownerReferences) => {
    const metadata = { name: 'x', ...(ownerReferences && { ownerReferences }) };

    expect(controllerOf({ metadata })).toBeUndefined();
  });
});
