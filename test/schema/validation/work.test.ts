/** An object costs a counted number of steps, whatever its schema makes of it. */
import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import {
  newObjectProblems,
  objectProblems,
} from '../../../operator/schema/validation/object-problems.ts';
import { validateBySchema } from '../../../operator/schema/validation/validate.ts';
import { TooMuchWork, Work } from '../../../operator/schema/work.ts';

function specOf(schema: StructuralSchema): StructuralSchema {
  return { type: 'object', properties: { spec: schema } };
}

const UNVALIDATED = {
  field: '<nil>',
  reason: 'InternalError',
  message: 'Internal error: the object was not validated: it takes more than 50000000 steps',
};

/** Ten alternatives in each of ten others, and so on. */
function branching(levels: number): StructuralSchema {
  if (levels === 0) return { minLength: 9 };
  return { anyOf: Array.from({ length: 10 }, () => branching(levels - 1)) };
}

/** A list of texts, below as many objects as there are levels. Each of them has a text of its own. */
function nested(levels: number): StructuralSchema {
  if (levels === 0) return { type: 'array', items: { type: 'string' } };
  return { type: 'object', properties: { own: { type: 'string' }, z: nested(levels - 1) } };
}

function nestedWrong(levels: number, own: object): unknown {
  return levels === 0 ? Array(20_000).fill(1) : { ...own, z: nestedWrong(levels - 1, own) };
}

test('if many values at a deep level are wrong, each is reported once', () => {
  const schema = specOf(nested(300));

  const problems = newObjectProblems({ spec: nestedWrong(300, {}) }, { schema, scaled: [] });

  expect(problems).toHaveLength(20_000);
  expect(problems.at(-1)?.field).toBe(`spec${'.z'.repeat(300)}[19999]`);
});

test.each<[string, StructuralSchema, unknown]>([
  [
    'alternatives within alternatives',
    { type: 'array', items: { type: 'string', ...branching(3) } },
    Array(100_000).fill('x'),
  ],
  [
    'a long list of allowed values, repeated for each wrong value',
    {
      type: 'array',
      items: { type: 'string', enum: Array.from({ length: 3_000 }, (_none, at) => `v${at}`) },
    },
    Array.from({ length: 20_000 }, (_none, at) => `w${at}`),
  ],
  [
    'defaults of many fields in many items',
    {
      type: 'array',
      items: {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 1_000 }, (_none, at) => [`f${at}`, { type: 'string', default: '' }]),
        ),
      },
    },
    Array(10_000).fill({}),
  ],
  ['wrong values far below other wrong values', nested(300), nestedWrong(300, { own: 1 })],
])('an object that would take too many steps is refused: %s', (_, schema, spec) => {
  const problems = newObjectProblems({ spec }, { schema: specOf(schema), scaled: [] });

  expect(problems).toEqual([UNVALIDATED]);
});

test('a pattern that costs too much is reported as a problem of its field, and the other fields are still validated', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      a: { type: 'string', pattern: '(?:[ab]{0,50}){0,20}!' },
      b: { type: 'integer' },
    },
  };
  const spec = { a: 'ab'.repeat(50_000), b: 'x' };

  const problems = newObjectProblems({ spec }, { schema: specOf(schema), scaled: [] });

  expect(problems).toEqual([
    expect.objectContaining({
      field: 'spec.a',
      reason: 'FieldValueInvalid',
      message: expect.stringMatching(
        /cannot be compared with .*: it takes more than 10000000 steps$/,
      ),
    }),
    expect.objectContaining({ field: 'spec.b', reason: 'FieldValueTypeInvalid' }),
  ]);
});

describe('items of a list map', () => {
  const schema = specOf({
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name'],
    items: {
      type: 'object',
      properties: { name: { type: 'integer' }, size: { type: 'integer', maximum: 5 } },
    },
  });
  const list = (size: number): object[] =>
    Array.from({ length: 30_000 }, (_none, name) => ({ name, size }));

  test('items of a list map are matched in a linear number of steps', () => {
    const before = { spec: list(9) };
    const after = { spec: [{ name: -1, size: 9 }, ...list(9).toReversed()] };

    const problems = objectProblems(after, before, { schema, scaled: [] });

    expect(problems.map(({ field }) => field)).toEqual(['spec[0].size']);
  });
});

test('a caller can limit the work of one validation', () => {
  const schema: StructuralSchema = { type: 'array', items: { type: 'integer' } };
  const validate = (steps: number): unknown =>
    validateBySchema([1, 2, 3], schema, '', { work: new Work(steps) });

  expect(validate(4)).toEqual([]);
  expect(() => validate(3)).toThrow(TooMuchWork);
});
