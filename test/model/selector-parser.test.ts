import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ConfigurationError } from '../../operator/core/errors.ts';
import {
  formatSelector,
  matchesSelector,
  parseSelector,
  type Requirement,
  type Selector,
} from '../../operator/model/selector.ts';

function equal(key: string, value: string): Requirement {
  return { key, operator: 'in', values: [value] };
}

describe('parseSelector', () => {
  // The cases of apimachinery's own table, but for the numeric comparisons.
  test.each<[text: string, selector: Selector]>([
    ['', []],
    ['  \t\r\n', []],
    ['x=a', [equal('x', 'a')]],
    ['x==a', [equal('x', 'a')]],
    ['x = a', [equal('x', 'a')]],
    ['x=a,y=b,z=c', [equal('x', 'a'), equal('y', 'b'), equal('z', 'c')]],
    ['x!=a,y=b', [{ key: 'x', operator: 'notin', values: ['a'] }, equal('y', 'b')]],
    ['x=', [equal('x', '')]],
    ['x= ', [equal('x', '')]],
    ['x==', [equal('x', '')]],
    ['x=,z= ', [equal('x', ''), equal('z', '')]],
    ['x!=', [{ key: 'x', operator: 'notin', values: [''] }]],
    ['x>1', [{ key: 'x', operator: 'above', values: ['1'] }]],
    ['x<9223372036854775807', [{ key: 'x', operator: 'below', values: ['9223372036854775807'] }]],
    ['x>0007', [{ key: 'x', operator: 'above', values: ['0007'] }]],
    [
      'x < 12,y',
      [
        { key: 'x', operator: 'below', values: ['12'] },
        { key: 'y', operator: 'exists', values: [] },
      ],
    ],
    ['!x', [{ key: 'x', operator: 'absent', values: [] }]],
    [
      '! x , y',
      [
        { key: 'x', operator: 'absent', values: [] },
        { key: 'y', operator: 'exists', values: [] },
      ],
    ],
    ['\rx', [{ key: 'x', operator: 'exists', values: [] }]],
    ['a.b-c.io/k_1.2', [{ key: 'a.b-c.io/k_1.2', operator: 'exists', values: [] }]],
    [
      '0.1.2.domain/99 notin (10.10.100.1, tick.tack.clock)',
      [{ key: '0.1.2.domain/99', operator: 'notin', values: ['10.10.100.1', 'tick.tack.clock'] }],
    ],
    ['foo  in\t (abc)', [equal('foo', 'abc')]],
    ['x notin\n (abc,def)', [{ key: 'x', operator: 'notin', values: ['abc', 'def'] }]],
    ['x in (abc,)', [{ key: 'x', operator: 'in', values: ['abc', ''] }]],
    ['x in ()', [equal('x', '')]],
    ['x in(a)', [equal('x', 'a')]],
    [
      'x notin (abc,,def),bar,w in ()',
      [
        { key: 'x', operator: 'notin', values: ['abc', '', 'def'] },
        { key: 'bar', operator: 'exists', values: [] },
        equal('w', ''),
      ],
    ],
    [
      'a in (x,y,notin,z,in)',
      [{ key: 'a', operator: 'in', values: ['x', 'y', 'notin', 'z', 'in'] }],
    ],
    ['in in (in)', [equal('in', 'in')]],
    ['notin=in', [equal('notin', 'in')]],
  ])('parseSelector reads %j', (text, selector) => {
    expect(parseSelector(text)).toEqual(selector);
  });

  test.each([
    ['a b c==', 'found "b", expected an operator'], // the server: found 'b', expected: in, notin, …
    ['x=a||y=b', '"a||y" is not a label value'],
    ['x==a==b', 'found "==", expected a comma'],
    ['x=a=b', 'found "=", expected a comma'],
    ['!x=a', 'found "=", expected a comma'],
    ['!', 'found the end, expected more'],
    ['!!x', 'found "!", expected a label key'],
    ['=a', 'found "=", expected a label key'],
    ['x,', 'found the end, expected more'],
    ['x,,y', 'found ",", expected a label key'],
    [',x', 'found ",", expected a label key'],
    ['x nott in (y)', 'found "nott", expected an operator'],
    ['x in y', 'expected "(" before the values'],
    ['x in (y', 'found the end, expected more'],
    ['x in (', 'found the end, expected more'],
    ['x in', 'found the end, expected more'],
    ['x in (a b)', 'found "b", expected "," or ")"'],
    ['a in (xyz)b', 'found "b", expected a comma'],
    ['a (', 'found "(", expected an operator'],
    ['(', 'found "(", expected a label key'],
    ['x=(', 'found "(", expected a label value'],
    ['x in (a!b)', 'found "!", expected "," or ")"'],
    ['x>a', '"a" is not a whole number of 64 bits to compare with'],
    ['x<', '"" is not a whole number of 64 bits to compare with'],
    ['x>9223372036854775808', '"9223372036854775808" is not a whole number of 64 bits'],
    ['x<18446744073709551616', '"18446744073709551616" is not a whole number of 64 bits'],
    [`x<${'9'.repeat(63)}`, 'is not a whole number of 64 bits'],
    ['x>0x10', '"0x10" is not a whole number of 64 bits'],
    ['x>1_000', '"1_000" is not a whole number of 64 bits'],
    ['x>-5', '"-5" is not a label value'],
    ['-x', '"-x" is not a label key'],
    ['x=-a', '"-a" is not a label value'],
    ['UPPER.io/x', '"UPPER.io/x" is not a label key'],
    ['a/b/c', '"a/b/c" is not a label key'],
    [`x=${'a'.repeat(64)}`, 'is not a label value'],
    ['x\u00a0=a', 'is not a label key'],
    ['x\v=a', 'is not a label key'],
  ])('parseSelector refuses %j', (text, problem) => {
    const attempt = (): unknown => parseSelector(text);

    expect(attempt).toThrow(ConfigurationError);
    expect(attempt).toThrow(problem);
  });

  test('a parsed selector selects the same objects that the server selected in a recording', () => {
    const lists = recordedLists();
    const all = lists.find(({ limit }) => limit === undefined)?.items ?? [];
    const checked: string[] = [];

    for (const { selector, items, limit } of lists) {
      const expected = namesOf(items).filter((name) => name.startsWith('page-'));
      if (expected.length === 0) continue; // its first page holds only objects of other scenarios
      const requirements = parseSelector(selector);
      const selected = all.filter(({ metadata }) => matchesSelector(requirements, metadata.labels));
      expect(namesOf(selected).slice(0, limit)).toEqual(expected);
      checked.push(selector);
    }

    expect(all).toHaveLength(25);
    expect(checked).toEqual([
      'set=paging',
      'parity=odd',
      'parity in (odd,even)',
      'parity',
      'set=paging,parity=even',
      'set=paging',
    ]);
  });

  test('parseSelector fails only with a ConfigurationError', () => {
    const piece = fc.constantFrom(
      'a',
      'b/c',
      'in',
      'notin',
      '=',
      '==',
      '!',
      '!=',
      '(',
      ')',
      ',',
      ' ',
    );
    const text = fc.oneof(
      fc.string(),
      fc.array(piece).map((pieces) => pieces.join('')),
    );
    fc.assert(
      fc.property(text, (selector) => {
        try {
          parseSelector(selector);
        } catch (error) {
          expect(error).toBeInstanceOf(ConfigurationError);
        }
      }),
    );
  });
});

