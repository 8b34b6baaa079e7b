/**
 * Types that the compiler holds: this file is not run, it only has to compile. `Equal` is false for
 * types that differ in anything, `readonly` included.
 */

import { controller } from '../../operator/controller/controller.ts';
import type { Desired, DesiredStatus } from '../../operator/controller/reconciler.ts';
import type { coreV1 } from '../../operator/kubernetes.ts';
import type { Condition } from '../../operator/model/condition.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import {
  Anything,
  conversion,
  customResource,
  EmbeddedResource,
  type ObjectOf,
  Quantity,
  Type,
} from '../../operator/schema.ts';
import { websites } from './website.ts';

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_T extends true>(): void {}

type Website = ObjectOf<typeof websites>;

holds<Equal<Website['metadata'], ObjectMeta>>();
holds<Equal<Website['spec']['image'], string>>();
holds<Equal<Website['spec']['tier'], 'free' | 'paid'>>();
holds<Equal<Website['spec']['size'], 'S' | 'M' | undefined>>();
holds<Equal<Website['spec']['surge'], number | string | undefined>>();
holds<Equal<Website['spec']['note'], string | null | undefined>>();
holds<Equal<Website['spec']['labels'], { readonly [x: string]: string } | undefined>>();
holds<Equal<Website['spec']['hosts'], readonly string[] | undefined>>();
holds<
  Equal<
    NonNullable<Website['spec']['ports']>[number],
    { readonly name: string; readonly port: number; readonly protocol: string }
  >
>();
holds<Equal<NonNullable<Website['status']>['conditions'], readonly Condition[] | undefined>>();
holds<Equal<NonNullable<Website['status']>['replicas'], number>>();

const websitesAsResource: Resource<Website> = websites;
holds<Equal<ObjectOf<typeof websitesAsResource>, Website>>();

const desired: Desired<Website> = {
  metadata: { name: 'a' },
  spec: { image: 'nginx', replicas: 1, tier: 'free' },
};
const status: DesiredStatus<Website> = {
  replicas: 1,
  conditions: [{ type: 'Ready', status: 'True', reason: 'Ready', message: '' }],
};
// @ts-expect-error a condition without a reason
const wrongStatus: DesiredStatus<Website> = { replicas: 1, conditions: [{ type: 'Ready' }] };
// @ts-expect-error a tier that there is not
const wrongTier: Desired<Website> = { ...desired, spec: { ...desired.spec, tier: 'gold' } };

export const websiteController = controller({
  name: 'website',
  for: websites,
  async reconcile(website, { setStatus }) {
    // @ts-expect-error objects are shared
    website.spec.replicas = 2;
    await setStatus({ ...status, replicas: website.spec.replicas });
  },
});

const bare = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Bare',
  scope: 'Cluster',
  spec: Type.Object({
    any: Anything(),
    embedded: EmbeddedResource(),
    amounts: Type.Record(Type.String(), Quantity()),
  }),
});
type Bare = ObjectOf<typeof bare>;
holds<Equal<Bare['status'], undefined>>();
holds<Equal<Bare['spec']['any'], unknown>>();
holds<Equal<Bare['spec']['embedded']['kind'], string>>();

/** Amounts go from a resource of one's own into a built-in one as they are. */
export function resourcesOf({ spec }: Bare): coreV1.ResourceRequirements {
  return { requests: spec.amounts, limits: { cpu: 2, memory: '1Gi' } };
}

const DAYS = ['Sat', 'Sun'] as const;
const many = customResource({
  group: 'example.dev',
  version: 'v1',
  kind: 'Many',
  spec: Type.Object({ days: Type.Array(Type.Enum(DAYS)), size: Type.Enum([1, 2], { default: 1 }) }),
});
holds<Equal<ObjectOf<typeof many>['spec']['days'], readonly ('Sat' | 'Sun')[]>>();
holds<Equal<ObjectOf<typeof many>['spec']['size'], 1 | 2>>();
holds<Equal<ObjectOf<Resource>, KubernetesObject>>();

export const unused: readonly unknown[] = [wrongStatus, wrongTier];

const crates1 = { version: 'v1', spec: Type.Object({ kilos: Type.Integer() }) };
const crates2 = {
  version: 'v2',
  spec: Type.Object({ grams: Type.Integer(), fragile: Type.Optional(Type.Boolean()) }),
  status: Type.Object({ stowed: Type.Boolean() }),
};

conversion(crates1, crates2, {
  up: ({ spec }) => {
    holds<Equal<typeof spec, { readonly kilos: number }>>();
    return { spec: { grams: spec.kilos * 1_000 }, status: undefined };
  },
  down: ({ spec, status }) => {
    holds<Equal<NonNullable<typeof status>['stowed'], boolean>>();
    return { spec: { kilos: spec.grams / 1_000 } };
  },
});

conversion(crates1, crates2, {
  // @ts-expect-error a status is named, even when there is none
  up: ({ spec }) => ({ spec: { grams: spec.kilos } }),
  // @ts-expect-error the older version has no grams
  down: ({ spec }) => ({ spec: { grams: spec.grams } }),
});

conversion(crates1, crates2, {
  // @ts-expect-error a conversion is synchronous
  up: async ({ spec }) => ({ spec: { grams: spec.kilos }, status: undefined }),
  // The whole object may be returned with another spec.
  down: (object) => ({ ...object, spec: { kilos: object.spec.grams }, status: undefined }),
});
