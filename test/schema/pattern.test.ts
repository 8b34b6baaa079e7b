import { expect, test } from 'vitest';
import { patternMatcher } from '../../operator/schema/pattern/pattern.ts';
import { Work } from '../../operator/schema/work.ts';
import { regularExpression } from '../../testing/src/apiserver/schema/regular-expression.ts';

const TEXTS = [
  '',
  'a',
  'B',
  'aa',
  'ab.c',
  'a-b_c',
  'a b',
  'a\u00a0b',
  'a\vb',
  'a\nb',
  'a\rb',
  '7',
  '{}',
  ']',
  'É',
  'λ',
  '𝒳',
  '[:x',
  'a/b',
  '\x07',
];

test.each([
  '^a',
  '^[a-z]([-a-z0-9]*[a-z0-9])?$',
  'a.b',
  '^.$',
  '\\s',
  '[\\s7]',
  '^\\S+$',
  '\\bb',
  '\\Aa\\z',
  '(?i)^B$',
  '(?P<first>a)b',
  '(?:a|b){1,2}$',
  'a\\-b\\_c',
  '[\\-\\.\\]]',
  '\\{\\}',
  '{}',
  ']',
  '[[:alpha:]][[:space:]]',
  '^[[:upper:]]$',
  '\\pL',
  '\\p{Greek}',
  '^\\P{Lu}$',
  '\\x{1d4b3}',
  '\\x61',
  '\\a',
  'a\\/b',
  '[/]',
  '^\\d+$',
])('%s matches the same texts as on the API server', (pattern) => {
  const ours = patternMatcher(pattern);
  const theirs = regularExpression(pattern);

  const matched = TEXTS.filter((text) => ours.test(text, new Work(10_000)));

  expect(matched).toEqual(TEXTS.filter((text) => theirs.test(text)));
});

test.each([
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '\\k<x>',
  'a{1001}',
  '[]a]',
  '\\u0061',
  '\\cA',
  '\\Q.\\E',
  '(',
  'a**',
  '[b-a]',
  '\\',
  '[\\S]',
  '(?s)a',
])('%s is not in the common syntax', (pattern) => {
  expect(() => patternMatcher(pattern)).toThrow(SyntaxError);
});
