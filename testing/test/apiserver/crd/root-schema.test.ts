/** What the rules of a definition say of the root of a schema, of metadata and of objects in objects. */
import { describe, expect, test } from 'vitest';
import { type Parts, SCHEMA_AT, said, withField } from './definitions.ts';

describe('[found 9] keywords at the root of a schema of a resource with a status subresource', () => {
  const version = { subresources: { status: {} } };
  const preserve = 'x-kubernetes-preserve-unknown-fields';

  test.each([
    [{ [preserve]: true }],
    [{ type: 'object', [preserve]: true, description: 'd', required: ['spec'] }],
    [{ type: 'object', title: 't', maximum: 3, example: {}, nullable: false }],
    [{ type: 'object', 'x-kubernetes-validations': [{ rule: 'true' }], properties: {} }],
  ])('the root schema %j is valid', (schema) => {
    expect(said({ schema, version })).toEqual([]);
  });

  test.each([
    [{ properties: {} }, [`${SCHEMA_AT}.type: Required value: must not be empty at the root`]],
    [
      { type: 'string' },
      [
        `${SCHEMA_AT}.type: Invalid value: "string": only "object" is allowed as the type at the root of the schema if the status subresource is enabled`,
        `${SCHEMA_AT}.type: Invalid value: "string": must be object at the root`,
      ],
    ],
  ])('the root schema %j is refused because of its type', (schema, problems) => {
    expect(said({ schema, version })).toEqual(problems);
  });

  test.each([
    ['enum', ['a']],
    ['maxProperties', 3],
    ['oneOf', [{ required: ['spec'] }]],
    ['not', { required: ['spec'] }],
    ['x-kubernetes-map-type', 'atomic'],
    ['x-kubernetes-embedded-resource', true],
  ])('the keyword %s at the root of a schema is refused only if there is a status subresource', (name, value) => {
    const schema = { type: 'object', properties: { spec: { type: 'object' } }, [name]: value };
    const problem = expect.stringMatching(
      /^spec\.validation\.openAPIV3Schema: Invalid value: only \[Description Type .* XValidations\] fields are allowed at the root of the schema if the status subresource is enabled$/,
    );

    expect(said({ schema, version })).toContainEqual(problem);
    expect(said({ schema })).not.toContainEqual(problem);
  });
});

describe('[found 9] the schema of metadata', () => {
  const name = { type: 'string', default: 'n' };

  test('a schema cannot default the top-level metadata', () => {
    const metadata = { type: 'object', properties: { name } };

    expect(said({ schema: { type: 'object', properties: { metadata } } })).toEqual([
      `${SCHEMA_AT}.properties[metadata].properties[name].default: Forbidden: must not be set in top-level metadata`,
    ]);
  });

  test('a schema can default the metadata of an embedded object, but not inside a map', () => {
    const within = (properties: object): Parts =>
      withField({
        type: 'object',
        'x-kubernetes-embedded-resource': true,
        properties: { metadata: { type: 'object', properties } },
      });
    const annotations = { type: 'object', additionalProperties: { type: 'string', default: '' } };
    const at = `${SCHEMA_AT}.properties[x].properties[metadata].properties`;

    expect(said(within({ name }))).toEqual([]);
    expect(said(within({ annotations }))).toEqual([
      `${at}[annotations].additionalProperties.default: Forbidden: must not be set inside additionalProperties applying to object metadata`,
    ]);
  });

  test('a schema cannot embed an object inside metadata', () => {
    const own = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      'x-kubernetes-preserve-unknown-fields': true,
    };
    const metadata = { type: 'object', properties: { own } };
    const schema = {
      type: 'object',
      'x-kubernetes-embedded-resource': true,
      properties: { metadata },
    };

    expect(said(withField(schema))).toEqual([
      `${SCHEMA_AT}.properties[x].properties[metadata].properties[own].x-kubernetes-embedded-resource: Forbidden: must not be used inside of resource meta`,
    ]);
  });
});

test('[found 9] a schema whose items are an array of schemas is refused', () => {
  const items = [{ type: 'string' }, { type: 'integer', uniqueItems: true }];

  expect(said(withField({ type: 'array', items }))).toEqual([
    `${SCHEMA_AT}.properties[x].items: Forbidden: items must be a schema object and not an array`,
    `${SCHEMA_AT}.properties[x].items[1].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
  ]);
});
