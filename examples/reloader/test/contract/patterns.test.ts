/** Named lists: anchors as the original sets them, RE2's syntax, and bounds. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  MAX_ENTRIES,
  MAX_ENTRY_CHARACTERS,
  type NamedList,
  namedList,
} from '../../contract/patterns.ts';

const matching = (list: NamedList, names: readonly string[]): string[] =>
  names.filter((name) => list.matches(name));

describe('[reloader 3] a list', () => {
  test.each<[string, string[], string[]]>([
    ['app', ['app'], ['app-1', 'my-app', 'ap']],
    ['app-.*', ['app-', 'app-x.y'], ['app', 'my-app-1']],
    ['a|b', ['a', 'abc', 'b', 'xb'], ['ba', 'xax', 'c']],
    ['(a|b)', ['a', 'b'], ['abc', 'xb']],
    ['a|x|b', ['a1', 'b', '1b', '1x1'], ['c', 'b1']],
    ['app.yaml', ['app.yaml', 'app-yaml'], ['app..yaml']],
    ['app\\.yaml', ['app.yaml'], ['app-yaml']],
    [' a , b\t,\nc ', ['a', 'b', 'c'], [' a ']],
    ['x{1,3}', ['x{1', '3}'], ['x', 'xx']],
    ['(?i)APP', ['app', 'APP'], ['apps']],
    ['\\d+', ['12'], ['a1', '1a']],
    ['app\\z', ['app'], ['app1']],
    ['', [], ['', 'a']],
    [' , ,', [], ['', 'a']],
    ['.*', ['', 'a', 'a.b'], []],
    ['*', ['', 'a'], []], // "^*$": any number of begins
  ])('the list %j matches exactly the expected names', (value, wanted, others) => {
    const list = namedList(value);

    expect(matching(list, [...wanted, ...others])).toEqual(wanted);
  });

  test.each([
    '[a-',
    '(?=a)b',
    '(a',
    'a**',
    '\\1',
    '(?<=a)b',
  ])('a list reports that RE2 does not accept %j, and its other entries match', (broken) => {
    const list = namedList(`one, ${broken} ,two-.*`);

    expect(matching(list, ['one', 'two-2', 'a', 'b', 'three'])).toEqual(['one', 'two-2']);
    expect(list.problems).toEqual([
      expect.stringContaining(`RE2 does not accept, ${JSON.stringify(broken)}: error parsing`),
    ]);
  });

  test('a list distinguishes its plain names from patterns', () => {
    const list = namedList('app, a.b ,app-.*,-x,x-,A,app, 0');

    expect(list.names).toEqual(['app', 'a.b', '0']);
  });

  test('a list matches a name of 253 characters, and not a longer name', () => {
    const longest = 'a'.repeat(253);

    expect(matching(namedList(longest), [longest, `${longest}a`])).toEqual([longest]);
    expect(matching(namedList('.{253}'), [longest, `${longest}a`])).toEqual([longest]);
    expect(matching(namedList('a+'), [longest])).toEqual([longest]);
  });

  test('a list of plain names matches only the names that it contains', () => {
    const name = fc.stringMatching(/^[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?$/);
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), name, (names, other) => {
        const list = namedList(names.join(' ,'));

        expect(names.every((each) => list.matches(each))).toBe(true);
        expect(list.matches(other)).toBe(names.includes(other));
        expect(list.problems).toEqual([]);
      }),
    );
  });
});

describe('limits of a list of patterns', () => {
  test('entries beyond the limit are reported as a problem, and the first entries still take effect', () => {
    const entries = Array.from({ length: MAX_ENTRIES + 2 }, (_, index) => `n${index}`);

    const list = namedList(entries.join(','));

    expect(matching(list, ['n0', `n${MAX_ENTRIES - 1}`, `n${MAX_ENTRIES}`])).toEqual([
      'n0',
      `n${MAX_ENTRIES - 1}`,
    ]);
    expect(list.problems).toEqual([
      `has ${MAX_ENTRIES + 2} entries: only the first ${MAX_ENTRIES} count`,
    ]);
  });

  test('a repeated entry of a list counts once', () => {
    expect(namedList('x,'.repeat(1_000)).problems).toEqual([]);
  });

  test('a pattern that is too long is reported as a problem, and the message quotes only its start', () => {
    const list = namedList(`${'(a)'.repeat(MAX_ENTRY_CHARACTERS)},b`);

    expect(matching(list, ['b'])).toEqual(['b']);
    expect(list.problems).toHaveLength(1);
    expect(list.problems[0]?.length).toBeLessThan(200);
  });

  test.each([
    'a{900}'.repeat(10),
    '(?:x{9}){9}'.repeat(10),
    `(${'(\\pL\\pN){10}'.repeat(9)}){10}`,
    '((a{9}){9}){9}',
    'a{1001}',
  ])('a pattern that repeats too often is not compiled: %s', (pattern) => {
    const list = namedList(`${pattern},b`);

    expect(matching(list, ['b'])).toEqual(['b']);
    expect(list.problems).toEqual([expect.stringContaining('repeats too often')]);
  });

  test.each([
    '[a-z0-9]{10}',
    '([a-z]+-){2}[0-9a-f]{8}',
    '.{253}',
    '(a{2}){3}',
    'x{0}',
  ])('an ordinary pattern is compiled: %s', (pattern) => {
    expect(namedList(pattern).problems).toEqual([]);
  });

  test('a full cache of lists is emptied, and the lists still match afterwards', () => {
    const first = namedList('first-.*');
    expect(namedList('first-.*')).toBe(first);

    for (let index = 0; index < 1_001; index++) namedList(`n${index}`);

    expect(namedList('first-.*')).not.toBe(first);
    expect(namedList('first-.*').matches('first-1')).toBe(true);
  });
});
