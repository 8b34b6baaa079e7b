/** Which fields of a status the API server keeps, as the schema of a definition says. */
import { expect, test } from 'vitest';
import { statusFieldsOf } from '../../operator/model/status-fields.ts';
import type { StructuralSchema } from '../../operator/model/structural-schema.ts';

const ANY = { 'x-kubernetes-preserve-unknown-fields': true } as const;
const TEXT = { type: 'string' } as const;

/** @param status - the properties of the status. */
function rootWith(status: StructuralSchema['properties']): StructuralSchema {
  return { type: 'object', properties: { status: { type: 'object', properties: status ?? {} } } };
}

const conditions = (properties: Readonly<Record<string, StructuralSchema>>): StructuralSchema => ({
  type: 'array',
  items: { type: 'object', properties },
});

const conditionsWith = (
  properties: Readonly<Record<string, StructuralSchema>>,
  required: readonly string[] = [],
): StructuralSchema =>
  rootWith({ conditions: { type: 'array', items: { type: 'object', properties, required } } });

test.each<[string, StructuralSchema | undefined, boolean]>([
  ['no schema', undefined, false],
  ['no status', { type: 'object', properties: { spec: ANY } }, false],
  ['a status without fields', rootWith({}), false],
  ['another field', rootWith({ replicas: { type: 'integer' } }), false],
  ['an integer', rootWith({ observedGeneration: { type: 'integer' } }), true],
  ['a number', rootWith({ observedGeneration: { type: 'number' } }), true],
  ['a string', rootWith({ observedGeneration: TEXT }), false],
  ['a status that keeps unknown fields', { type: 'object', properties: { status: ANY } }, true],
  ['a root that keeps unknown fields', ANY, true],
  [
    'a root that keeps unknown fields, with a status that prunes them',
    { ...ANY, properties: { status: { type: 'object', properties: {} } } },
    false,
  ],
  [
    'a map of integers',
    {
      type: 'object',
      properties: { status: { type: 'object', additionalProperties: { type: 'integer' } } },
    },
    true,
  ],
  [
    'a map of strings',
    { type: 'object', properties: { status: { type: 'object', additionalProperties: TEXT } } },
    false,
  ],
])('[found 10] if a definition has %s, observedGeneration can be written: %s', (_what, schema, expected) => {
  expect(statusFieldsOf(schema).observedGeneration).toBe(expected);
});

test.each<[string, StructuralSchema, unknown]>([
  ['none', rootWith({}), undefined],
  ['a list of strings', rootWith({ conditions: { type: 'array', items: TEXT } }), undefined],
  ['a string', rootWith({ conditions: TEXT }), undefined],
  ['a map', rootWith({ conditions: { type: 'object', additionalProperties: TEXT } }), undefined],
  ['conditions without a status', rootWith({ conditions: conditions({ type: TEXT }) }), undefined],
  ['any', rootWith({ conditions: ANY }), 'any'],
  ['any items', rootWith({ conditions: { type: 'array', items: ANY } }), 'any'],
  [
    'conditions with some of the fields',
    rootWith({ conditions: conditions({ type: TEXT, status: TEXT, reason: TEXT }) }),
    new Set(['type', 'status', 'reason']),
  ],
  ['a root that keeps unknown fields', ANY, 'any'],
  [
    'a required field that no controller writes',
    conditionsWith({ type: TEXT, status: TEXT, lastUpdateTime: TEXT }, ['type', 'lastUpdateTime']),
    undefined,
  ],
  [
    'required fields that controllers write',
    conditionsWith({ type: TEXT, status: TEXT, reason: TEXT }, ['type', 'status', 'reason']),
    new Set(['type', 'status', 'reason']),
  ],
  [
    'a required field of another type',
    conditionsWith({ type: TEXT, status: TEXT, message: { type: 'array' } }, ['message']),
    undefined,
  ],
  [
    'a status that is a boolean',
    conditionsWith({ type: TEXT, status: { type: 'boolean' } }),
    undefined,
  ],
  [
    'a status with its three values as an enumeration',
    conditionsWith({
      type: TEXT,
      status: { ...TEXT, enum: ['True', 'False', 'Unknown'] },
      lastTransitionTime: { type: 'integer' },
      observedGeneration: TEXT,
    }),
    new Set(['type', 'status']),
  ],
  [
    'a status with other values as an enumeration',
    conditionsWith({ type: TEXT, status: { ...TEXT, enum: ['ok', 'failed'] } }),
    undefined,
  ],
  [
    'condition types that are enumerated',
    conditionsWith({ type: { ...TEXT, enum: ['Ready'] }, status: TEXT }),
    undefined,
  ],
  [
    'items that keep unknown fields, with one field of another type',
    rootWith({
      conditions: {
        type: 'array',
        items: { ...ANY, type: 'object', properties: { message: { type: 'object' } } },
      },
    }),
    new Set(['type', 'status', 'reason', 'lastTransitionTime', 'observedGeneration']),
  ],
])('[found 10] the fields of conditions are found for %s', (_what, schema, expected) => {
  expect(statusFieldsOf(schema).conditions).toEqual(expected);
});
