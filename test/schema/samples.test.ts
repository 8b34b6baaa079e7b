/** Sample objects for schemas: what people are shown of a kind, and what is said where no sample is found. */
import { expect, test } from 'vitest';
import type { StructuralSchema } from '../../operator/model/structural-schema.ts';
import { type Sample, sampleObject } from '../../operator/schema/samples/sample-object.ts';

/** The sample of a kind whose spec has the schema. */
function sampleWith(spec: StructuralSchema, more: StructuralSchema = {}): Sample {
  const names = { apiVersion: 'toys.example/v1', kind: 'Kite', name: 'kite-sample' };
  return sampleObject(names, { type: 'object', ...more, properties: { spec, ...more.properties } });
}

function listOf(items: StructuralSchema, minItems: number): StructuralSchema {
  return { type: 'array', 'x-kubernetes-list-type': 'set', minItems, items };
}

const NEVER = { type: 'string', pattern: '^\\d{3}$', maxLength: 2 };

test.each<[string, StructuralSchema, unknown]>([
  [
    'required fields and fields with a default, and no others',
    {
      type: 'object',
      required: ['color'],
      properties: {
        tail: { type: 'integer', default: 3 },
        color: { type: 'string' },
        note: { type: 'string' },
      },
    },
    { tail: 3, color: 'sample' },
  ],
  [
    'the minimum numbers of fields and keys',
    { type: 'object', minProperties: 2, additionalProperties: { type: 'boolean' } },
    { 'key-1': false, 'key-2': false },
  ],
  ['items that differ', listOf({ type: 'string' }, 3), ['sample', 'sample-1', 'sample-2']],
  [
    'different strings of a format',
    listOf({ type: 'string', format: 'ipv4' }, 3),
    ['192.0.2.1', '192.0.2.2', '192.0.2.3'],
  ],
  [
    'different strings of the same length for a pattern',
    listOf({ type: 'string', pattern: '^[A-F]{2}$' }, 3),
    ['AA', 'BB', 'CC'],
  ],
  ['different short strings', listOf({ type: 'string', maxLength: 1 }, 3), ['s', '1', '2']],
  [
    'different enumerated values, although one of them is the default',
    listOf({ type: 'string', enum: ['up', 'down'], default: 'down' }, 2),
    ['up', 'down'],
  ],
  [
    'different keys in a list of objects although the key has a default, and defaults elsewhere',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['port'],
      minItems: 2,
      items: {
        type: 'object',
        properties: {
          port: { type: 'integer', minimum: 80, default: 80 },
          protocol: { type: 'string', default: 'TCP' },
        },
      },
    },
    [
      { port: 80, protocol: 'TCP' },
      { port: 81, protocol: 'TCP' },
    ],
  ],
  ['a decimal number', { type: 'number', minimum: 0, maximum: 0.5, exclusiveMinimum: true }, 0.25],
  [
    'a number between two excluded bounds',
    {
      ...{ type: 'number', minimum: 0.25, exclusiveMinimum: true },
      ...{ maximum: 0.5, exclusiveMaximum: true },
    },
    0.375,
  ],
  ['a multiple of a fractional number', { type: 'number', minimum: 0.25, multipleOf: 0.1 }, 0.3],
  ['a number below an upper bound', { type: 'integer', maximum: -7, exclusiveMaximum: true }, -8],
  ['a string that is not excluded', { type: 'string', not: { enum: ['sample'] } }, 'sample-1'],
  ['a Unicode class', { type: 'string', pattern: '^\\p{Lu}\\x41[[:digit:]]é$' }, 'AA1é'],
  ['letters in upper or lower case', { type: 'string', pattern: '(?i)^KITE-[^\\W\\d]$' }, 'KITE-a'],
  ['the longer alternative', { type: 'string', pattern: '^(a\\.|b{3})$', minLength: 3 }, 'bbb'],
  [
    'a later alternative if no value fits the first',
    {
      type: 'object',
      properties: { a: NEVER, b: { type: 'integer', minimum: 2 } },
      oneOf: [{ required: ['a'] }, { required: ['b'], properties: { b: { minimum: 5 } } }],
    },
    { b: 5 },
  ],
])('a generated sample has %s', (_, spec, expected) => {
  const metadata = { name: 'kite-sample' };
  expect(sampleWith(spec)).toEqual({
    object: { apiVersion: 'toys.example/v1', kind: 'Kite', metadata, spec: expected },
    problems: [],
  });
});

