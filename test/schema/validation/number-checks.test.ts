/** Numbers as the API server compares them: an int64 by its integers, everything else as a float64. */
import type { StructuralSchema } from 'chancery/internal';
import { expect, test } from 'vitest';
import { newObjectProblems } from '../../../operator/schema/validation/object-problems.ts';

function problems(x: unknown, schema: StructuralSchema): readonly string[] {
  const whole: StructuralSchema = { type: 'object', properties: { x: schema } };
  return newObjectProblems({ x }, { schema: whole, scaled: [] }).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

const INTEGER = { type: 'integer' } as const;
const NUMBER = { type: 'number' } as const;
const UNHELD =
  '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x';

test.each<[string, unknown, StructuralSchema, readonly string[]]>([
  [
    'an integer beyond 64 bits is a float',
    2 ** 64,
    INTEGER,
    ['x: Invalid value: "number": x in body must be of type integer: "number"', UNHELD],
  ],
  ['the smallest integer of 64 bits', -(2n ** 63n), INTEGER, []],
  [
    'an integer beyond 64 bits where strings are also allowed',
    -(2 ** 70),
    { 'x-kubernetes-int-or-string': true },
    ['x: Invalid value: "number": x in body must be of type integer,string: "number"'],
  ],
  ['a number that is nearly an integer', 7.000000000001, INTEGER, [UNHELD]],
  [
    'an integer and a factor below one',
    6,
    { ...NUMBER, multipleOf: 0.25 },
    ['x: Invalid value: 0: factor MultipleOf declared for x must be positive: 0'],
  ],
  ['an integer and the integral part of a factor', 6, { ...NUMBER, multipleOf: 2.5 }, []],
  ['a float and a fractional factor', 7.5, { ...NUMBER, multipleOf: 2.5 }, []],
  [
    'a float that is too large to be a multiple of anything small',
    3e22,
    { ...NUMBER, multipleOf: 0.5 },
    ['x: Invalid value: 3e+22: x in body should be a multiple of 0.5'],
  ],
  [
    'an integer that misses a multiple by one',
    4_000_000_003,
    { ...NUMBER, multipleOf: 4 },
    ['x: Invalid value: 4000000003: x in body should be a multiple of 4'],
  ],
  ['an integer and the integral part of its limit', 3, { ...NUMBER, minimum: 3.9 }, []],
  [
    'a float and its whole limit',
    3.5,
    { ...NUMBER, minimum: 3.9 },
    ['x: Invalid value: 3.5: x in body should be greater than or equal to 3.9'],
  ],
  [
    'a fractional limit for integers',
    3,
    { ...INTEGER, maximum: 2.5 },
    [
      '<nil>: Invalid value: "": Maximum boundary value must be of type integer (default format) in x',
      'x: Invalid value: 3: x in body should be less than or equal to 2.5',
    ],
  ],
  [
    'floats as Go writes them',
    2_500_000.5,
    { ...NUMBER, maximum: 1_000_000 },
    ['x: Invalid value: 2.5000005e+06: x in body should be less than or equal to 1e+06'],
  ],
  [
    'integers with all digits',
    25_000_000,
    { ...NUMBER, maximum: 1_000_000 },
    ['x: Invalid value: 25000000: x in body should be less than or equal to 1000000'],
  ],
  [
    'a zero with a sign',
    -0,
    { ...NUMBER, minimum: 0, exclusiveMinimum: true },
    ['x: Invalid value: -0: x in body should be greater than 0'],
  ],
  [
    'a small float',
    -0.00002,
    { ...NUMBER, minimum: 0 },
    ['x: Invalid value: -2e-05: x in body should be greater than or equal to 0'],
  ],
])('numbers are validated as by the API server: %s', (_, value, schema, wanted) => {
  expect(problems(value, schema)).toEqual(wanted);
});
