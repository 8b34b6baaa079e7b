import type { StructuralSchema } from 'chancery/internal';
import { objectProblems } from 'chancery/internal-objects';
import { describe, expect, test } from 'vitest';
import { rulesOf } from '../../../src/apiserver/cel/rules.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';

const SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        replicas: { type: 'integer', maximum: 5_000_000_000 },
        mode: { type: 'string', enum: ['a', 'b'] },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
      },
      'x-kubernetes-validations': [{ rule: 'self.replicas < 10', message: 'too many' }],
    },
  },
};

function said(spec: object, previous?: object): readonly string[] {
  const object = (of: object): StoredObject => ({ spec: of }) as unknown as StoredObject;
  const scaled = [
    ['spec', 'replicas'],
    ['status', 'n'],
  ];
  const before = previous === undefined ? undefined : object(previous);
  return objectProblems(object(spec), before, {
    schema: SCHEMA,
    scaled,
    rules: (correlation) => rulesOf(SCHEMA)?.problems(object(spec), before, correlation) ?? [],
  }).map(({ field, message }) => `${field}: ${message}`);
}

describe('[F-11] validation rules and schema errors of a custom resource', () => {
  test('the CEL rules of an object are not checked if a field has a value that its enum does not contain', () => {
    expect(said({ replicas: 11, mode: 'c' })).toEqual([
      'spec.mode: Unsupported value: "c": supported values: "a", "b"',
      '<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
    ]);
  });

  test('the CEL rules of an object are checked even if a list has a duplicate, and all errors are reported', () => {
    expect(said({ replicas: 11, mode: 'a', tags: ['x', 'x'] })).toEqual([
      'spec.tags[1]: Duplicate value: "x"',
      'spec: Invalid value: too many',
    ]);
  });
});

test('[F-11] an update may keep the duplicates in a list of type set, but not add duplicates', () => {
  const twice = { replicas: 1, tags: ['x', 'x'] };

  expect(said({ ...twice, mode: 'a' }, twice)).toEqual([]);
  expect(said(twice, { ...twice, tags: ['x'] })).toEqual(['spec.tags[1]: Duplicate value: "x"']);
});

test.each([
  [-1, '.spec.replicas: Invalid value: -1: should be a non-negative integer'],
  [
    3_000_000_000,
    '.spec.replicas: Invalid value: 3000000000: should be less than or equal to 2147483647',
  ],
])('[F-11] %i replicas are out of range for a scale', (replicas, text) => {
  expect(said({ replicas })).toContain(text);
});
