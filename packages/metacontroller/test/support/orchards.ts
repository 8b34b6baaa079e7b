/** Orchards: parents whose hook a test chooses, with one ConfigMap each. */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from '../../../../operator/index.ts';
import { composite, definition } from './farm.ts';
import { type MetacontrollerPlace, PATIENT } from './place.ts';
import type { Subject, SubjectHook } from './subject.ts';

export const ORCHARDS: KubernetesObject = definition('Orchard', 'orchards', {
  group: 'fruit.example',
});

export interface Orchard extends KubernetesObject {
  readonly status?: { readonly conditions?: readonly Condition[]; readonly trees?: number };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

/** A controller of orchards with this sync hook. */
export function orchards(sync: SubjectHook): Subject {
  return {
    object: composite('orchards', {
      generateSelector: true,
      parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
      childResources: [
        { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'InPlace' } },
      ],
    }),
    hooks: { sync },
  };
}

export function orchard(name: string, trees: number): KubernetesObject {
  return {
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name },
    spec: { trees },
  } as KubernetesObject;
}

/** What a test of orchards reads of a request. */
export interface OrchardRequest {
  readonly parent: KubernetesObject & { readonly spec: { readonly trees: number } };
}

/** The answer of a sound hook. */
export function plan({ parent }: OrchardRequest): object {
  const { trees } = parent.spec;
  const metadata = { name: `${parent.metadata.name}-plan` };
  const data = { trees: String(trees) };
  return { status: { trees }, children: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata, data }] };
}

/** Resolves when the plan of an orchard says this number of trees. */
export async function planned(
  place: MetacontrollerPlace,
  name: string,
  trees: number,
): Promise<KubernetesObject> {
  return await eventually(async () => {
    const map = await place.env.get<KubernetesObject & { readonly data?: Record<string, string> }>(
      ...(['v1', 'ConfigMap', place.namespace, `${name}-plan`] as const),
    );
    return map?.data?.trees === String(trees) ? map : undefined;
  }, PATIENT);
}

/** The condition `Synced` of an orchard, which it has after a failure. */
export async function syncedOf(
  place: MetacontrollerPlace,
  name: string,
): Promise<Condition | undefined> {
  const found = await place.env.get<Orchard>(
    ...(['fruit.example/v1', 'Orchard', place.namespace, name] as const),
  );
  return found?.status?.conditions?.find(({ type }) => type === 'Synced');
}

/** Resolves to this condition once it has this reason. */
export async function syncedWith(
  place: MetacontrollerPlace,
  name: string,
  reason: string,
): Promise<Condition> {
  return await eventually(async () => {
    const condition = await syncedOf(place, name);
    return condition?.reason === reason ? condition : undefined;
  }, PATIENT);
}