test('a sample contains a status only if it is required', () => {
  const status: StructuralSchema = { type: 'object', default: {} };

  expect(sampleWith({}, { properties: { status } }).object).not.toHaveProperty('status');
  expect(sampleWith({}, { properties: { status }, required: ['status'] })).toMatchObject({
    object: { status: {} },
    problems: [],
  });
});

test('the name of a sample matches the schema', () => {
  const name: StructuralSchema = { type: 'string', maxLength: 4 };
  const metadata: StructuralSchema = { type: 'object', properties: { name } };

  expect(sampleWith({}, { properties: { metadata } })).toMatchObject({
    object: { metadata: { name: 'kite' } },
    problems: [],
  });
});

test.each<[string, StructuralSchema, string]>([
  ['contradicts itself', NEVER, "spec in body should match '^\\d{3}$'"],
  [
    'has a pattern that RE2 does not support',
    { type: 'string', pattern: '(?=a)a' },
    "spec in body cannot be compared with '(?=a)a': ",
  ],
  [
    'requires more items than the limit for samples',
    listOf({ type: 'integer' }, 90),
    'spec in body should have',
  ],
])('a sample is reported as invalid if the schema %s', (_, spec, problem) => {
  expect(sampleWith(spec).problems).toEqual([expect.stringContaining(problem)]);
});

test('the sample for deeply nested lists has a limited size', () => {
  const deep = Array.from({ length: 15 }).reduce<StructuralSchema>(
    (items) => ({ type: 'array', minItems: 15, items }),
    { type: 'string' },
  );

  const { object, problems } = sampleWith(deep);

  expect(JSON.stringify(object).length).toBeLessThan(100_000);
  expect(problems).toContainEqual(expect.stringContaining('must be of type'));
});

/** A spec with many required fields. */
function wide(count: number, schemaOf: (at: number) => StructuralSchema): StructuralSchema {
  const properties = Object.fromEntries(
    Array.from({ length: count }, (_none, at) => [`f${at}`, schemaOf(at)]),
  );
  return { type: 'object', properties, required: Object.keys(properties) };
}

test('[found 5] for a pattern with nested repetition, a sample contains a string that matches', () => {
  const spec = wide(1, () => ({ type: 'string', pattern: '^(([a-c]+)*-)+[0-9]$', minLength: 40 }));

  expect(sampleWith(spec).problems).toEqual([]);
});

test('[found 5] a pattern that costs too much is reported, and the other fields are filled', () => {
  const spec: StructuralSchema = {
    type: 'object',
    required: ['a', 'b'],
    properties: {
      a: { type: 'string', pattern: `^${'(?:[a-z]{20}x){40}'.repeat(300)}$` },
      b: { type: 'string', pattern: '^[x-z]{3}$' },
    },
  };

  expect(sampleWith(spec)).toMatchObject({
    object: { spec: { a: 'sample', b: 'xxx' } },
    problems: [
      expect.stringMatching(/^spec\.a: .* cannot be compared .* more than 100000 states$/),
    ],
  });
});

test('[found 5] a sample fills 60,000 required fields', () => {
  const { object, problems } = sampleWith(wide(60_000, () => ({ type: 'boolean' })));

  expect(Object.keys((object as { spec: object }).spec)).toHaveLength(60_000);
  expect(problems).toEqual([]);
});

test('[found 5] a sample that would cost too much to check is reported as unchecked', () => {
  const item = wide(3_000, () => ({ type: 'string', default: 'x' }));
  const list: StructuralSchema = { type: 'array', items: item, default: Array(3_000).fill({}) };

  expect(sampleWith({ ...wide(1, () => list), default: undefined }).problems).toEqual([
    'the sample was not checked: it takes more than 1000000 steps',
  ]);
});

test('[found 5] many alternatives that all apply are merged', () => {
  const parts = Array.from({ length: 5_000 }, (_none, at) => wide(1, () => ({ minimum: at })));

  expect(
    sampleWith({ type: 'object', allOf: parts, properties: { f0: { type: 'integer' } } }),
  ).toEqual({
    object: expect.objectContaining({ spec: { f0: 4_999 } }),
    problems: [],
  });
});
