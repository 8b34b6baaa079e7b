import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  contradictedKey,
  formatSelector,
  isLabelKey,
  isLabelValue,
  matchesSelector,
  parseSelector,
  selectorFromObject,
} from '../../operator/model/selector.ts';

describe('matchesSelector', () => {
  const isA = { key: 'x', operator: 'in', values: ['a'] } as const;
  const above9 = { key: 'x', operator: 'above', values: ['9'] } as const;

  test.each([
    ['no requirement selects everything', [], undefined, true],
    ['in needs the label', [isA], {}, false],
    ['in needs one of the values', [isA], { x: 'b' }, false],
    ['in holds', [isA], { x: 'a', y: 'z' }, true],
    ['notin holds without the label', [{ ...isA, operator: 'notin' }], undefined, true],
    ['notin holds for another value', [{ ...isA, operator: 'notin' }], { x: 'b' }, true],
    ['notin fails for the value', [{ ...isA, operator: 'notin' }], { x: 'a' }, false],
    ['exists holds for an empty value', [{ ...isA, operator: 'exists' }], { x: '' }, true],
    ['exists needs the label', [{ ...isA, operator: 'exists' }], { y: '' }, false],
    ['absent fails for an empty value', [{ ...isA, operator: 'absent' }], { x: '' }, false],
    ['absent holds without labels', [{ ...isA, operator: 'absent' }], undefined, true],
    ['all of several requirements must hold', [isA, { ...isA, key: 'y' }], { x: 'a' }, false],
    ['above compares numbers, not strings', [above9], { x: '10' }, true],
    ['above excludes its bound', [above9], { x: '9' }, false],
    ['above needs a number', [above9], { x: 'many' }, false],
    ['above needs the label', [above9], {}, false],
    ['below compares numbers', [{ ...above9, operator: 'below' }], { x: '-10' }, true],
    ['below excludes its bound', [{ ...above9, operator: 'below' }], { x: '9' }, false],
    ['above holds for the largest 64-bit integer', [above9], { x: '9223372036854775807' }, true],
    ['above fails for a larger integer', [above9], { x: '9223372036854775808' }, false],
    ['above fails for 63 digits', [above9], { x: '9'.repeat(63) }, false],
    ['above takes leading zeros', [above9], { x: '0010' }, true],
    ['above takes a sign', [above9], { x: '+10' }, true],
    ['above fails for a fraction', [above9], { x: '10.5' }, false],
    [
      'below holds for the smallest 64-bit integer',
      [{ ...above9, operator: 'below' }],
      { x: '-9223372036854775808' },
      true,
    ],
    [
      'below fails for a smaller integer',
      [{ ...above9, operator: 'below' }],
      { x: '-9223372036854775809' },
      false,
    ],
    [
      'neighbours of 2^53 are told apart',
      [{ key: 'x', operator: 'above', values: ['9007199254740992'] }],
      { x: '9007199254740993' },
      true,
    ],
    [
      'a bound of more than 64 bits holds for nothing',
      [{ key: 'x', operator: 'below', values: ['9223372036854775808'] }],
      { x: '1' },
      false,
    ],
    [
      'a property that every JavaScript object inherits is not a label',
      [{ key: 'constructor', operator: 'exists', values: [] }],
      {},
      false,
    ],
  ] as const)('matchesSelector: %s', (_what, selector, labels, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected);
  });
});

describe('formatSelector', () => {
  test('formatSelector writes selectors in the usual notation', () => {
    const text = formatSelector([
      { key: 'a', operator: 'in', values: ['1'] },
      { key: 'b', operator: 'notin', values: ['1'] },
      { key: 'c', operator: 'in', values: ['2', '1'] },
      { key: 'd', operator: 'notin', values: ['', '1'] },
      { key: 'e', operator: 'in', values: [''] },
      { key: 'f', operator: 'exists', values: [] },
      { key: 'g', operator: 'absent', values: [] },
    ]);

    expect(text).toBe('a=1,b!=1,c in (1,2),d notin (,1),e in (),f,!g');
  });
});

describe('selectorFromObject', () => {
  test('selectorFromObject joins labels and expressions', () => {
    const selector = selectorFromObject({
      matchLabels: { app: 'web' },
      matchExpressions: [
        { key: 'tier', operator: 'In', values: ['a', 'b'] },
        { key: 'env', operator: 'NotIn', values: ['dev'] },
        { key: 'x', operator: 'Exists' },
        { key: 'y', operator: 'DoesNotExist', values: [] },
      ],
    });

    expect(formatSelector(selector)).toBe('app=web,tier in (a,b),env!=dev,x,!y');
  });

  test('an empty selector object selects everything', () => {
    expect(selectorFromObject({})).toEqual([]);
  });

  test.each([
    ['an unknown operator', { key: 'x', operator: 'Gt', values: ['1'] }, 'unknown operator "Gt"'],
    ['an inherited name', { key: 'x', operator: 'constructor' }, 'unknown operator "constructor"'],
    ['the operator In without values', { key: 'x', operator: 'In' }, 'operator In needs values'],
    [
      'the operator Exists with values',
      { key: 'x', operator: 'Exists', values: ['a'] },
      'Exists takes no values',
    ],
    ['a bad key', { key: 'x y', operator: 'Exists' }, '"x y" is not a label key'],
    ['a bad value', { key: 'x', operator: 'In', values: ['a b'] }, '"a b" is not a label value'],
  ])('selectorFromObject refuses %s', (_what, expression, problem) => {
    const attempt = (): unknown => selectorFromObject({ matchExpressions: [expression] });

    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });
});

