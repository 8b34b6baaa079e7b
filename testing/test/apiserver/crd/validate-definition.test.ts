import { describe, expect, test } from 'vitest';
import { OBJECT, type Parts, SCHEMA_AT, said, withField } from './definitions.ts';

test('a valid definition has no validation errors', () => {
  const port = {
    'x-kubernetes-int-or-string': true,
    anyOf: [{ type: 'integer' }, { type: 'string' }],
  };
  const metadata = { type: 'object', properties: { name: { type: 'string', maxLength: 9 } } };

  expect(said(withField(port))).toEqual([]);
  expect(said({ schema: { type: 'object', properties: { metadata } } })).toEqual([]);
});

describe('[F-11] structural schemas', () => {
  test('each field, item and value needs a type, and the errors are sorted', () => {
    const schema = {
      properties: {
        spec: { properties: { a: {} } },
        l: { type: 'array' },
        i: { type: 'array', items: {} },
        m: { type: 'object', additionalProperties: {} },
      },
    };

    expect(said({ schema })).toEqual([
      `${SCHEMA_AT}.properties[i].items.type: Required value: must not be empty for specified array items`,
      `${SCHEMA_AT}.properties[l].items: Required value: must be specified`,
      `${SCHEMA_AT}.properties[m].additionalProperties.type: Required value: must not be empty for specified object fields`,
      `${SCHEMA_AT}.properties[spec].properties[a].type: Required value: must not be empty for specified object fields`,
      `${SCHEMA_AT}.properties[spec].type: Required value: must not be empty for specified object fields`,
      `${SCHEMA_AT}.type: Required value: must not be empty at the root`,
    ]);
  });

  test.each([
    [
      { type: 'object', anyOf: [{ type: 'string' }] },
      'properties[x].anyOf[0].type: Forbidden: must be empty to be structural',
    ],
    [
      { type: 'object', allOf: [{ properties: { y: { minimum: 1 } } }] },
      'properties[x].properties[y]: Required value: because it is defined in spec.validation.openAPIV3Schema.properties[x].allOf[0].properties[y]',
    ],
    [
      { type: 'string', pattern: '(?=a)' },
      'properties[x].pattern: Invalid value: "(?=a)": must be a valid regular expression, but isn\'t: error parsing regexp: invalid or unsupported Perl syntax: `(?=`',
    ],
    [
      {
        type: 'array',
        'x-kubernetes-embedded-resource': true,
        'x-kubernetes-preserve-unknown-fields': true,
        items: { type: 'string' },
      },
      'properties[x].type: Invalid value: "array": must be object if x-kubernetes-embedded-resource is true',
    ],
    [
      { 'x-kubernetes-int-or-string': true, 'x-kubernetes-preserve-unknown-fields': true },
      'properties[x].x-kubernetes-preserve-unknown-fields: Invalid value: true: must be false if x-kubernetes-int-or-string is true',
    ],
  ])('the schema %j is not structural', (field, text) => {
    expect(said(withField(field))).toContain(`${SCHEMA_AT}.${text}`);
  });

  test('a schema may restrict only the fields name and generateName of the top-level metadata', () => {
    const metadata = { type: 'object', properties: { labels: OBJECT } };

    expect(said({ schema: { type: 'object', properties: { metadata } } })).toEqual([
      `${SCHEMA_AT}.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified`,
    ]);
  });
});

test.each([
  [
    { type: 'text' },
    'type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"',
  ],
  [
    { type: 'array', items: OBJECT, uniqueItems: true },
    'uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic',
  ],
  [
    { type: 'object', properties: { a: OBJECT }, additionalProperties: OBJECT },
    'additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive',
  ],
  [
    { type: 'string', 'x-kubernetes-list-type': 'set' },
    'type: Invalid value: "string": must be array if x-kubernetes-list-type is specified',
  ],
  [
    { type: 'array', items: OBJECT, 'x-kubernetes-list-type': 'set' },
    'items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set',
  ],
  [
    { type: 'array', items: OBJECT, 'x-kubernetes-list-type': 'map' },
    'x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map',
  ],
  [
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object', properties: { k: { type: 'string' } } },
    },
    'items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property',
  ],
  [
    { type: 'object', 'x-kubernetes-map-type': 'odd' },
    'x-kubernetes-map-type: Unsupported value: "odd": supported values: "atomic", "granular"',
  ],
  [{ type: 'string', $ref: '#/x' }, '$ref: Forbidden: $ref is not supported'],
])('[F-11] the schema %j is refused', (field, text) => {
  expect(said(withField(field))).toEqual([`${SCHEMA_AT}.properties[x].${text}`]);
});

