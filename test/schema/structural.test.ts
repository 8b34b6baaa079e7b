import { describe, expect, test } from 'vitest';
import { structuralSchema } from '../../operator/schema/structural.ts';
import {
  Anything,
  atomic,
  EmbeddedResource,
  IntOrString,
  ListAtomic,
  ListMap,
  ListSet,
  Nullable,
  preserveUnknownFields,
  Type,
  withRules,
} from '../../operator/schema.ts';

const text = Type.String();

test.each<[string, unknown, object]>([
  [
    'a string',
    Type.String({ title: 't', description: 'd' }),
    { type: 'string', title: 't', description: 'd' },
  ],
  ['a literal', Type.Literal('a'), { type: 'string', enum: ['a'] }],
  [
    'literals',
    Type.Union([Type.Literal(1), Type.Literal(2)], { default: 1 }),
    { type: 'integer', enum: [1, 2], default: 1 },
  ],
  ['an enumeration', Type.Enum(['a', 'b']), { type: 'string', enum: ['a', 'b'] }],
  [
    'an enumeration that must include null',
    Nullable(Type.Enum(['a'])),
    { type: 'string', enum: ['a', null], nullable: true },
  ],
  ['a type that may be null', Nullable(Type.Integer()), { type: 'integer', nullable: true }],
  ['JSON Schema’s list of types', { type: ['string', 'null'] }, { type: 'string', nullable: true }],
  ['an integer or a string', IntOrString(), { 'x-kubernetes-int-or-string': true }],
  [
    'a union of integer and text',
    Type.Union([text, Type.Integer()]),
    { 'x-kubernetes-int-or-string': true },
  ],
  ['anything', Anything(), { 'x-kubernetes-preserve-unknown-fields': true }],
  ['an unknown value', Type.Unknown(), { 'x-kubernetes-preserve-unknown-fields': true }],
  [
    'exclusive bounds',
    Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1 }),
    { type: 'number', minimum: 0, exclusiveMinimum: true, maximum: 1, exclusiveMaximum: true },
  ],
  [
    'the closer of two bounds',
    Type.Number({ minimum: 1, exclusiveMinimum: 0, maximum: 1, exclusiveMaximum: 3 }),
    { type: 'number', minimum: 1, maximum: 1 },
  ],
  [
    'a bound of zero',
    Type.Array(text, { minItems: 0 }),
    { type: 'array', minItems: 0, items: { type: 'string' } },
  ],
  [
    'a map',
    Type.Record(Type.String(), text, { maxProperties: 2 }),
    { type: 'object', maxProperties: 2, additionalProperties: { type: 'string' } },
  ],
  [
    'an object in which fields with a default are optional',
    Type.Object({ a: text, b: Type.Optional(text), c: Type.String({ default: '' }) }),
    {
      type: 'object',
      required: ['a'],
      properties: {
        a: { type: 'string' },
        b: { type: 'string' },
        c: { type: 'string', default: '' },
      },
    },
  ],
  [
    'an object without fields or without additional fields, because others are pruned anyway',
    Type.Object({}, { additionalProperties: false, $id: 'x', examples: [] }),
    { type: 'object' },
  ],
  [
    'an object with additional fields',
    preserveUnknownFields(Type.Object({ a: text })),
    {
      type: 'object',
      required: ['a'],
      properties: { a: { type: 'string' } },
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'an embedded resource',
    EmbeddedResource(),
    {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    },
  ],
  [
    'an object merged from several objects',
    Type.Evaluate(Type.Intersect([Type.Object({ a: text }), Type.Object({ b: text })])),
    {
      type: 'object',
      required: ['a', 'b'],
      properties: { a: { type: 'string' }, b: { type: 'string' } },
    },
  ],
  [
    'a list map',
    ListMap(Type.Object({ a: text }), ['a'], { maxItems: 2 }),
    {
      type: 'array',
      maxItems: 2,
      items: { type: 'object', required: ['a'], properties: { a: { type: 'string' } } },
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['a'],
    },
  ],
  [
    'a set',
    ListSet(text),
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'set' },
  ],
  [
    'an atomic list',
    ListAtomic(text),
    { type: 'array', items: { type: 'string' }, 'x-kubernetes-list-type': 'atomic' },
  ],
  [
    'an atomic object',
    atomic(Type.Object({})),
    { type: 'object', 'x-kubernetes-map-type': 'atomic' },
  ],
  [
    'a field with the name of a method of objects',
    Type.Object({ constructor: text, __proto__: Type.Optional(text) }),
    { type: 'object', required: ['constructor'], properties: { constructor: { type: 'string' } } },
  ],
])('structuralSchema converts %s', (_, schema, structural) => {
  expect(structuralSchema(schema, 'spec')).toEqual(structural);
});

describe('rules of a schema', () => {
  test('withRules adds rules after existing ones, and changes nothing else of the schema', () => {
    const once = withRules(Type.Optional(Type.String({ minLength: 1 })), [{ rule: 'a' }]);
    const twice = withRules(once, [{ rule: 'b', message: 'm' }]);

    const { properties = {}, required } = structuralSchema(Type.Object({ twice, once }), 'spec');

    expect(required).toBeUndefined();
    expect(properties.once).toMatchObject({ 'x-kubernetes-validations': [{ rule: 'a' }] });
    expect(properties.twice).toEqual({
      type: 'string',
      minLength: 1,
      'x-kubernetes-validations': [{ rule: 'a' }, { rule: 'b', message: 'm' }],
    });
  });
});
