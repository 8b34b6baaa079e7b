/** Patterns are read and matched as an independent port of RE2 does it. */
import fc from 'fast-check';
import { RE2JS } from 're2js';
import { expect, test } from 'vitest';
import { patternMatcher } from '../../operator/schema/pattern/pattern.ts';
import { PatternCostError } from '../../operator/schema/pattern/tree.ts';
import { TooMuchWork, Work } from '../../operator/schema/work.ts';
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
  '(?i)^b$|λ',
  '(?i)[^a-z]',
  '(?i:B)a?',
  '(?i)\\w[\\W_]',
  '(?s)a.b',
  '(?m)^b$',
  '(?ms-i:^.a)',
  '(?U)a+b?',
  '[\\S]b',
  '[^\\D7]',
  '[]a]',
  '[^]a]$',
  '[a-]',
  '[[:^alpha:]b]',
  '\\p{^Lu}',
  '(?i)\\p{Lu}',
  '\\Qa-b\\E_',
  '\\Q.\\E',
  '\\062|\\07',
  'a{,2}',
  'a{01}',
  '(|a)*b',
])('the pattern %s matches the same strings as on the API server', (pattern) => {
  const ours = patternMatcher(pattern);
  const theirs = RE2JS.compile(pattern);

  const matched = TEXTS.filter((text) => ours.test(text, new Work(10_000)));

  expect(matched).toEqual(TEXTS.filter((text) => theirs.matcher(text).find()));
});

/** The words with which a pattern is refused; undefined for one that is none of the two accepts. */
function refusal(compile: () => unknown): string | undefined {
  try {
    compile();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

test.each([
  '(?=a)',
  '(?<!a)b',
  '(a)\\1',
  '\\k<x>',
  'a{1001}',
  'a{2,1}',
  '(?:a{100}){11}',
  'a{1}{2}',
  '\\u0061',
  '\\cA',
  '\\C',
  '\\x{110000}',
  '\\x4',
  '\\é',
  '(',
  'a)',
  '(?:a',
  'a**',
  'a+?*',
  '*a',
  'a|+',
  '(?i)*',
  '[b-a]',
  '[a-\\d]',
  '[a',
  '[]',
  '[[:foo:]]',
  '[[:constructor:]]',
  '[[:toString:]]',
  '[[:__proto__:]]',
  '(?z)',
  '(?i-)',
  '(?i',
  '(?P<n',
  '(?P<a b>c)',
  '(?#a)',
  '\\pX',
  '\\p{Foo}',
  '\\p{Grek}',
  '\\p{L',
  '\\p',
])('the pattern %s is refused with the same message as in Go', (pattern) => {
  const ours = refusal(() => patternMatcher(pattern));

  expect(ours).toMatch(/^error parsing regexp: /);
  expect(ours).toBe(refusal(() => RE2JS.compile(pattern)));
  expect(() => patternMatcher(pattern)).toThrow(SyntaxError);
});

test('a pattern with a backslash at its end is refused', () => {
  expect(refusal(() => patternMatcher('a\\'))).toBe(
    'error parsing regexp: trailing backslash at end of expression: ``',
  );
});

test.each([
  ['nested too deeply', `${'('.repeat(1_500)}a${')'.repeat(1_500)}`, 'expression nests too deeply'],
  ['too large', '(?:(?:abcdefghij){10}){100}'.repeat(400), 'expression too large'],
])('a pattern that is %s is refused', (_, pattern, words) => {
  expect(refusal(() => patternMatcher(pattern))).toContain(words);
});

/** Parts of patterns, also of broken ones. */
const PIECES = [
  ...[
    'a',
    'b-c',
    '(',
    ')',
    '(?:',
    '(?i)',
    '(?s-i:',
    '(?P<n>',
    '|',
    '*',
    '+?',
    '?',
    '{2}',
    '{3,1}',
    '{,',
  ],
  ...[
    '[',
    ']',
    '[^',
    '-',
    '\\d',
    '\\W',
    '\\pL',
    '\\p{Lu}',
    '[:alpha:]',
    '\\',
    'Q',
    '\\E',
    '^',
    '$',
    '\\b',
    '.',
  ],
];

test('any string is accepted or refused as a pattern in the same way as in Go', () => {
  const anyText = fc
    .array(fc.constantFrom(...PIECES), { maxLength: 8 })
    .map((pieces) => pieces.join(''));
  fc.assert(
    fc.property(anyText, (pattern) => {
      // Go has no rule about equal names, and shows an empty part.
      fc.pre(pattern.split('(?P<n>').length < 3);
      const theirs = refusal(() => RE2JS.compile(pattern));

      expect(refusal(() => patternMatcher(pattern))?.replace(/: ``$/, '')).toBe(theirs);
    }),
    propertyRuns(5),
  );
});

test('[found 5] a pattern with nested repetitions is matched in a linear number of steps', () => {
  const pattern = patternMatcher('^(?:([b-d]+)*x?)+!$');

  expect(pattern.test(`${'c'.repeat(5_000)}`, new Work(300_000))).toBe(false);
  expect(pattern.test(`${'c'.repeat(5_000)}!`, new Work(300_000))).toBe(true);
  expect(() => pattern.test('c'.repeat(5_000), new Work(1_000))).toThrow(TooMuchWork);
});

test.each([
  ['more states than the limit', '(?:abcdefghij){1000}'.repeat(11)],
  ['more parts than the limit', '(?:(?:)(?:)(?:)(?:)(?:)(?:)(?:)(?:)){1000}'.repeat(80)],
])('[found 5] a pattern that has %s is refused when a string is compared with it', (_, pattern) => {
  expect(() => patternMatcher(pattern).test('a', new Work(10_000_000))).toThrow(PatternCostError);
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

test('[found 5] any pattern matches the same strings as on the API server', () => {
  const text = fc.string({
    unit: fc.constantFrom('a', 'b', '7', ' ', 'é', '𝒳', '\n'),
    maxLength: 8,
  });
  fc.assert(
    fc.property(part, text, (pattern, value) => {
      const matches = patternMatcher(pattern).test(value, new Work(1_000_000));

      expect(matches).toBe(RE2JS.compile(pattern).matcher(value).find());
    }),
    propertyRuns(),
  );
});

/** Go's FindAllString, which is no public method of the other one. */
function goMatches(pattern: string): (text: string, limit: number) => readonly string[] | null {
  const compiled = RE2JS.compile(pattern) as unknown as {
    re2(): { findAll(text: string, limit: number): readonly string[] | null };
  };
  return (text, limit) => compiled.re2().findAll(text, limit);
}

test('findAll of any pattern finds the same matches as Go, from left to right', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '𝒳'), maxLength: 8 });
  fc.assert(
    fc.property(part, text, fc.integer({ min: 0, max: 4 }), (pattern, value, limit) => {
      const found = patternMatcher(pattern).findAll(value, limit, new Work(1_000_000));

      const theirs = goMatches(pattern)(value, limit) ?? [];
      expect(found).toEqual(theirs);
    }),
    propertyRuns(),
  );
});