describe('[F-11] defaults in a schema', () => {
  test('a default that its schema refuses or would prune is an error', () => {
    expect(said(withField({ type: 'integer', default: 'x', maximum: 5 }))).toEqual([
      `${SCHEMA_AT}.properties[x].default: Invalid value: "string":  in body must be of type integer: "string"`,
    ]);
    expect(said(withField({ type: 'object', default: { y: 1 } }))).toEqual([
      `${SCHEMA_AT}.properties[x].default: Invalid value: {"y":1}: must not have unknown fields`,
    ]);
  });

  test('a default for the field kind at the root is an error', () => {
    const kind = { type: 'string', default: 'Foo' };

    expect(said({ schema: { type: 'object', properties: { kind } } })).toEqual([
      `${SCHEMA_AT}.properties[kind].default: Forbidden: must not be set in top-level kind`,
    ]);
  });
});

describe('[F-11] invalid validation rules', () => {
  const ruled = (rule: object): Parts =>
    withField({
      type: 'object',
      properties: { a: { type: 'integer' } },
      'x-kubernetes-validations': [rule],
    });
  const at = `${SCHEMA_AT}.properties[x].x-kubernetes-validations[0]`;
  const BEGINNINGS =
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
  const shown = (rule: string): string =>
    `{"Rule":"${rule.replaceAll('<', '\\u003c')}","Message":"","MessageExpression":"","Reason":null,"FieldPath":"","OptionalOldSelf":null}`;

  test.each([
    [
      '[1].all(i, has(self.nope))',
      "ERROR: <input>:1:15: undefined field 'nope'\n | [1].all(i, has(self.nope))\n | ..............^",
    ],
    ['self.b < 1', "ERROR: <input>:1:5: undefined field 'b'\n | self.b < 1\n | ....^"],
    ['self.nope', "ERROR: <input>:1:5: undefined field 'nope'\n | self.nope\n | ....^"],
    ['foo', "ERROR: <input>:1:1: undeclared reference to 'foo' (in container '')\n | foo\n | ^"],
    [
      'self.a + true',
      "ERROR: <input>:1:8: found no matching overload for '_+_' applied to '(int, bool)'\n | self.a + true\n | .......^",
    ],
    [
      '!self.a',
      "ERROR: <input>:1:1: found no matching overload for '!_' applied to '(int)'\n | !self.a\n | ^",
    ],
    [
      'self.a ==',
      `ERROR: <input>:1:10: Syntax error: mismatched input '<EOF>' expecting ${BEGINNINGS}\n | self.a ==\n | .........^`,
    ],
    [
      'self.a == ]',
      `ERROR: <input>:1:11: Syntax error: mismatched input ']' expecting ${BEGINNINGS}\n | self.a == ]\n | ..........^`,
    ],
  ])('a rule that does not compile is refused: %s', (rule, error) => {
    expect(said(ruled({ rule }))).toEqual([
      `${at}.rule: Invalid value: ${shown(rule)}: compilation failed: ${error}`,
    ]);
  });

  test('a rule must return a bool, and its messageExpression a string', () => {
    expect(said(ruled({ rule: 'self.a' }))).toEqual([
      `${at}.rule: Invalid value: ${shown('self.a')}: cel expression must evaluate to a bool`,
    ]);
    expect(said(ruled({ rule: 'true', messageExpression: 'self.a' }))[0]).toContain(
      'messageExpression must evaluate to a string',
    );
  });

  test.each([
    [{ rule: ' ' }, 'rule: Required value: rule is not specified'],
    [{ rule: 'true', message: ' ' }, 'message: Invalid value: " ": must be non-empty if specified'],
    [
      { rule: 'true', message: 'a\nb' },
      'message: Invalid value: "a\\nb": must not contain line breaks',
    ],
    [
      { rule: 'true ||\nfalse' },
      'message: Required value: message must be specified if rule contains line breaks',
    ],
    [
      { rule: 'true', reason: 'X' },
      'reason: Unsupported value: "X": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"',
    ],
    [{ rule: 'true', fieldPath: '.b' }, 'fieldPath: Invalid value: ".b": must be a valid path'],
    [
      { rule: 'self.a > 0', optionalOldSelf: true },
      'optionalOldSelf: Invalid value: true: may not be set if oldSelf is not used in rule',
    ],
  ])('the rule %j is refused', (rule, text) => {
    expect(said(ruled(rule))).toEqual([`${at}.${text}`]);
  });

  test('a rule cannot use oldSelf on list items that cannot be matched with their old values', () => {
    const rules = [{ rule: 'self == oldSelf' }];
    const items = { type: 'string', maxLength: 9, 'x-kubernetes-validations': rules };

    expect(said(withField({ type: 'array', maxItems: 9, items }))).toEqual([
      `${SCHEMA_AT}.properties[x].items.x-kubernetes-validations[0].rule: Invalid value: "self == oldSelf": oldSelf cannot be used on the uncorrelatable portion of the schema within ${SCHEMA_AT}.properties[x]`,
    ]);
  });
});

