import { Correlation, type StructuralSchema, type ValidationRule } from 'chancery/internal';
import { describe, expect, test } from 'vitest';
import { judgeRules } from '../../../src/apiserver/cel/compiled-rules.ts';
import { rulesOf } from '../../../src/apiserver/cel/rules.ts';
import type { StoredObject } from '../../../src/apiserver/objects/stored-object.ts';

const SPEC: StructuralSchema = {
  type: 'object',
  properties: {
    replicas: { type: 'integer' },
    name: { type: 'string' },
    ratio: { type: 'number' },
    port: { 'x-kubernetes-int-or-string': true },
    list: { type: 'array', items: { type: 'integer' } },
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: { type: 'object', properties: { name: { type: 'string' }, n: { type: 'integer' } } },
    },
    map: { type: 'object', additionalProperties: { type: 'string' } },
    when: { type: 'string', format: 'date-time' },
    span: { type: 'string', format: 'duration' },
    data: { type: 'string', format: 'byte' },
    'a-b': { type: 'string' },
    namespace: { type: 'string' },
    maybe: { type: 'string', nullable: true },
  },
};

const VALUE = {
  replicas: 3,
  name: 'abc',
  ratio: 1.5,
  port: 5,
  list: [3, 1, 2],
  items: [
    { name: 'a', n: 1 },
    { name: 'b', n: 2 },
  ],
  map: { a: 'x' },
  when: '2020-01-01T00:00:00Z',
  span: '1h30m',
  data: 'aGk=',
  'a-b': 'q',
  namespace: 'ns',
  maybe: null,
};

function schemaWith(rules: readonly ValidationRule[], spec = SPEC): StructuralSchema {
  const ruled = { ...spec, 'x-kubernetes-validations': rules };
  return { type: 'object', properties: { spec: ruled } };
}

interface Change {
  readonly value?: object;
  readonly old?: object;
}

function refusals(
  schema: StructuralSchema,
  { value = VALUE, old }: Change = {},
): readonly (readonly [string, string, string])[] {
  const object = { spec: value } as unknown as StoredObject;
  const previous = old === undefined ? undefined : ({ spec: old } as unknown as StoredObject);
  const correlation = previous && new Correlation(object, previous, schema);
  return (rulesOf(schema)?.problems(object, previous, correlation) ?? []).map(
    ({ field, reason, message }) => [field, reason, message],
  );
}

function said(rule: ValidationRule | string, change?: Change): readonly string[] {
  const one = typeof rule === 'string' ? { rule } : rule;
  return refusals(schemaWith([one]), change).map(([field, , message]) => `${field}: ${message}`);
}

