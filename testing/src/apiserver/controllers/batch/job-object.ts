import { controllerOf, rfc3339 } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import type { Pod, PodCondition } from '../pods/pod.ts';
import { PODS, type PodTemplate } from '../pods/pod-template.ts';
import type { UncountedPods } from './job-pod-count.ts';

export const JOBS: ResourceName = 'jobs.batch';

export interface JobStatus {
  readonly startTime?: string;
  readonly completionTime?: string;
  readonly conditions?: readonly PodCondition[];
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly failedIndexes?: string;
  readonly uncountedTerminatedPods?: Partial<UncountedPods>;
}

/** One rule of `spec.podFailurePolicy`. */
interface FailureRule {
  readonly action: 'Count' | 'FailIndex' | 'FailJob' | 'Ignore';
  readonly onExitCodes?: ExitCodes;
  readonly onPodConditions?: readonly { readonly type: string; readonly status: string }[];
}

export interface ExitCodes {
  readonly containerName?: string;
  readonly operator: 'In' | 'NotIn';
  readonly values: readonly number[];
}

/** The fields of a Job that its controller uses. */
export interface Job extends StoredObject {
  readonly spec: {
    readonly parallelism?: number;
    readonly completions?: number;
    readonly completionMode?: 'NonIndexed' | 'Indexed';
    readonly backoffLimit?: number;
    readonly activeDeadlineSeconds?: number;
    readonly podReplacementPolicy?: 'TerminatingOrFailed' | 'Failed';
    readonly podFailurePolicy?: { readonly rules: readonly FailureRule[] };
    readonly successPolicy?: {
      readonly rules: readonly {
        readonly succeededIndexes?: string;
        readonly succeededCount?: number;
      }[];
    };
    readonly backoffLimitPerIndex?: number;
    readonly maxFailedIndexes?: number;
    readonly managedBy?: string;
    readonly suspend?: boolean;
    readonly ttlSecondsAfterFinished?: number;
    readonly template: PodTemplate;
  };
  readonly status?: JobStatus;
}

export function isOf({ metadata }: Job, pod: Pod): boolean {
  return controllerOf(pod)?.uid === metadata.uid;
}

export function podsOf(access: ClusterAccess, job: Job): readonly Pod[] {
  const pods = access.list(PODS, job.metadata.namespace) as readonly Pod[];
  return pods.filter((pod) => isOf(job, pod));
}

export function isSuspended({ spec }: Job): boolean {
  return spec.suspend === true;
}

/**
 * True when a Pod is replaced only after it has ended; false when it is replaced as soon as its deletion
 * begins.
 */
export function replacesOnlyEnded({ spec }: Job): boolean {
  return spec.podReplacementPolicy === 'Failed' || spec.podFailurePolicy !== undefined;
}

/** The condition of this type if it is true; undefined otherwise. */
export function trueCondition(
  { status }: Job,
  ...types: readonly string[]
): PodCondition | undefined {
  return status?.conditions?.find(
    ({ type, status: state }) => types.includes(type) && state === 'True',
  );
}

/** The content of a condition, without its times. */
export interface ConditionContent {
  readonly type: string;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/**
 * Sets one condition in a list of conditions. An unchanged condition keeps its times. A condition with the
 * status `False` is not added if the list does not contain its type yet.
 */
export function withCondition(
  conditions: readonly PodCondition[],
  { type, status, reason, message }: ConditionContent,
  nowMs: number,
): readonly PodCondition[] {
  const known = conditions.find((condition) => condition.type === type);
  if (known === undefined && status === 'False') return conditions;
  const isSame = known?.status === status && known.reason === reason && known.message === message;
  if (isSame) return conditions;
  const now = rfc3339(nowMs);
  const next = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  return known === undefined
    ? [...conditions, next]
    : conditions.map((condition) => (condition === known ? next : condition));
}