describe('formatSelector', () => {
  const word = fc.constantFrom('a', 'b', 'in', 'notin', 'x.y', 'A-1_2', '0');
  const key = fc.oneof(
    word,
    word.map((name) => `example.io/${name}`),
  );
  const value = fc.oneof(word, fc.constant(''));
  const requirement: fc.Arbitrary<Requirement> = fc.oneof(
    fc.record({
      key,
      operator: fc.constantFrom('in' as const, 'notin' as const),
      values: fc.array(value, { minLength: 1, maxLength: 4 }),
    }),
    fc.record({
      key,
      operator: fc.constantFrom('exists' as const, 'absent' as const),
      values: fc.constant([]),
    }),
    fc.record({
      key,
      operator: fc.constantFrom('above' as const, 'below' as const),
      values: fc.nat().map((number) => [String(number)]),
    }),
  );
  const number = fc.nat().map(String);
  const labels = fc.dictionary(key, fc.oneof(value, number), { maxKeys: 6 });

  test('a formatted selector selects the same labels when parsed again', () => {
    fc.assert(
      fc.property(
        fc.array(requirement, { maxLength: 4 }),
        fc.array(labels, { minLength: 1, maxLength: 20 }),
        (selector, labelSets) => {
          const again = parseSelector(formatSelector(selector));

          for (const set of labelSets) {
            expect(matchesSelector(again, set)).toBe(matchesSelector(selector, set));
          }
        },
      ),
    );
  });
});

interface RecordedList {
  readonly selector: string;
  readonly limit: number | undefined;
  readonly items: readonly {
    readonly metadata: { readonly name: string; readonly labels?: Record<string, string> };
  }[];
}

function namesOf(items: RecordedList['items']): string[] {
  return items.map(({ metadata }) => metadata.name);
}

/** Collections selected by label, from a real API server: whole ones and first pages. */
function recordedLists(): RecordedList[] {
  const file = new URL('../recordings/list-paging.jsonl', import.meta.url);
  const lists: RecordedList[] = [];
  for (const line of readFileSync(file, 'utf8').trim().split('\n')) {
    const { request, response } = JSON.parse(line);
    const query = new URL(request.path, 'http://recorded').searchParams;
    const selector = query.get('labelSelector');
    if (selector === null || query.has('continue') || response.status !== 200) continue;
    const limit = query.has('limit') ? Number(query.get('limit')) : undefined;
    const body = typeof response.body === 'string' ? JSON.parse(response.body) : response.body;
    lists.push({ selector, limit, items: body.items });
  }
  return lists;
}
