import type { Condition } from 'chancery';
import type { StoredObject } from '../../objects/stored-object.ts';

export interface PodCondition extends Partial<Condition> {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly lastProbeTime?: string | null;
}

export interface ContainerSpec {
  readonly name: string;
  readonly image?: string;
  /** `Always` makes an init container a sidecar. */
  readonly restartPolicy?: string;
}

/** The state of a container, with the fields that the controllers use. */
export interface ContainerStatus {
  readonly name: string;
  readonly restartCount?: number;
  readonly state?: {
    readonly terminated?: { readonly exitCode?: number; readonly finishedAt?: string };
    readonly [field: string]: unknown;
  };
  readonly [field: string]: unknown;
}

export interface PodSpec {
  readonly nodeName?: string;
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never';
  readonly containers: readonly ContainerSpec[];
  readonly initContainers?: readonly ContainerSpec[];
  readonly [field: string]: unknown;
}

export interface PodStatus {
  readonly phase?: 'Pending' | 'Running' | 'Succeeded' | 'Failed';
  readonly conditions?: readonly PodCondition[];
  readonly containerStatuses?: readonly ContainerStatus[];
  readonly initContainerStatuses?: readonly ContainerStatus[];
  readonly [field: string]: unknown;
}

/** The fields of a Pod that the controllers use. */
export interface Pod extends StoredObject {
  readonly spec: PodSpec;
  readonly status?: PodStatus;
}

export function podCondition(pod: Pod, type: string): PodCondition | undefined {
  return pod.status?.conditions?.find((condition) => condition.type === type);
}

/** True when the Pod reports that it is ready, even while it is being deleted. */
export function isReady(pod: Pod): boolean {
  return podCondition(pod, 'Ready')?.status === 'True';
}

/** True when the Pod counts as a replica: neither finished nor being deleted. */
export function isActive(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** True when the containers have ended and will not start again. */
export function isFinished(pod: Pod): boolean {
  return pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
}

/** True when the Pod is being deleted and its containers have not ended yet. */
export function isTerminating(pod: Pod): boolean {
  return pod.metadata.deletionTimestamp !== undefined && !isFinished(pod);
}

/** Milliseconds until the Pod has been ready for `minReadySeconds`; undefined when it is not ready. */
export function availableInMs(
  pod: Pod,
  minReadySeconds: number,
  nowMs: number,
): number | undefined {
  const ready = podCondition(pod, 'Ready');
  if (ready?.status !== 'True') return undefined;
  if (minReadySeconds === 0) return 0;
  const since = Date.parse(ready.lastTransitionTime ?? '');
  if (Number.isNaN(since)) return 0;
  return Math.max(since + minReadySeconds * 1_000 - nowMs, 0);
}
