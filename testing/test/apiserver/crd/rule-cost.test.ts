import type { StructuralSchema } from 'chancery/internal';
import { expect, test } from 'vitest';
import { SCHEMA_AT, said } from './definitions.ts';

const TEXT: StructuralSchema = { type: 'string' };
const ADVICE =
  '(try simplifying the rule, or adding maxItems, maxProperties, and maxLength where arrays, maps, and strings are declared)';

function withRules(properties: object, ...rules: readonly string[]): object {
  const validations = rules.map((rule) => ({ rule }));
  const spec = { type: 'object', properties, 'x-kubernetes-validations': validations };
  return { type: 'object', properties: { spec } };
}

function costsOf(schema: object): readonly string[] {
  return said({ schema }).map((text) =>
    text.replace(`${SCHEMA_AT}.`, '').replace(` ${ADVICE}`, ''),
  );
}

function list(items: object, maxItems?: number): object {
  return { type: 'array', items, ...(maxItems === undefined ? {} : { maxItems }) };
}

const BUDGET = 'estimated rule cost exceeds budget by factor of';

test.each([
  ['it compares a number', { n: { type: 'integer' } }, 'self.n > 3'],
  ['it compares a string of any length', { name: TEXT }, "self.name != 'x'"],
  ['it reads a string of any length once', { name: TEXT }, "self.name.startsWith('ab')"],
  ['it walks a list of any length once', { l: list({ type: 'integer' }) }, 'self.l.all(i, i > 0)'],
  [
    'it walks two short lists, one inside the other',
    { l: list(TEXT, 50) },
    'self.l.all(a, self.l.all(b, a.size() < 9))',
  ],
  [
    'it searches a string with an enum',
    { w: { type: 'string', enum: ['a', 'b'] } },
    "self.w.contains('a')",
  ],
])('a rule stays within the cost budget when %s', (_, properties, rule) => {
  expect(costsOf(withRules(properties, rule))).toEqual([]);
});

test.each([
  [
    'two lists of any length, one inside the other',
    { l: list(TEXT) },
    'self.l.all(a, self.l.exists(b, a == b))',
    'more than 100x',
  ],
  [
    'a string of any length for another string',
    { a: TEXT, b: TEXT },
    'self.a.contains(self.b)',
    'more than 100x',
  ],
  // 1,700 times 1,700 looks, each of which costs 6: 3 for the loop, 3 for two variables and a sum.
  [
    'nested lists with too high a bound',
    { l: list({ type: 'integer' }, 1_700) },
    'self.l.all(a, self.l.all(b, a != b + 1))',
    '1.7x',
  ],
])('a rule exceeds the cost budget when it walks %s', (_, properties, rule, factor) => {
  const [first] = costsOf(withRules(properties, rule));

  expect(first).toBe(
    `properties[spec].x-kubernetes-validations[0].rule: Forbidden: ${BUDGET} ${factor}`,
  );
});

test('the cost of a rule inside a list is multiplied by the length of the list', () => {
  const item = (maxLength?: number): object => ({
    type: 'object',
    properties: { name: maxLength === undefined ? TEXT : { ...TEXT, maxLength } },
    'x-kubernetes-validations': [{ rule: "self.name.matches('^[a-z]+$')" }],
  });
  const of = (items: object, maxItems?: number): readonly string[] =>
    costsOf({ type: 'object', properties: { l: list(items, maxItems) } });

  expect(of(item(63), 100)).toEqual([]);
  expect(of(item(63))).toEqual([
    expect.stringContaining(`l].items.x-kubernetes-validations[0].rule: Forbidden: ${BUDGET}`),
  ]);
  expect(of(item(), 100)).toHaveLength(1);
});

test('all rules of a schema share a total budget, and the error reports the most expensive rules', () => {
  const bounded = list(TEXT, 900);
  const rule = 'self.l.all(a, self.l.all(b, a.size() <= b.size()))';
  const spec = withRules({ l: bounded }, ...Array.from({ length: 20 }, () => rule));

  const problems = costsOf(spec);

  const part =
    'contributed to estimated rule cost total exceeding cost limit for entire OpenAPIv3 schema';
  expect(problems.filter((text) => text.endsWith(`.rule: Forbidden: ${part}`))).toHaveLength(4);
  expect(problems.at(-1)).toMatch(
    /openAPIV3Schema: Forbidden: x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema exceeds budget by factor of [\d.]+x$/,
  );
});

test('a messageExpression has a cost budget', () => {
  const spec = {
    type: 'object',
    properties: { a: TEXT, b: TEXT },
    'x-kubernetes-validations': [
      { rule: 'true', messageExpression: "self.a.contains(self.b) ? 'yes' : 'no'" },
    ],
  };

  const [first] = costsOf({ type: 'object', properties: { spec } });

  expect(first).toBe(
    'properties[spec].x-kubernetes-validations[0].messageExpression: Forbidden: estimated messageExpression cost exceeds budget by factor of more than 100x',
  );
});

test('an existing schema may keep a rule that is too expensive', () => {
  const schema = withRules({ a: TEXT, b: TEXT }, 'self.a.contains(self.b)');
  const other = { schema, names: { shortNames: ['f'] } };

  const problems = said(other, { schema });

  expect(problems.filter((text) => text.includes('estimated rule cost exceeds'))).toEqual([]);
});
