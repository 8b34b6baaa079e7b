/** A change between two definitions is safe in both directions only when it changes descriptions. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkedSchema } from '../../../../operator/schema/checked-schema.ts';
import { checkedDefinition } from '../../../../operator/schema/definition.ts';
import { propertyRuns } from '../../../../test/support/property-runs.ts';
import { crdChanges } from '../../src/crd-check/crd-changes.ts';
import { canonicalJson } from '../../src/crd-check/schema.ts';

const schema = fc.record(
  {
    type: fc.constantFrom('string', 'integer', 'object'),
    description: fc.constantFrom('a', 'b'),
    format: fc.constantFrom('int32', 'date'),
    default: fc.constantFrom(1, '1', { a: 1 }, { a: 2 }),
    enum: fc.subarray(['x', 1, '1']),
    pattern: fc.constantFrom('^a', '^b'),
    minimum: fc.integer({ min: -1, max: 1 }),
    maxLength: fc.integer({ min: 0, max: 2 }),
    maxProperties: fc.integer({ min: 0, max: 1 }),
    nullable: fc.boolean(),
    required: fc.subarray(['a', 'b']),
    multipleOf: fc.constantFrom(2, 3),
    'x-kubernetes-list-type': fc.constantFrom('set', 'atomic'),
    'x-kubernetes-preserve-unknown-fields': fc.constantFrom(true),
    'x-future-keyword': fc.constantFrom(1, 2),
  },
  { requiredKeys: [] },
);

/** One keyword with a new value, or none. */
const change = fc.tuple(schema, fc.nat()).map(([keywords, at]) => {
  const entries = Object.entries(keywords);
  return Object.fromEntries(entries.slice(at % (entries.length + 1)).slice(0, 1));
});

/** Where in the schema of a version the changed schema is. */
const steps = fc.array(
  fc.constantFrom<(inner: object) => object>(
    (inner) => ({ properties: { a: inner, other: {} } }),
    (inner) => ({ properties: { 'a.b': inner } }),
    (inner) => ({ items: inner }),
    (inner) => ({ additionalProperties: inner }),
    (inner) => ({ anyOf: [{}, inner] }),
    (inner) => ({ not: inner }),
  ),
  { maxLength: 4 },
);

const definition = (root: object) =>
  checkedDefinition({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'kites.air.example' },
    spec: {
      names: { kind: 'Kite' },
      scope: 'Cluster',
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: root } }],
    },
  });

const withoutDescriptions = (value: unknown): string =>
  canonicalJson(value)
    .replaceAll(/"description":"[ab]",?/g, '')
    .replaceAll(',}', '}');

test('[I-8] a change is safe in both directions only if it changes nothing but descriptions', () => {
  const [safe, unsafe] = [new Set<number>(), new Set<number>()];
  fc.assert(
    fc.property(steps, schema, change, (path, first, changed) => {
      const placed = (inner: object): object =>
        path.reduceRight<object>((below, step) => step(below), { type: 'object', ...inner });
      const [before, after] = [placed(first), placed({ ...first, ...changed })];

      const [old, now] = [definition(before), definition(after)];
      const isSafe = crdChanges(old, now).length === 0 && crdChanges(now, old).length === 0;

      (isSafe ? safe : unsafe).add(path.length);
      if (!isSafe) return;
      const [a, b] = [before, after].map((each) => withoutDescriptions(checkedSchema(each)));
      expect(a).toBe(b);
    }),
    propertyRuns(4),
  );
  expect([safe.size, unsafe.size].every((size) => size > 2)).toBe(true);
});

test('a finding contains the path of the changed field, at any depth', () => {
  fc.assert(
    fc.property(steps, (path) => {
      const placed = (inner: object): object =>
        path.reduceRight((below, step) => step(below), inner);

      const found = crdChanges(
        definition(placed({ type: 'integer' })),
        definition(placed({ type: 'string' })),
      );

      expect(found.map(({ rule }) => rule)).toEqual(['type']);
      expect(
        found[0]?.path.match(/\.a|\["a\.b"\]|\[\]|\{\}|\(anyOf\[1\]\)|\(not\)/g) ?? [],
      ).toHaveLength(path.length);
    }),
    propertyRuns(),
  );
});