test.each([
  'self.replicas == 3 && self.replicas < 3.5',
  'self.name.matches("(?i)^AB\\\\w\\\\z")',
  'self.port == 5 || self.port == "5"',
  'type(self.port) == string ? self.port.size() > 0 : self.port > 3',
  'self.items.exists_one(i, i.name == "a") && self.items.all(i, i.n > 0)',
  'self.items.map(i, i.name).join(",") == "a,b"',
  'self.list.filter(n, n > 1).size() == 2',
  'self.map.all(k, self.map[k].size() == 1) && "a" in self.map && has(self.map.a)',
  'self.when > timestamp("2019-01-01T00:00:00Z") && self.when.getFullYear() == 2020',
  'self.span == duration("90m")',
  'self.data == b"hi"',
  'self.a__dash__b == "q" && self.__namespace__ == "ns"',
  'has(self.maybe) && dyn(self.maybe) == null',
  'self.list.sum() == 6 && self.list.min() == 1 && self.list.max() == 3',
  '!self.list.isSorted() && [1, 2].isSorted() && self.list.indexOf(1) == 1 && [1, 1].lastIndexOf(1) == 1',
  'self.name.find("b+") == "b" && "a1b2".findAll("[0-9]") == ["1", "2"] && "a1b2".findAll("[0-9]", 1) == ["1"]',
  'url("https://user@a.example:80/p?k=v").getHost() == "a.example:80"',
  'url("https://[::1]:80/p").getHostname() == "::1" && url("https://[::1]:80/p").getPort() == "80"',
  'isURL("/path") && !isURL("path") && url("/p?k=v").getQuery()["k"] == ["v"]',
  'ip("10.0.0.1").family() == 4 && isIP("::1") && !isIP("10.0.0") && string(ip("::1")) == "::1"',
  'ip("127.0.0.1").isLoopback() && ip("8.8.8.8").isGlobalUnicast() && ip("fe80::1").isLinkLocalUnicast()',
  'ip.isCanonical("::1") && !ip.isCanonical("0:0:0:0:0:0:0:1")',
  'cidr("10.0.0.0/8").containsIP("10.1.2.3") && !cidr("10.0.0.0/8").containsIP(ip("11.0.0.1"))',
  'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && cidr("10.1.2.3/8").masked() == cidr("10.0.0.0/8")',
  'cidr("2001:db8::1/32").masked() == cidr("2001:db8::/32") && cidr("::/0").prefixLength() == 0',
  'quantity("1.5Gi").isGreaterThan(quantity("1G")) && quantity("200m").add(quantity("800m")) == quantity("1")',
  'quantity("50k").asInteger() == 50000 && isQuantity("5Mi") && !isQuantity("5x") && sign(quantity("1").sub(2)) == -1',
  '"%s is %d, %.2f, %x".format([self.name, self.replicas, self.ratio, 255]) == "abc is 3, 1.50, ff"',
  'self.name.replace("b", "x") == "axc" && "aXbXc".replace("X", "-", 1) == "a-bXc" && "abc".charAt(1) == "b"',
  'sets.contains([1, 2, 3], self.list) && sets.equivalent([1, 2], [2, 1, 1]) && !sets.intersects([1], [2])',
  '!format.dns1123Label().validate(self.name).hasValue() && format.dns1123Label().validate("A_").hasValue()',
  'self.?name.orValue("") == "abc" && self.map[?"zz"].orValue("d") == "d"',
  '!optional.ofNonZeroValue("").hasValue() && optional.of(1).value() == 1',
  'optional.of(self.replicas).optMap(r, r + 1).orValue(0) == 4 && !optional.none().optMap(r, r).hasValue()',
  'optional.of(self).optFlatMap(s, s.?name).orValue("") == "abc" && self.?name.optMap(n, self.list.all(x, x < 9 && n != "")).value()',
  'optional.of(self.replicas).optMap(x, x > 2 && x < 4).value()',
])('[F-11] the rule %s is true', (rule) => {
  const [verdict] = judgeRules({ ...SPEC, 'x-kubernetes-validations': [{ rule }] }, false);

  expect(verdict?.program).not.toHaveProperty('rejected');
  expect(said(rule)).toEqual([]);
});

test.each([
  ['self.map["zz"] == ""', 'no such key: zz'],
  ['self.list[9] == 1', 'index out of bounds: 9'],
  ['1 / (self.replicas - 3) == 1', 'division by zero'],
  ['quantity("1MM") == quantity("1M")', "unable to parse quantity's suffix"],
  ['quantity(".") == quantity("0")', 'unable to parse numeric part of quantity'],
])('[F-11] the rule %s cannot be evaluated: %s', (rule, why) => {
  expect(said(rule)).toEqual([`spec: Invalid value: "object": ${why} evaluating rule: ${rule}`]);
});

test('[F-11] a type error in a rule on a field of unknown type is reported without details', () => {
  const [text] = said('self.port + 1 == 6', { value: { ...VALUE, port: 'http' } });

  expect(text).toBe(
    'spec: Invalid value: "object": \'no such overload\': call arguments did not match a supported operator, function or macro signature for rule: self.port + 1 == 6',
  );
});