describe('the grammar of labels', () => {
  const long = (count: number): string => 'a'.repeat(count);

  test.each([
    ['a', true],
    ['A.b_c-9', true],
    [long(63), true],
    [long(64), false],
    ['', false],
    ['-a', false],
    ['a-', false],
    ['a\n', false],
    ['ä', false],
    ['example.io/a', true],
    [`${`${long(63)}.`.repeat(3)}${long(61)}/a`, true],
    [`${`${long(63)}.`.repeat(3)}${long(62)}/a`, false],
    ['/a', false],
    ['a/', false],
    ['Example.io/a', false],
    ['a..b/c', false],
    ['a/b/c', false],
  ])('%j is a valid label key: %s', (text, expected) => {
    expect(isLabelKey(text)).toBe(expected);
  });

  test.each([
    ['', true],
    [long(63), true],
    [long(64), false],
    ['a.b', true],
    ['.a', false],
    ['a b', false],
    ['a/b', false],
    ['a\n', false],
  ])('%j is a valid label value: %s', (text, expected) => {
    expect(isLabelValue(text)).toBe(expected);
  });
});

describe('[found 2] a selector with very many requirements', () => {
  const values = Array.from({ length: 100_000 }, (_, at) => `v${at}`);

  test.each([
    ['in holds', [{ key: 'x', operator: 'in', values }], { x: 'v99999' }, true],
    ['in needs one of the values', [{ key: 'x', operator: 'in', values }], { x: 'w' }, false],
    ['in needs the label', [{ key: 'x', operator: 'in', values }], undefined, false],
    ['notin fails for a value', [{ key: 'x', operator: 'notin', values }], { x: 'v7' }, false],
    ['notin holds without the label', [{ key: 'x', operator: 'notin', values }], { y: '' }, true],
  ] as const)('a selector with very many values is matched correctly: %s', (_, selector, labels, expected) => {
    expect(matchesSelector(selector, labels)).toBe(expected);
  });

  test('a selector with very many requirements matches if each single requirement does', () => {
    const key = fc.constantFrom('a', 'b', 'c');
    const value = fc.constantFrom('', '1', '5', '9', '-3', 'x', '9223372036854775808');
    const requirement = fc.oneof(
      fc.record({
        key,
        operator: fc.constantFrom('in' as const, 'notin' as const),
        values: fc.array(value, { minLength: 1, maxLength: 5 }),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('exists' as const, 'absent' as const),
        values: fc.constant([]),
      }),
      fc.record({
        key,
        operator: fc.constantFrom('above' as const, 'below' as const),
        values: fc.tuple(value),
      }),
    );
    const few = fc.array(requirement, { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(few, fc.dictionary(key, value), (selector, labels) => {
        const many = Array.from({ length: 40 }, () => selector).flat();

        expect(matchesSelector(many, labels)).toBe(matchesSelector(selector, labels));
      }),
    );
  });

  test('a selector with very many values is matched without comparing each value with each object', () => {
    let reads = 0;
    const counted = new Proxy(values, {
      get(target, property) {
        reads++;
        return Reflect.get(target, property) as unknown;
      },
    });
    const absent = values.map((key) => ({ key, operator: 'absent' as const, values: [] }));
    const selector = [{ key: 'x', operator: 'in' as const, values: counted }, ...absent];
    expect(matchesSelector(selector, { x: 'v1' })).toBe(true);
    reads = 0;

    for (let at = 0; at < 100; at++) expect(matchesSelector(selector, { x: 'w' })).toBe(false);

    expect(reads).toBeLessThan(1_000);
  });

  test.each([
    () => parseSelector(`a in (${values.join(',')}`),
    () => parseSelector(`a=${'v'.repeat(100_000)}`),
    () => selectorFromObject({ matchLabels: { ['k'.repeat(100_000)]: 'v' } }),
    () => selectorFromObject({ matchExpressions: [{ key: 'a', operator: 'o'.repeat(100_000) }] }),
  ])('the error about a very long invalid selector quotes only the beginning of the selector', (parse) => {
    expect(parse).toThrow(/^.{20,1000}$/);
  });
});

describe('contradictedKey', () => {
  const expression = fc.oneof(
    fc.record({
      key: fc.constantFrom('x', 'y'),
      operator: fc.constantFrom('In', 'NotIn'),
      values: fc.uniqueArray(fc.constantFrom('a', 'b', 'c'), { minLength: 1 }),
    }),
    fc.record({
      key: fc.constantFrom('x', 'y'),
      operator: fc.constantFrom('Exists', 'DoesNotExist'),
    }),
  );
  const selectors = fc.record({
    matchLabels: fc.dictionary(fc.constantFrom('x', 'y'), fc.constantFrom('a', 'b'), {
      noNullPrototype: true,
    }),
    matchExpressions: fc.array(expression, { maxLength: 5 }),
  });
  // `other` stands for all values that no requirement names.
  const values = [undefined, 'a', 'b', 'c', 'other'];
  const every = values.flatMap((x) =>
    values.map((y) => ({ ...(x && { x }), ...(y && { y }) }) as Record<string, string>),
  );

  test('contradictedKey returns a key if, and only if, no labels can satisfy the selector', () => {
    fc.assert(
      fc.property(selectors, (selector) => {
        const isMet = every.some((labels) => matchesSelector(selectorFromObject(selector), labels));

        expect(contradictedKey(selector) === undefined).toBe(isMet);
      }),
    );
  });
});
