/** `roundTrip`: what it generates, what it reports, and what it finds. */
import { roundTrip } from '@chancery/testing';
import { conversion, customResource, Type } from 'chancery/schema';
import { expect, test } from 'vitest';
import {
  alphaToBeta,
  betaToV1,
  boats,
  v1,
  v1alpha1,
  v1beta1,
} from '../../../test/schema/conversion/boats.ts';

test('[A-8] [admission 17] roundTrip returns 1,000 objects of three versions unchanged, and reports fields that only one version has', () => {
  expect(roundTrip(boats)).toEqual({
    roundTrips: 2_004,
    kept: [
      'v1 → v1beta1: .spec.hull.material',
      'v1 → v1beta1: .spec.papers',
      'v1 → v1beta1: .spec.rig.reefs',
      'v1alpha1 → v1beta1: .spec.color',
      'v1beta1 → v1alpha1: .spec.crew[].role',
      'v1beta1 → v1alpha1: .spec.rig.storm',
      'v1beta1 → v1alpha1: .status.heel',
    ],
  });
});

/** Boats with another function in one place. */
const changed = (
  part: { readonly up?: (object: never) => unknown; readonly down?: (object: never) => unknown },
  of: 'alphaToBeta' | 'betaToV1' = 'betaToV1',
) =>
  customResource({
    group: 'harbour.example',
    kind: 'Boat',
    ...v1,
    otherVersions: [v1alpha1, v1beta1],
    convert: [
      of === 'alphaToBeta' ? { ...alphaToBeta, ...part } : alphaToBeta,
      of === 'betaToV1' ? { ...betaToV1, ...part } : betaToV1,
    ],
  });

test('if both versions have a field and a conversion loses it, roundTrip reports the field and its value', () => {
  const forgetful = changed({
    up: ({ spec: { meters }, status }: { spec: { meters: number }; status?: object }) => ({
      spec: { hull: { meters } },
      ...{ status },
    }),
  });

  expect(() => roundTrip(forgetful)).toThrow(
    /^v1beta1 → v1 loses \.spec\.(crew|rig), which both versions have: [[{]/,
  );
});

test('roundTrip reports a status that a conversion loses', () => {
  const forgetful = changed(
    {
      down: (object: never) => {
        const { spec } = alphaToBeta.down(object) as { spec: object };
        return { spec };
      },
    },
    'alphaToBeta',
  );

  expect(() => roundTrip(forgetful)).toThrow(
    /^v1beta1 → v1alpha1 loses \.status, which both versions have: /,
  );
});

test('roundTrip finds a conversion that remembers earlier objects, and reports the field that changes', () => {
  let calls = 0;
  const moody = changed({
    up: ({ spec }: { spec: object }) => {
      calls += 1;
      return { spec: { ...spec, hull: { meters: calls } } };
    },
  });

  expect(() => roundTrip(moody)).toThrow(
    /^(v1|v1beta1|v1alpha1) → (v1|v1beta1|v1alpha1) → (v1|v1beta1|v1alpha1) changes \.spec\./,
  );
});

test('roundTrip reports a conversion that throws, with its message and the object', () => {
  const broken = changed({
    down: () => {
      throw new Error('no anchor');
    },
  });

  expect(() => roundTrip(broken, { objects: 3 })).toThrow(
    /^v1 → v1beta1 of boats\.harbour\.example team-a\/boat-1: the function threw Error.* \(no anchor\), of \{"apiVersion":"harbour\.example\/v1"/,
  );
});

test('roundTrip generates the same objects for the same seed, and different objects for another seed', () => {
  const seen: string[] = [];
  const watched = changed({
    down: (object: never) => {
      seen.push(JSON.stringify(object));
      return betaToV1.down(object);
    },
  });
  const objectsOf = (seed: number): readonly string[] => {
    seen.length = 0;
    roundTrip(watched, { objects: 9, seed });
    return [...seen];
  };

  expect(objectsOf(4)).toEqual(objectsOf(4));
  expect(objectsOf(4)).not.toEqual(objectsOf(5));
});

test('roundTrip refuses a resource without conversions, and a schema that no object can satisfy', () => {
  const plain = customResource({
    group: 'a.example',
    version: 'v1',
    kind: 'A',
    spec: Type.Object({}),
  });
  const spec = Type.Object({ a: Type.String({ pattern: '^\\d{3}$', maxLength: 2 }) });
  const never = { version: 'v2', spec };
  const old = { version: 'v1', spec };
  const impossible = customResource({
    ...{ group: 'a.example', kind: 'A', ...never, otherVersions: [old] },
    convert: [conversion(old, never, { up: (object) => object, down: (object) => object })],
  });

  expect(() => roundTrip(plain)).toThrow('as.a.example has no conversions');
  expect(() => roundTrip(impossible)).toThrow('no object fits the schema of v2 after 50 attempts');
});
