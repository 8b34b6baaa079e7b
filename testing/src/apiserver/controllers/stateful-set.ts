import type { ResourceName, StoredObject } from '../cluster-access.ts';
import { isReady, isTerminating, type Pod } from './pod.ts';
import type { PodTemplate } from './pod-template.ts';

export const STATEFUL_SETS: ResourceName = 'statefulsets.apps';

/** The fields of a StatefulSet that its controller acts upon. */
export interface StatefulSet extends StoredObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: object;
    readonly template: PodTemplate;
    readonly podManagementPolicy?: 'OrderedReady' | 'Parallel';
    readonly updateStrategy?: {
      readonly type?: 'RollingUpdate' | 'OnDelete';
      readonly rollingUpdate?: { readonly partition?: number };
    };
    readonly volumeClaimTemplates?: readonly VolumeClaimTemplate[];
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly ordinals?: { readonly start?: number };
  };
  readonly status?: { readonly currentRevision?: string };
}

export interface VolumeClaimTemplate {
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
  readonly spec: object;
}

/** The ordinals that the StatefulSet asks for, in order. */
export function wantedOrdinals({ spec }: StatefulSet): readonly number[] {
  const start = spec.ordinals?.start ?? 0;
  return Array.from({ length: spec.replicas ?? 1 }, (_, index) => start + index);
}

/** Pods below this ordinal keep the revision that they have. */
export function partitionOf({ spec }: StatefulSet): number {
  return (spec.ordinals?.start ?? 0) + (spec.updateStrategy?.rollingUpdate?.partition ?? 0);
}

/** The number at the end of the name of a Pod of a StatefulSet. */
export function ordinalOf({ metadata }: StoredObject): number {
  return Number(/-([0-9]+)$/.exec(metadata.name)?.[1] ?? Number.NaN);
}

/** True for a Pod after which the next one may follow. */
export function isHealthy(pod: Pod): boolean {
  return isReady(pod) && pod.status?.phase === 'Running' && !isTerminating(pod);
}
