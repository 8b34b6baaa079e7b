/** Whatever a client writes in any version: it arrives, and nothing that it did not touch is lost. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import { keptFields } from '../../../operator/schema/conversion/kept-fields.ts';
import { withKept } from '../../../operator/schema/conversion/restored-fields.ts';
import { variedObject } from '../../../operator/schema/samples/varied-object.ts';
import { boats } from './boats.ts';

const schemaOf = (version: string): StructuralSchema =>
  boats.definition.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};

const versions = ['v1alpha1', 'v1beta1', 'v1'];
const version = fc.constantFrom(...versions);

const boatOf = (name: string, random: () => number): KubernetesObject => {
  for (;;) {
    const names = { apiVersion: `harbour.example/${name}`, kind: 'Boat', name: 'ann' };
    const object = variedObject(names, schemaOf(name), random);
    if (object !== undefined) return object;
  }
};

const random = fc
  .infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
  .map((numbers) => () => Number(numbers.next().value));

const convert = (object: KubernetesObject, to: string): KubernetesObject =>
  boats.convert?.(object, to) ?? object;

const fieldsOf = ({
  apiVersion: _version,
  kind: _kind,
  metadata: _metadata,
  ...fields
}: KubernetesObject): object => fields;

test('[A-8] [admission 17] an object that is converted through any versions comes back unchanged', () => {
  fc.assert(
    fc.property(version, fc.array(version, { maxLength: 5 }), random, (from, way, next) => {
      const object = boatOf(from, next);

      const travelled = way.reduce(convert, object);

      expect(convert(travelled, from)).toEqual(object);
    }),
  );
});

test('[A-8] a change written in one version is read in that version by every client', () => {
  fc.assert(
    fc.property(version, version, random, (stored, written, next) => {
      const there = convert(boatOf(stored, next), written);
      const change = { ...there, ...fieldsOf(boatOf(written, next)) };

      const read = convert(convert(change, stored), written);

      expect(fieldsOf(read)).toEqual(fieldsOf(change));
    }),
  );
});

const json = fc.dictionary(fc.constantFrom('a', 'b', 'items'), fc.jsonValue({ maxDepth: 3 }), {
  noNullPrototype: true,
});

test('preserved fields restore any original value, whatever value the client returns', () => {
  fc.assert(
    fc.property(json, json, (original, returned) => {
      const kept = keptFields(original, returned, {});

      expect(withKept(returned, kept)).toEqual(original);
    }),
  );
});

const KEYED: StructuralSchema = {
  type: 'object',
  properties: {
    items: {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['k'],
      items: { type: 'object' },
    },
  },
};

const items = fc.uniqueArray(
  fc.record(
    { k: fc.constantFrom(0, 1, 2, '1', 3, 4), n: fc.nat({ max: 2 }) },
    { requiredKeys: ['k'] },
  ),
  { selector: ({ k }) => k, maxLength: 5 },
);

test('preserved fields restore any keyed list, in its original order, whatever list the client returns', () => {
  fc.assert(
    fc.property(items, items, (original, returned) => {
      const kept = keptFields({ items: original }, { items: returned }, KEYED);

      expect(withKept({ items: returned }, kept)).toEqual({ items: original });
    }),
  );
});
