import { globSync } from 'node:fs';
import { expect, test } from 'vitest';
import { root } from '../docs/readme.ts';
import { COUNTED, MECHANISMS, placeOf, sorted } from './mechanisms.ts';

const lists = [
  { name: 'fruit', places: ['farm/', 'town/apple.ts'] },
  { name: 'grain', places: ['farm/rye.ts', 'farm/barn/'] },
];

test('if the paths of several lists contain a file, it belongs to the list with the longest path', () => {
  const files = ['farm/apple.ts', 'farm/rye.ts', 'farm/barn/oats.ts', 'town/apple.ts'];

  expect([...sorted(files, lists)]).toEqual([
    ['fruit', ['farm/apple.ts', 'town/apple.ts']],
    ['grain', ['farm/rye.ts', 'farm/barn/oats.ts']],
  ]);
});

test.each([
  ['a file that is in no list', ['town/pear.ts'], lists, 'in no list: town/pear.ts'],
  ['a path without a file', ['farm/a.ts'], lists, 'not there: town/apple.ts, farm/rye.ts'],
  ['a path that is in two lists', [], [...lists, { name: 'x', places: ['farm/'] }], 'in two lists'],
])('%s causes an error that contains the file or the path', (_what, files, given, message) => {
  expect(() => sorted(files, given)).toThrow(message);
});

test('every file about children, statuses, composites, decorators, revisions or related objects counts for a mechanism', () => {
  const files = globSync(['operator/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: root });
  const counted = files.filter((file) => placeOf(file, COUNTED.now) !== undefined);
  const named = MECHANISMS.map(({ name, now }) => ({ name, places: now }));

  const of = sorted(counted, named);

  expect([...of.values()].flat().sort()).toEqual(counted.sort());
});
