import { describe, expect, test } from 'vitest';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import { Correlation } from '../../../operator/schema/validation/correlation.ts';
import { embeddedResourceProblems } from '../../../operator/schema/validation/embedded-resources.ts';
import { listTypeProblems } from '../../../operator/schema/validation/list-types.ts';
import { validateBySchema } from '../../../operator/schema/validation/validate.ts';

function problems(value: unknown, schema: StructuralSchema): readonly string[] {
  const root: StructuralSchema = { type: 'object', properties: { x: schema } };
  return validateBySchema({ x: value }, root).map(({ field, message }) => `${field}: ${message}`);
}

type Row = readonly [unknown, StructuralSchema, readonly string[]];

const ROWS: readonly Row[] = [
  [
    1,
    { type: 'string' },
    ['x: Invalid value: "integer": x in body must be of type string: "integer"'],
  ],
  [
    null,
    { type: 'string' },
    ['x: Invalid value: "null": x in body must be of type string: "null"'],
  ],
  [null, { type: 'string', nullable: true }, []],
  [1, { type: 'number' }, []],
  [
    1.5,
    { type: 'integer' },
    [
      'x: Invalid value: "number": x in body must be of type integer: "number"',
      '<nil>: Invalid value: "": Checked value must be of type integer (default format) in x',
    ],
  ],
  [
    true,
    { 'x-kubernetes-int-or-string': true },
    ['x: Invalid value: "boolean": x in body must be of type integer,string: "boolean"'],
  ],
  ['5%', { 'x-kubernetes-int-or-string': true }, []],
  [
    'c',
    { type: 'string', enum: ['a', 'b'] },
    ['x: Unsupported value: "c": supported values: "a", "b"'],
  ],
  [3, { type: 'integer', enum: [1, 2] }, ['x: Unsupported value: 3: supported values: "1", "2"']],
  ['abc', { type: 'string', maxLength: 2 }, ['x: Too long: may not be more than 2 bytes']],
  ['abc', { type: 'string', maxLength: 1 }, ['x: Too long: may not be more than 1 byte']],
  ['\u{1F600}\u{1F600}', { type: 'string', maxLength: 2 }, []],
  [
    '',
    { type: 'string', minLength: 1, pattern: '^a' },
    ['x: Invalid value: "": x in body should be at least 1 chars long'],
  ],
  [
    'b',
    { type: 'string', pattern: '^a' },
    ['x: Invalid value: "b": x in body should match \'^a\''],
  ],
  ['B', { type: 'string', pattern: '(?i)^b\\z' }, []],
  [
    11,
    { type: 'integer', maximum: 10 },
    ['x: Invalid value: 11: x in body should be less than or equal to 10'],
  ],
  [
    10,
    { type: 'integer', maximum: 10, exclusiveMaximum: true },
    ['x: Invalid value: 10: x in body should be less than 10'],
  ],
  [
    0,
    { type: 'integer', minimum: 1 },
    ['x: Invalid value: 0: x in body should be greater than or equal to 1'],
  ],
  [
    1,
    { type: 'integer', minimum: 1, exclusiveMinimum: true },
    ['x: Invalid value: 1: x in body should be greater than 1'],
  ],
  [
    7,
    { type: 'integer', multipleOf: 2 },
    ['x: Invalid value: 7: x in body should be a multiple of 2'],
  ],
  [0.3, { type: 'number', multipleOf: 0.1 }, []],
  [
    2 ** 31,
    { type: 'integer', format: 'int32' },
    ['<nil>: Invalid value: "": Checked value must be of type integer with format int32 in x'],
  ],
  [
    [1],
    { type: 'array', items: { type: 'integer' }, minItems: 2 },
    ['x: Invalid value: 1: x in body should have at least 2 items'],
  ],
  [
    [1, 2],
    { type: 'array', items: { type: 'integer' }, maxItems: 1 },
    ['x: Too many: 2: must have at most 1 item'],
  ],
  [
    ['a'],
    { type: 'array', items: { type: 'integer' } },
    ['x[0]: Invalid value: "string": x[0] in body must be of type integer: "string"'],
  ],
  [
    { a: 'b' },
    { type: 'object', additionalProperties: { type: 'integer' } },
    ['x.a: Invalid value: "string": x.a in body must be of type integer: "string"'],
  ],
  [
    {},
    { type: 'object', minProperties: 1 },
    ['x: Invalid value: 0: x in body should have at least 1 properties'],
  ],
  [
    { a: 1, b: 1 },
    { type: 'object', maxProperties: 1 },
    ['x: Too many: 2: must have at most 1 item'],
  ],
  [{}, { type: 'object', required: ['a'] }, ['x.a: Required value']],
  [
    'x',
    { type: 'string', format: 'date-time' },
    ['x: Invalid value: "x": x in body must be of type date-time: "x"'],
  ],
  [
    5,
    { type: 'string', format: 'date-time' },
    ['x: Invalid value: "int64": x in body must be of type date-time: "int64"'],
  ],
  // Of a list the server checks neither the type nor the format.
  [[], { type: 'string', format: 'date-time' }, []],
  ['x', { type: 'string', format: 'no-such-format' }, []],
];

