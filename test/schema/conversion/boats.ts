/** A resource with three versions, of which each has something that its neighbour does not express. */
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { conversion, customResource, ListMap, ListSet, Type } from '../../../operator/schema.ts';

const sails = Type.Integer({ minimum: 0, maximum: 40 });

export const v1alpha1 = {
  version: 'v1alpha1',
  spec: Type.Object({
    length: Type.String({ pattern: '^[0-9]{1,3}m$' }),
    sails: Type.Optional(sails),
    crew: Type.Optional(ListSet(Type.String({ minLength: 1 }))),
    color: Type.Optional(Type.String()),
  }),
  status: Type.Object({ afloat: Type.Boolean() }),
};

export const v1beta1 = {
  version: 'v1beta1',
  spec: Type.Object({
    meters: Type.Integer({ minimum: 0, maximum: 999 }),
    rig: Type.Optional(Type.Object({ sails, storm: Type.Optional(Type.Boolean()) })),
    crew: Type.Optional(
      ListMap(
        Type.Object({ name: Type.String({ minLength: 1 }), role: Type.Optional(Type.String()) }),
        ['name'],
      ),
    ),
  }),
  status: Type.Object({ afloat: Type.Boolean(), heel: Type.Optional(Type.Integer()) }),
};

export const v1 = {
  version: 'v1',
  spec: Type.Object({
    hull: Type.Object({
      meters: Type.Integer({ minimum: 0, maximum: 999 }),
      material: Type.Optional(Type.Enum(['wood', 'steel'])),
    }),
    rig: Type.Optional(
      Type.Object({ sails, storm: Type.Optional(Type.Boolean()), reefs: Type.Optional(sails) }),
    ),
    crew: v1beta1.spec.properties.crew,
    papers: Type.Optional(Type.Record(Type.String(), Type.String())),
  }),
  status: v1beta1.status,
};

/** Objects may be older than the rules of their schema. */
const metersOf = (length: string | undefined): number => Number.parseInt(length ?? '0', 10) || 0;

export const alphaToBeta = conversion(v1alpha1, v1beta1, {
  up: ({ spec, status }) => ({
    spec: {
      meters: metersOf(spec.length),
      ...(spec.sails === undefined ? {} : { rig: { sails: spec.sails } }),
      ...(spec.crew === undefined ? {} : { crew: spec.crew.map((name) => ({ name })) }),
    },
    status,
  }),
  down: ({ spec, status }) => ({
    spec: {
      length: `${spec.meters}m`,
      ...(spec.rig === undefined ? {} : { sails: spec.rig.sails }),
      ...(spec.crew === undefined ? {} : { crew: spec.crew.map(({ name }) => name) }),
    },
    status: status && {
      afloat: status.afloat,
      ...(status.conditions === undefined ? {} : { conditions: status.conditions }),
      ...(status.observedGeneration === undefined
        ? {}
        : { observedGeneration: status.observedGeneration }),
    },
  }),
});

export const betaToV1 = conversion(v1beta1, v1, {
  up: ({ spec: { meters, ...spec }, status }) => ({ spec: { ...spec, hull: { meters } }, status }),
  down: ({ spec: { hull, papers: _papers, rig, ...spec }, status }) => ({
    spec: {
      ...spec,
      meters: hull.meters,
      ...(rig === undefined
        ? {}
        : {
            rig: {
              sails: rig.sails,
              ...(rig.storm === undefined ? {} : { storm: rig.storm }),
            },
          }),
    },
    status,
  }),
});

export const boats = customResource({
  group: 'harbour.example',
  kind: 'Boat',
  ...v1,
  otherVersions: [v1alpha1, v1beta1],
  convert: [alphaToBeta, betaToV1],
});

/** A Boat of this version. */
export function boat(
  version: string,
  fields: object,
  metadata: Partial<KubernetesObject['metadata']> = {},
): KubernetesObject {
  const identity = { name: 'ann', namespace: 'quay', uid: 'uid-of-ann' };
  return {
    apiVersion: `harbour.example/${version}`,
    kind: 'Boat',
    metadata: { ...identity, ...metadata },
    ...fields,
  };
}
