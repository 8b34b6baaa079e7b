/** Objects that a client reads in another version and writes back: meanwhile the API server prunes them, and fills in defaults. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import type { StructuralSchema } from '../../../operator/model/structural-schema.ts';
import { variedObject } from '../../../operator/schema/samples/varied-object.ts';
import { storedForm } from '../../../operator/schema/validation/stored-form.ts';
import { Work } from '../../../operator/schema/work.ts';
import { customResource, Type } from '../../../operator/schema.ts';

const loose = customResource({
  group: 'harbour.example',
  kind: 'Crate',
  version: 'v2',
  spec: Type.Object({
    kilos: Type.Optional(Type.Integer()),
    fragile: Type.Optional(Type.Boolean()),
  }),
  otherVersions: [
    {
      version: 'v1',
      spec: Type.Object({ size: Type.Enum(['small', 'large'], { default: 'small' }) }),
    },
  ],
  convert: [
    {
      older: 'v1',
      newer: 'v2',
      // Both pass on what they do not know, as `...spec` does.
      up: ({ spec: { size, ...spec } }: { readonly spec: { readonly size?: string } }) => ({
        spec: { ...spec, ...(size === undefined ? {} : { kilos: size === 'small' ? 1 : 100 }) },
      }),
      down: ({ spec: { kilos, ...spec } }: { readonly spec: { readonly kilos?: number } }) => ({
        spec: { ...spec, ...(kilos === 100 ? { size: 'large' } : {}) },
      }),
    },
  ],
});

const convert = (object: KubernetesObject, version: string): KubernetesObject =>
  loose.convert?.(object, version) ?? object;

const schemaOf = (version: string): StructuralSchema =>
  loose.definition.spec.versions.find(({ name }) => name === version)?.schema.openAPIV3Schema ?? {};

/** As the API server stores it. */
const stored = (object: KubernetesObject, version: string): KubernetesObject =>
  storedForm(object, schemaOf(version), new Work(10_000)) as KubernetesObject;

test.each([
  ['drops it', { kilos: 100, fragile: true }, false],
  ['fills in a default for it', { kilos: 5 }, true],
  ['fills in a default beside it', { fragile: false }, true],
])('a field is restored when the API server %s', (_what, spec, isKept) => {
  const object: KubernetesObject = {
    apiVersion: 'harbour.example/v2',
    kind: 'Crate',
    metadata: { name: 'c' },
    ...{ spec },
  };

  const there = convert(object, 'v1');
  const back = convert(stored(there, 'v1'), 'v2');

  expect(back).toMatchObject({ spec });
  // The default that was filled in is what a client of v1 has read.
  expect(back?.metadata.annotations !== undefined).toBe(isKept);
  expect(convert(there, 'v2')).toEqual(object);
});

test('an object is the same in every version after a client has written it back in any version', () => {
  const version = fc.constantFrom('v1', 'v2');
  const random = fc
    .infiniteStream(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }))
    .map((numbers) => () => Number(numbers.next().value));
  const crateOf = (name: string, next: () => number): KubernetesObject => {
    const names = { apiVersion: `harbour.example/${name}`, kind: 'Crate', name: 'c' };
    return variedObject(names, schemaOf(name), next) ?? expect.unreachable('no Crate was made');
  };
  fc.assert(
    fc.property(version, version, random, (home, other, next) => {
      const object = crateOf(home, next);

      const written = stored(convert(object, other), other);

      expect(stored(convert(written, home), home)).toEqual({
        ...object,
        metadata: expect.anything(),
      });
    }),
  );
});