test.each(
  ROWS,
)('[F-11] validation of %j by %j gives the server’s result: %j', (value, schema, expected) => {
  expect(problems(value, schema)).toEqual(expected);
});

describe('[F-11] alternatives', () => {
  test('a value that fits no alternative is reported with the closest alternative', () => {
    const schema = {
      type: 'object',
      anyOf: [{ required: ['a', 'b'] }, { required: ['a'], properties: { a: { minLength: 3 } } }],
      properties: { a: { type: 'string' } },
    };

    expect(problems({ a: 'x' }, schema)).toEqual([
      '<nil>: Invalid value: "": "x" must validate at least one schema (anyOf)',
      'x.a: Invalid value: "x": x.a in body should be at least 3 chars long',
    ]);
  });

  test('a value must fit exactly one alternative of oneOf', () => {
    const schema = { type: 'integer', oneOf: [{ maximum: 1 }, { minimum: 1 }, { maximum: 9 }] };

    expect(problems(5, schema)).toEqual([
      '<nil>: Invalid value: "": "x" must validate one and only one schema (oneOf). Found 2 valid alternatives',
    ]);
    expect(problems(10, schema)).toEqual([]);
  });

  test('allOf reports each schema that does not fit, and none that fits', () => {
    const all = { type: 'integer', allOf: [{ minimum: 3 }, { maximum: 9 }] };
    const not = { type: 'integer', not: { minimum: 3 } };

    expect(problems(1, all)).toEqual([
      'x: Invalid value: 1: x in body should be greater than or equal to 3',
      '<nil>: Invalid value: "": "x" must validate all the schemas (allOf)',
    ]);
    expect(problems(4, not)).toEqual([
      '<nil>: Invalid value: "": "x" must not validate the schema (not)',
    ]);
  });
});

describe('[F-11] ratcheting', () => {
  const schema: StructuralSchema = {
    type: 'object',
    properties: {
      a: { type: 'integer', maximum: 5 },
      b: { type: 'integer', maximum: 5 },
      plain: { type: 'array', items: { type: 'integer', maximum: 5 } },
      keyed: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
        items: {
          type: 'object',
          properties: { name: { type: 'string' }, n: { type: 'integer', maximum: 5 } },
        },
      },
    },
  };
  const fields = (value: object, old: object): readonly string[] =>
    validateBySchema(value, schema, '', { correlation: new Correlation(value, old, schema) }).map(
      ({ field }) => field,
    );

  test('a field that was already invalid is accepted, and a newly invalid field is reported', () => {
    expect(fields({ a: 9, b: 9 }, { a: 9, b: 1 })).toEqual(['b']);
  });

  test('items of a list map are matched by their keys, in any position', () => {
    const before = { keyed: [{ name: 'x', n: 9 }] };
    const after = {
      keyed: [
        { name: 'y', n: 9 },
        { name: 'x', n: 9 },
      ],
    };

    expect(fields(after, before)).toEqual(['keyed[0].n']);
  });

  test('the kind of an object is validated, whether it was changed or not', () => {
    const kinded = { type: 'object', properties: { kind: { type: 'string', enum: ['A'] } } };
    const object = { kind: 'B' };

    const correlation = new Correlation({ ...object, x: 1 }, object, kinded);
    const found = validateBySchema(object, kinded, '', { correlation });

    expect(found.map(({ field }) => field)).toEqual(['kind']);
  });

  test('items of a list that is not a map are not matched', () => {
    expect(fields({ plain: [9, 1] }, { plain: [9] })).toEqual(['plain[0]']);
    expect(fields({ plain: [9] }, { plain: [9] })).toEqual([]);
  });
});

describe('[F-11] lists that are sets and maps', () => {
  const set = { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } };
  const map = {
    type: 'array',
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['name', 'port'],
    items: { type: 'object', properties: { name: { type: 'string' } } },
  };
  const found = (value: unknown, schema: StructuralSchema): readonly string[] =>
    listTypeProblems({ x: value }, { type: 'object', properties: { x: schema } }).map(
      ({ field, message }) => `${field}: ${message}`,
    );

  test('in a set, a value that occurs three times is reported once', () => {
    expect(found(['a', 'b', 'a', 'a'], set)).toEqual(['x[2]: Duplicate value: "a"']);
  });

  test('in a list map, repeated keys are reported', () => {
    const items = [{ name: 'a' }, { port: 1, name: 'a' }, { name: 'a', port: 1 }];

    expect(found(items, map)).toEqual(['x[2]: Duplicate value: {"name":"a","port":1}']);
  });

  test('in a list map, only objects are accepted', () => {
    expect(found(['a'], map)).toEqual([
      'x[0]: Invalid value: "a": must be an object for an array of list-type map',
    ]);
  });
});

test('[F-11] an embedded object needs an apiVersion, a kind and metadata', () => {
  const schema: StructuralSchema = {
    type: 'object',
    additionalProperties: {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  };

  const found = embeddedResourceProblems({ a: { kind: 'ConfigMap' }, b: {} }, schema, 'x');

  expect(found.map(({ field, message }) => `${field}: ${message}`)).toEqual([
    'x[a].apiVersion: Required value',
    'x[b].apiVersion: Required value',
    'x[b].kind: Required value',
  ]);
});
