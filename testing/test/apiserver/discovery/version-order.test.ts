import { expect, test } from 'vitest';
import { compareVersions } from '../../../src/apiserver/discovery/version-order.ts';

test('API versions are ordered by stability and then by number, and other names follow alphabetically', () => {
  const ordered = [
    'v10',
    'v2',
    'v1',
    'v11beta2',
    'v10beta3',
    'v3beta1',
    'v12alpha1',
    'v11alpha2',
    'foo1',
    'foo10',
  ];

  const sorted = ordered.toReversed().toSorted(compareVersions);

  expect(sorted).toEqual(ordered);
  expect(compareVersions('v1', 'v1')).toBe(0);
});
