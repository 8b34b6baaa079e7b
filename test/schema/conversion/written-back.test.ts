/** Objects that a client reads in another version and writes back: meanwhile the API server prunes them, and fills in defaults. */
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/model/object.ts';
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

test.each([
  ['drops it', { kilos: 100, fragile: true }, false],
  ['fills in a default for it', { kilos: 5 }, true],
  ['fills in a default beside it', { fragile: false }, true],
])('a field comes back when the API server %s', (_what, spec, isKept) => {
  const object: KubernetesObject = {
    apiVersion: 'harbour.example/v2',
    kind: 'Crate',
    metadata: { name: 'c' },
    ...{ spec },
  };
  const { schema } = loose.definition.spec.versions.find(({ name }) => name === 'v1') ?? {};

  const there = loose.convert?.(object, 'v1') ?? object;
  const written = storedForm(there, schema?.openAPIV3Schema ?? {}, new Work(10_000));

  const back = loose.convert?.(written as typeof there, 'v2');

  expect(back).toMatchObject({ spec });
  // The default that was filled in is what a client of v1 has read.
  expect(back?.metadata.annotations !== undefined).toBe(isKept);
  expect(loose.convert?.(there, 'v2')).toEqual(object);
});
