import type { StoredObject } from '../../objects/stored-object.ts';
import type { PodTemplate } from '../pods/pod-template.ts';

export interface DeploymentCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastUpdateTime: string;
  readonly lastTransitionTime: string;
  readonly reason: string;
  readonly message: string;
}

export interface DeploymentStatus {
  readonly observedGeneration?: number;
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly readyReplicas?: number;
  readonly availableReplicas?: number;
  readonly unavailableReplicas?: number;
  readonly terminatingReplicas?: number;
  readonly collisionCount?: number;
  readonly conditions?: readonly DeploymentCondition[];
}

/** The fields of a Deployment that its controller uses. */
export interface Deployment extends StoredObject {
  readonly spec: {
    readonly replicas?: number;
    readonly selector: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template: PodTemplate;
    readonly strategy?: {
      readonly type?: 'RollingUpdate' | 'Recreate';
      readonly rollingUpdate?: {
        readonly maxSurge?: number | string;
        readonly maxUnavailable?: number | string;
      };
    };
    readonly minReadySeconds?: number;
    readonly revisionHistoryLimit?: number;
    readonly progressDeadlineSeconds?: number;
    readonly paused?: boolean;
  };
  readonly status?: DeploymentStatus;
}

export function desiredReplicas(deployment: Deployment): number {
  return deployment.spec.replicas ?? 1;
}

export function isRecreate(deployment: Deployment): boolean {
  return deployment.spec.strategy?.type === 'Recreate';
}

/** How far the number of Pods may go above and below the desired number during a rolling update. */
export interface RolloutBounds {
  readonly surge: number;
  readonly unavailable: number;
}

/** The default of `maxSurge` and of `maxUnavailable`. */
const DEFAULT_BOUND = '25%';

/**
 * The bounds as numbers of Pods. A percentage of the desired replicas is rounded up for the surge, and down
 * for the unavailable Pods. In a rolling update at least one of the two bounds is above zero.
 */
export function rolloutBounds(deployment: Deployment): RolloutBounds {
  if (isRecreate(deployment)) return { surge: 0, unavailable: 0 };
  const replicas = desiredReplicas(deployment);
  const { maxSurge, maxUnavailable } = deployment.spec.strategy?.rollingUpdate ?? {};
  const surge = share(maxSurge ?? DEFAULT_BOUND, replicas, Math.ceil);
  const unavailable = share(maxUnavailable ?? DEFAULT_BOUND, replicas, Math.floor);
  if (surge === 0 && unavailable === 0) return { surge, unavailable: 1 };
  return { surge, unavailable: Math.min(unavailable, replicas) };
}

/** A number, or a percentage of `total`. */
export function share(
  value: number | string,
  total: number,
  round: (exact: number) => number,
): number {
  if (typeof value === 'number') return value;
  const percent = Number.parseInt(value, 10);
  return Number.isNaN(percent) ? 0 : round((percent * total) / 100);
}