test.each([
  [
    { name: 'wrong' },
    ['metadata.name: Invalid value: "wrong": must be spec.names.plural+"."+spec.group'],
  ],
  [
    { spec: { scope: 'Galaxy' } },
    ['spec.scope: Unsupported value: "Galaxy": supported values: "Cluster", "Namespaced"'],
  ],
  [
    { names: { kind: 'FooList' } },
    ['spec.names.listKind: Invalid value: "FooList": kind and listKind may not be the same'],
  ],
  [{ names: { singular: '' } }, ['spec.names.singular: Required value']],
  [
    { version: { storage: false } },
    ['spec.versions: Invalid value: must have exactly one version marked as storage version'],
  ],
  [
    { version: { deprecationWarning: 'x' } },
    [
      'spec.versions[0].deprecationWarning: Invalid value: "x": can only be set for deprecated versions',
    ],
  ],
  [{ version: { schema: undefined } }, ['spec.versions[0].schema.openAPIV3Schema: Required value']],
  [
    { version: { subresources: { scale: { specReplicasPath: '.x', statusReplicasPath: '' } } } },
    [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".x": should be a json path under .spec',
      'spec.subresources.scale.statusReplicasPath: Required value',
    ],
  ],
  [
    { version: { additionalPrinterColumns: [{ name: 'a', type: 'odd', jsonPath: 'x' }] } },
    [
      'spec.additionalPrinterColumns[0].type: Invalid value: "odd": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "x": must be a simple json path starting with .',
    ],
  ],
  [
    { version: { selectableFields: [{ jsonPath: '.x' }] } },
    [
      'spec.selectableFields[0].jsonPath: Invalid value: ".x": is an invalid path: does not refer to a valid field',
    ],
  ],
  [
    { spec: { preserveUnknownFields: true } },
    [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  ],
  [
    { spec: { conversion: { strategy: 'Webhook' } } },
    [
      'spec.conversion.webhookClientConfig: Required value: required when strategy is set to Webhook',
    ],
  ],
  [
    { spec: { conversion: { strategy: 'Webhook', webhook: { clientConfig: {} } } } },
    [
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
    ],
  ],
  [
    { status: { storedVersions: ['v0', 'v1'] } },
    [
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  ],
])('[F-11] the definition %j is refused with the errors %j', (parts, expected) => {
  expect(said(parts)).toEqual(expected);
});

test('[F-11] if the schemas of two versions differ, an error in one schema is reported with its version', () => {
  const versions = ['v1', 'v2'].map((name, at) => ({
    name,
    served: true,
    storage: at === 0,
    schema: { openAPIV3Schema: at === 0 ? OBJECT : { type: 'object', properties: { x: {} } } },
  }));

  expect(said({ spec: { versions } })).toEqual([
    'spec.versions[1].schema.openAPIV3Schema.properties[x].type: Required value: must not be empty for specified object fields',
  ]);
});

test('[F-11] the scope of an established definition is immutable', () => {
  const established = { conditions: [{ type: 'Established', status: 'True' }] };
  const before = { status: established };

  expect(said({ ...before, spec: { scope: 'Cluster' } }, before)).toEqual([
    'spec.scope: Invalid value: "Cluster": field is immutable',
  ]);
  expect(said({ spec: { scope: 'Cluster' } }, {})).toEqual([]);
});

describe('[F-11] a definition in a group of the Kubernetes project', () => {
  const within = (group: string, approval?: string): Parts => ({
    spec: { group },
    name: `foos.${group}`,
    ...(approval === undefined
      ? {}
      : { annotations: { 'api-approved.kubernetes.io': approval, other: 'x' } }),
  });
  const FIELD = 'metadata.annotations[api-approved.kubernetes.io]';
  const MISSING = `${FIELD}: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111`;
  const INVALID = `${FIELD}: Invalid value: "invalid": protected groups must have approval annotation "api-approved.kubernetes.io" with either a URL or a reason starting with "unapproved", see https://github.com/kubernetes/enhancements/pull/1111`;

  test.each([
    [within('sigs.k8s.io', 'invalid'), [INVALID]],
    [within('sigs.k8s.io', ''), [MISSING]],
    [within('kubernetes.io'), [MISSING]],
    [within('sigs.k8s.io', 'https://example.dev/approved'), []],
    [within('sigs.kubernetes.io', 'unapproved, other reason'), []],
    [within('different.io', 'invalid'), []],
    [within('different.io'), []],
  ])('a protected group needs an approval annotation: %j', (parts, problems) => {
    expect(said(parts)).toEqual(problems);
  });

  test.each([
    ['invalid', 'still-invalid', []],
    [undefined, '', []],
    ['invalid', undefined, [MISSING]],
    ['unapproved', 'invalid', [INVALID]],
    [undefined, 'invalid', [INVALID]],
    ['invalid', 'unapproved', []],
  ])('an update may keep an invalid approval, but not introduce an invalid approval: %j, then %j', (before, now, problems) => {
    const status = { storedVersions: ['v1'] };

    const complaints = said(
      { ...within('sigs.k8s.io', now), status },
      { ...within('sigs.k8s.io', before), status },
    );

    expect(complaints).toEqual(problems);
  });
});
