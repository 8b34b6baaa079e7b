/** Houses: objects that a DecoratorController of a test paints, with ConfigMaps as attachments. */
import type { KubernetesObject } from '../../../../operator/index.ts';
import { decorator, definition } from './farm.ts';
import type { MetacontrollerPlace } from './place.ts';
import type { Subject } from './subject.ts';
import type { HookBody } from './webhooks.ts';

export const FINALIZER = 'metacontroller.io/decoratorcontroller-painter';
export const HOUSES: KubernetesObject = definition('House', 'houses', { group: 'town.example' });

export interface House extends KubernetesObject {
  readonly status?: Readonly<Record<string, unknown>>;
}

interface Asked extends HookBody {
  readonly object: House;
}

/** Decorates houses that have the annotation `paint` and are no ruins. */
export function painter(
  sync: (asked: Asked) => object,
  { finalize, method }: { finalize?: (asked: Asked) => object; method?: string } = {},
): Subject {
  return {
    object: decorator('painter', {
      resources: [
        {
          apiVersion: 'town.example/v1',
          resource: 'houses',
          labelSelector: { matchExpressions: [{ key: 'ruin', operator: 'DoesNotExist' }] },
          annotationSelector: { matchAnnotations: { paint: 'yes' } },
        },
      ],
      attachments: [
        {
          apiVersion: 'v1',
          resource: 'configmaps',
          ...(method !== undefined && { updateStrategy: { method } }),
        },
      ],
    }),
    hooks: { sync: { decide: sync }, ...(finalize && { finalize: { decide: finalize } }) },
  };
}

export function house(name: string, metadata: object = {}): KubernetesObject {
  const annotations = { paint: 'yes' };
  return {
    apiVersion: 'town.example/v1',
    kind: 'House',
    metadata: { name, annotations, ...metadata },
    spec: { floors: 2 },
  } as KubernetesObject;
}

export function bucket(name: string, colour: string): object {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data: { colour } };
}

export function houseOf(place: MetacontrollerPlace, name: string): Promise<House | undefined> {
  return place.env.get<House>('town.example/v1', 'House', place.namespace, name);
}

type Bucket = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

export function bucketOf(place: MetacontrollerPlace, name: string): Promise<Bucket | undefined> {
  return place.env.get<Bucket>('v1', 'ConfigMap', place.namespace, name);
}

export function patched(place: MetacontrollerPlace, name: string, patch: object): Promise<unknown> {
  return place.env.patch('town.example/v1', 'House', place.namespace, name, patch);
}
