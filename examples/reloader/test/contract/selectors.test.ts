/** Selector flags: terms of label selectors, and the forms that only the original has. */
import { formatSelector, matchesSelector } from 'chancery';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { optionsOf } from '../../contract/options.ts';
import { selectorOfEntries } from '../../contract/selectors.ts';

const formOf = (...entries: string[]): string | undefined => {
  const selector = selectorOfEntries('namespace-selector', entries);
  return selector && formatSelector(selector);
};

describe('[reloader 18] a selector flag', () => {
  test.each<[string[], string]>([
    [['a=b'], 'a=b'],
    [['a==b'], 'a=b'],
    [['a:b'], 'a=b'],
    [['a:*'], 'a'],
    [['a=*'], 'a'],
    [['a==*'], 'a'],
    [['example.com/team:red'], 'example.com/team=red'],
    [['a'], 'a'],
    [['!a'], '!a'],
    [['a!=b'], 'a!=b'],
    [['a in (x, y)'], 'a in (x,y)'],
    [['a notin (x,y)', 'b:*'], 'a notin (x,y),b'],
    [['a>1'], 'a>1'],
    [['a=b', 'c:d', 'e=*'], 'a=b,c=d,e'],
    [['a:b,c:*,d in (x,y),e=f'], 'a=b,c,d in (x,y),e=f'],
    [[' a:b ', '', ' , '], 'a=b'],
    [['tier in (web', 'db)', 'a:b'], 'tier in (db,web),a=b'],
    [['k:*', 'tier notin (a', ' b', 'c)'], 'k,tier notin (a,b,c)'],
  ])('a selector flag with %j selects %s', (entries, expected) => {
    expect(formOf(...entries)).toBe(expected);
  });

  test('a selector flag without entries results in no selector', () => {
    expect(formOf()).toBeUndefined();
    expect(formOf('', ' ')).toBeUndefined();
  });

  test('a term with an empty value selects only the empty label value', () => {
    const selector = selectorOfEntries('namespace-selector', ['a:']) ?? [];

    expect(matchesSelector(selector, { a: '' })).toBe(true);
    expect(matchesSelector(selector, { a: 'b' })).toBe(false);
    expect(matchesSelector(selector, {})).toBe(false);
  });

  test.each([
    'a b',
    'a=b=c',
    'a:b:c',
    'a in (b',
    '=b',
    '*',
    'a=!',
    '-a:b',
    'a:b c',
  ])('a selector flag refuses %j, and the error contains the flag and the term', (term) => {
    expect(() => selectorOfEntries('namespace-selector', ['fine:yes', term])).toThrow(
      expect.objectContaining({
        name: 'ConfigurationError',
        message: `--namespace-selector must have terms such as key=value, key in (a,b), key or key:value, not ${JSON.stringify(term)}`,
      }),
    );
  });

  test('terms of a selector flag mean the same in one entry and in several entries', () => {
    const term = fc.constantFrom(
      'a:b',
      'c=*',
      'd',
      '!e',
      'f in (x,y)',
      'g notin (z)',
      'h!=i',
      'j=',
    );
    fc.assert(
      fc.property(fc.array(term, { minLength: 1 }), (terms) => {
        expect(formOf(terms.join(','))).toBe(formOf(...terms));
      }),
    );
  });
});

test('[reloader 18] the selector of resources is sent to the API server in the syntax of Kubernetes', () => {
  const values = { 'resource-label-selector': ['team:red', 'env=*'] };

  expect(optionsOf(values, {}).resourceSelector).toBe('team=red,env');
  expect(() => optionsOf({ 'resource-label-selector': ['a b'] }, {})).toThrow(
    '--resource-label-selector',
  );
});
