import { expect, test } from 'vitest';
import { testSources, textsOf, titlesIn, titlesOf } from './test-titles.ts';

test('titlesIn finds the titles of tests and groups, however they are written and quoted', () => {
  const source = `
    describe('one', () => {
      it("it isn't two", () => {});
      test.skipIf(isSlow)(\`three \${how} it is\`, { timeout: 1 }, () => {});
    });
    test.each<[string, number]>([[1]])('four %s', () => {});
    describe.each(CASES)('five $kind', () => {});
    test.for([1])(
      'six ' + 'and more',
      () => {},
    );
    test('seven\\u2019s');
  `;

  expect(titlesIn(source).toSorted()).toEqual([
    'five $kind',
    'four %s',
    "it isn't two",
    'one',
    'seven’s',
    'six and more',
    'three … it is',
  ]);
});

test('titlesIn includes the strings in a table of cases, even if the table is a constant', () => {
  const source = `
    const ONE = ['[Z-1] one', 1];
    const CASES: [string, number][] = [ONE, ['two', 2]];
    test.each(CASES.map(([name]) => [name]))('%s', () => {});
    test.each([{ name: 'three' }])('$name', () => {});
  `;

  expect(titlesIn(source).toSorted()).toEqual(['$name', '%s', '[Z-1] one', 'three', 'two']);
});

test('titlesIn ignores code that is not a test', () => {
  const source = `
    // test('in a comment', () => {});
    const text = "test('in a text', () => {});";
    expect(/a/.test('searched')).toBe(true);
    pattern.test('searched as well');
    report('[Z-1] made up');
  `;

  expect(titlesIn(source)).toEqual([]);
});

test('titlesOf reads a file by its path in the repository, and returns undefined for a missing file', () => {
  const file = 'test/docs/test-titles.test.ts';

  expect(testSources()).toContain(file);
  expect(testSources().filter((each) => each.includes('node_modules'))).toEqual([]);
  expect(titlesOf(file)).toContain('titlesIn ignores code that is not a test');
  expect(titlesOf(file)).not.toContain('searched');
  expect(textsOf(file)).toContain('vitest');
  expect(titlesOf('test/no-such.test.ts')).toBeUndefined();
});