describe('[F-11] the message of a failed rule', () => {
  test('the error of a failed rule without a message contains the rule', () => {
    expect(said('self.replicas > 3')).toEqual([
      'spec: Invalid value: failed rule: self.replicas > 3',
    ]);
  });

  test('the error of a failed rule contains its message without surrounding spaces', () => {
    expect(said({ rule: 'false', message: ' no ' })).toEqual(['spec: Invalid value: no']);
  });

  test('the error of a failed rule contains the result of messageExpression, or the message if there is no usable result', () => {
    const rule = { rule: 'false', message: 'plain' };

    expect(said({ ...rule, messageExpression: '"is " + string(self.replicas)' })).toEqual([
      'spec: Invalid value: is 3',
    ]);
    expect(said({ ...rule, messageExpression: '"\\n"' })).toEqual(['spec: Invalid value: plain']);
    expect(said({ ...rule, messageExpression: 'self.map["zz"]' })).toEqual([
      'spec: Invalid value: plain',
    ]);
  });

  test.each<[NonNullable<ValidationRule['reason']>, string]>([
    ['FieldValueForbidden', 'Forbidden: no'],
    ['FieldValueRequired', 'Required value: no'],
    ['FieldValueDuplicate', 'Duplicate value'],
    ['FieldValueInvalid', 'Invalid value: no'],
  ])('a failed rule reports the reason %s and its fieldPath', (reason, message) => {
    const rule = { rule: 'false', message: 'no', reason, fieldPath: '.items' };

    expect(refusals(schemaWith([rule]))).toEqual([['spec.items', reason, message]]);
  });

  test('the error of a failed rule on a scalar contains the value', () => {
    const name = { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == ""' }] };
    const spec = { type: 'object', properties: { name } };

    expect(refusals({ type: 'object', properties: { spec } })).toEqual([
      ['spec.name', 'FieldValueInvalid', 'Invalid value: "abc": failed rule: self == ""'],
    ]);
  });
});

test('[F-11] rules are checked at the root, in lists and in maps', () => {
  const rule = { 'x-kubernetes-validations': [{ rule: 'false', message: 'no' }] };
  const spec: StructuralSchema = {
    type: 'object',
    properties: {
      list: { type: 'array', items: { type: 'integer', ...rule } },
      map: { type: 'object', additionalProperties: { type: 'string', ...rule } },
    },
  };
  const root = {
    type: 'object',
    properties: { spec },
    'x-kubernetes-validations': [{ rule: 'has(self.spec) && self.metadata.name == ""' }],
  };
  const object = { metadata: { name: 'n' }, spec: { list: [1, 2], map: { k: 'v' } } };

  const found = rulesOf(root)?.problems(object as unknown as StoredObject, undefined, undefined);

  expect(found?.map(({ field }) => field)).toEqual([
    '<nil>',
    'spec.list[0]',
    'spec.list[1]',
    'spec.map[k]',
  ]);
});

describe('[F-11] transition rules', () => {
  const rule = 'self.replicas >= oldSelf.replicas';

  test('a transition rule is not checked on a new object', () => {
    expect(said(rule)).toEqual([]);
  });

  test('a transition rule compares the new object with the old object', () => {
    expect(said(rule, { old: { ...VALUE, replicas: 2 } })).toEqual([]);
    expect(said(rule, { old: { ...VALUE, replicas: 4 } })).toHaveLength(1);
  });

  test.each([
    ['self == oldSelf', 1],
    ['self.items == oldSelf.items', 0],
    ['self.items.all(i, oldSelf.items.exists(o, o == i))', 0],
    ['self.map == oldSelf.map', 0],
  ])('a transition rule compares lists and objects by their values: %s', (one, count) => {
    expect(said(one, { old: { ...structuredClone(VALUE), replicas: 2 } })).toHaveLength(count);
  });

  test('a rule with optionalOldSelf is checked on a new object', () => {
    const optional = {
      rule: 'oldSelf.hasValue() ? oldSelf.value().replicas == self.replicas : self.replicas == 1',
      optionalOldSelf: true,
    };

    expect(said(optional)).toHaveLength(1);
    expect(said(optional, { old: VALUE })).toEqual([]);
  });

  test('a rule with optionalOldSelf can test whether there is an old value', () => {
    const optional = {
      rule: 'oldSelf.optMap(o, o.replicas == self.replicas).orValue(true)',
      optionalOldSelf: true,
    };

    expect(said(optional)).toEqual([]);
    expect(said(optional, { old: { ...VALUE, replicas: 9 } })).toHaveLength(1);
  });

  test('a transition rule in a map list compares items with the same key', () => {
    const items: StructuralSchema = {
      ...(SPEC.properties?.items ?? {}),
      items: {
        ...(SPEC.properties?.items?.items ?? {}),
        'x-kubernetes-validations': [{ rule: 'self.n >= oldSelf.n' }],
      },
    };
    const schema = {
      type: 'object',
      properties: { spec: { type: 'object', properties: { items } } },
    };
    const value = {
      items: [
        { name: 'new', n: 0 },
        { name: 'a', n: 0 },
      ],
    };

    expect(refusals(schema, { value, old: VALUE }).map(([field]) => field)).toEqual([
      'spec.items[1]',
    ]);
  });
});

describe('[F-11] ratcheting of rules', () => {
  const rule = { rule: 'self.replicas < 3', message: 'too many' };

  test('an update may keep a value that violates a rule', () => {
    expect(said(rule, { old: structuredClone(VALUE) })).toEqual([]);
  });

  test('a transition rule is checked even if nothing has changed', () => {
    const grows = { rule: 'self.replicas > oldSelf.replicas' };

    expect(said(grows, { old: structuredClone(VALUE) })).toHaveLength(1);
  });

  test('a changed object must satisfy its rules, even if another field changed', () => {
    expect(said(rule, { old: { ...VALUE, name: 'other' } })).toHaveLength(1);
  });
});

describe('[F-11] cost limits of rules', () => {
  const list = Array.from({ length: 2_000 }, (_, at) => at);

  test.each([
    'self.list.all(a, self.list.all(b, self.list.all(c, a >= 0 && b >= 0 && c >= 0)))',
    'self.list.exists(a, self.list.exists(b, self.list.exists(c, a < 0)))',
    'self.list.map(a, self.list.map(b, self.list.map(c, a))).size() > 0',
    'self.list.exists_one(a, self.list.exists_one(b, self.list.exists_one(c, a < 0)))',
  ])('the rule %s is cancelled because it exceeds the cost limit', (rule) => {
    const after = 'false';
    const schema = schemaWith([{ rule }, { rule: after }]);

    const found = refusals(schema, { value: { ...VALUE, list } });

    expect(found).toEqual([
      [
        'spec',
        'FieldValueInvalid',
        `Invalid value: "object": 'operation cancelled: actual cost limit exceeded': no further validation rules will be run due to call cost exceeds limit for rule: ${rule}`,
      ],
    ]);
  });

  test.each([
    'self.list.all(n, !self.name.matches("[a-c]{9}x[0-9]"))',
    'self.list.all(n, self.name.find("[a-c]{9}x[0-9]") == "")',
    'self.list.all(n, self.name.findAll("[a-c]{9}x[0-9]").size() == 0)',
  ])('[found 2] the cost of %s grows with the strings and the pattern', (rule) => {
    const value = { ...VALUE, name: 'ab'.repeat(100_000), list: list.slice(0, 100) };

    expect(said(rule, { value })).toEqual([
      expect.stringContaining(`actual cost limit exceeded': no further validation rules`),
    ]);
    expect(said(rule, { value: { ...value, name: 'ab' } })).toEqual([]);
  });

  test('[found 2] matching a pattern that the object contains takes a limited number of steps', () => {
    const long = '\\pL*'.repeat(1_500);
    const rule = 'self.name.matches("(?:[ab]{0,50}){0,20}!")';

    expect(said('"x".matches(self.name)', { value: { ...VALUE, name: long } })).toEqual([]);
    expect(said(rule, { value: { ...VALUE, name: 'ab'.repeat(100_000) } })).toEqual([
      `spec: Invalid value: "object": it takes more than 20000000 steps evaluating rule: ${rule}`,
    ]);
  });

  test.each([
    'self.name.contains(self.map["b"])',
    'self.list.all(n, self.name.lowerAscii() != "x")',
    'self.list.all(n, self.name + "a" != "x")',
    'self.list.all(n, self.name.startsWith("q") || true)',
    'self.list.exists(n, self.name.replace("a", "b").split("c").size() > 9)',
    'self.list.all(n, sets.contains(self.list, [n, n]))',
  ])('the cost of %s grows with the length of its values', (rule) => {
    const text = 'ab'.repeat(50_000);
    const value = { ...VALUE, name: text, map: { b: text }, list };

    expect(said(rule, { value })).toEqual([
      expect.stringContaining(`actual cost limit exceeded': no further validation rules`),
    ]);
    expect(said(`${rule} || true`, { value: { ...VALUE, map: { b: 'b' } } })).toEqual([]);
  });

  test('all rules together have a cost budget', () => {
    const rule = { rule: 'self.list.all(a, self.list.all(b, a < b || a >= b)) || true' };
    const rules = Array.from({ length: 60 }, () => rule);
    const half = list.slice(0, 300);

    const found = refusals(schemaWith(rules), { value: { ...VALUE, list: half } });

    expect(found.map(([, , message]) => message)).toEqual([
      'Invalid value: "object": validation failed due to running out of cost budget, no further validation rules will be run',
    ]);
  });
});

test.each([
  ['1h30m', '5400s'],
  ['0', '0s'],
  ['22 ns', '22ns'],
  ['3 weeks', '504h'],
  ['1 day 2 hours', '26h'],
  ['5 minutes', '5m'],
  ['7 millis', '7ms'],
])('[F-11] a rule parses the duration %s as %s', (span, same) => {
  expect(said(`self.span == duration("${same}")`, { value: { ...VALUE, span } })).toEqual([]);
});

test('[F-11] has() is false for a missing field with the name of an inherited property', () => {
  const spec = { type: 'object', properties: { constructor: { type: 'string' } } };
  const schema = schemaWith([{ rule: '!has(self.constructor)' }], spec as StructuralSchema);

  expect(refusals(schema, { value: {} })).toEqual([]);
});

test('a schema without rules has no rule set', () => {
  expect(rulesOf(SPEC)).toBeUndefined();
});
