import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patternMatcher } from '../../operator/schema/pattern/pattern.ts';
import { PatternCostError } from '../../operator/schema/pattern/tree.ts';
import { TooMuchWork, Work } from '../../operator/schema/work.ts';
import { regularExpression } from '../../testing/src/apiserver/schema/regular-expression.ts';
import { propertyRuns } from '../support/property-runs.ts';

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

test('[found 5] a pattern of nested repetitions takes steps by its length and that of the text', () => {
  const pattern = patternMatcher('^(?:([b-d]+)*x?)+!$');

  expect(pattern.test(`${'c'.repeat(5_000)}`, new Work(300_000))).toBe(false);
  expect(pattern.test(`${'c'.repeat(5_000)}!`, new Work(300_000))).toBe(true);
  expect(() => pattern.test('c'.repeat(5_000), new Work(1_000))).toThrow(TooMuchWork);
});

test.each([
  ['more states than are kept', '(?:[a-z]{900}){900}'],
  ['parts without characters', '(?:(?:(?:){1000}){1000}){1000}'],
  ['groups in groups', `${'('.repeat(300)}a${')'.repeat(300)}`],
])('[found 5] a pattern with %s is not compared', (_, pattern) => {
  expect(() => patternMatcher(pattern).test('a', new Work(1_000_000))).toThrow(PatternCostError);
});

/** Patterns of RE2's syntax, made of its parts. */
const part = fc.letrec<{ part: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', '\\b', '\\B', '^', '$', '(?:)'),
    fc.tuple(tie('part'), tie('part')).map((parts) => parts.join('')),
    fc.tuple(tie('part'), tie('part')).map(([one, other]) => `(${one}|${other})`),
    fc
      .tuple(
        tie('part'),
        fc.constantFrom('*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?'),
      )
      .map(([inner, times]) => `(?:${inner})${times}`),
  ),
})).part;

test('[found 5] any pattern matches the same texts as on the API server', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '7', ' ', 'é', '𝒳', '\n'),
    maxLength: 8,
  });
  fc.assert(
    fc.property(part, text, (pattern, value) => {
      const matches = patternMatcher(pattern).test(value, new Work(1_000_000));

      expect(matches).toBe(regularExpression(pattern).test(value));
    }),
    propertyRuns(),
  );
});

test.each([
  '[[:constructor:]]',
  '[[:toString:]]',
  '[[:__proto__:]]',
])('[found 5] %s names no class of characters', (pattern) => {
  expect(() => patternMatcher(pattern)).toThrow(SyntaxError);
});
