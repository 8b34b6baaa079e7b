import { expect, test } from 'vitest';
import { compareVersions, latestOf, versionOfImage } from '../version.ts';

test.each([
  ['postgres:17.1', '17.1'],
  ['postgres:17.1-alpine', '17.1'],
  ['registry.example:5000/postgres:16', '16'],
  [`postgres:17.1@sha256:${'9'.repeat(64)}`, '17.1'],
])('the image %s has the version %s', (image, version) => {
  expect(versionOfImage(image)).toBe(version);
});

test.each([
  'postgres',
  'postgres:latest',
  'registry.example:5000/postgres',
  'postgres@sha256:17ab',
  'postgres:20300101123000',
])('the version of %s is unknown', (image) => {
  expect(versionOfImage(image)).toBeUndefined();
});

test('versions are compared number by number', () => {
  expect(['1.10', '1.9', '2', '1.9.1'].toSorted(compareVersions)).toEqual([
    '1.9',
    '1.9.1',
    '1.10',
    '2',
  ]);
  expect(latestOf(['1.9', undefined, '1.10'])).toBe('1.10');
});
