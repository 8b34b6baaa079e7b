/** Whether a rollout of a workload is under way, and the gate that waits for its end. */
import type { KubernetesObject } from 'chancery';
import type { WorkloadKindName } from '../workloads/kind.ts';
import type { RestartGate } from './gate.ts';

/**
 * `underway`: Pods of an older template are there, or new ones are not available. `failed`: the controller of the
 * workload has given up waiting. `done`: everything else, also for a workload whose Pods nobody replaces (paused,
 * or `OnDelete`).
 */
export type RolloutState = 'done' | 'underway' | 'failed';

/** The fields of all kinds that have a rollout. Those of another kind are absent. */
interface RolloutView extends KubernetesObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly paused?: boolean;
    readonly updateStrategy?: {
      readonly type?: string;
      readonly rollingUpdate?: { readonly partition?: number };
    };
  };
  readonly status?: {
    /** A number; in Argo Rollouts a text. */
    readonly observedGeneration?: number | string;
    readonly replicas?: number;
    readonly updatedReplicas?: number;
    readonly readyReplicas?: number;
    readonly availableReplicas?: number;
    readonly currentRevision?: string;
    readonly updateRevision?: string;
    readonly desiredNumberScheduled?: number;
    readonly updatedNumberScheduled?: number;
    readonly numberAvailable?: number;
    /** Of Argo Rollouts. */
    readonly phase?: string;
    readonly conditions?: readonly { readonly type: string; readonly reason?: string }[];
  };
}

/** The rules are those of `kubectl rollout status` (kubectl, pkg/polymorphichelpers/rollout_status.go). */
export function rolloutState(kind: WorkloadKindName, workload: KubernetesObject): RolloutState {
  const view = workload as RolloutView;
  if (kind === 'Job' || kind === 'CronJob' || !isReplacing(kind, view)) return 'done';
  const { generation = 0 } = view.metadata;
  if (Number(view.status?.observedGeneration ?? 0) < generation) return 'underway';
  if (hasFailed(kind, view)) return 'failed';
  return isComplete(kind, view) ? 'done' : 'underway';
}

/** False when a change of the template replaces no Pod. */
function isReplacing(kind: WorkloadKindName, { spec }: RolloutView): boolean {
  if (kind === 'Deployment' || kind === 'Rollout') return spec?.paused !== true;
  return spec?.updateStrategy?.type !== 'OnDelete';
}

function hasFailed(kind: WorkloadKindName, { status }: RolloutView): boolean {
  if (kind === 'Rollout') return status?.phase === 'Degraded';
  return (status?.conditions ?? []).some(
    ({ type, reason }) => type === 'Progressing' && reason === 'ProgressDeadlineExceeded',
  );
}

function isComplete(kind: WorkloadKindName, { spec, status = {} }: RolloutView): boolean {
  const { updatedReplicas: updated = 0, replicas = 0, availableReplicas: available = 0 } = status;
  const wanted = spec?.replicas ?? 1;
  if (kind === 'DaemonSet') {
    const nodes = status.desiredNumberScheduled ?? 0;
    return (status.updatedNumberScheduled ?? 0) >= nodes && (status.numberAvailable ?? 0) >= nodes;
  }
  if (kind === 'StatefulSet') {
    if ((status.readyReplicas ?? 0) < wanted) return false;
    const partition = spec?.updateStrategy?.rollingUpdate?.partition ?? 0;
    if (partition > 0) return updated >= wanted - partition;
    return status.updateRevision === status.currentRevision;
  }
  return updated >= wanted && replicas <= updated && available >= updated;
}

/** How often a waiting gate looks again. It reads the cache alone. */
export const LOOK_AGAIN_MS = 2_000;

/**
 * A rollout that takes longer does not keep back the next restart: the Pods of a StatefulSet that do not become
 * ready may need just the configuration that has changed. The number is the default of `progressDeadlineSeconds`
 * of Deployments.
 */
const MAX_WAIT_MS = 600_000;

/**
 * An entry this old is from an earlier restart, which was not needed any more. Longer than any other gate waits at a
 * time: the ten minutes would begin anew with each of its waits, and never end.
 */
const OUTDATED_MS = 7_200_000;

/** Restarts a workload only after its rollout before has ended, or has failed, or has taken ten minutes. */
export function rolloutWaitGate(): RestartGate {
  /** By uid: since when the gate makes the workload wait, and when it has asked last. */
  const waiting = new Map<string, { readonly sinceMs: number; askedMs: number }>();
  return {
    isPace: true,
    leftMs({ kind, workload }, nowMs) {
      const uid = workload.metadata.uid ?? workload.metadata.name;
      if (rolloutState(kind.kind, workload) !== 'underway') {
        waiting.delete(uid);
        return undefined;
      }
      for (const [each, { askedMs }] of waiting) {
        if (nowMs > askedMs + OUTDATED_MS || nowMs < askedMs) waiting.delete(each);
      }
      const entry = waiting.get(uid) ?? { sinceMs: nowMs, askedMs: nowMs };
      entry.askedMs = nowMs;
      waiting.set(uid, entry);
      if (nowMs >= entry.sinceMs + MAX_WAIT_MS) return undefined;
      const note = 'The restart waits until the rollout that is under way has ended.';
      return { waitMs: LOOK_AGAIN_MS, reason: 'rollout', note };
    },
    restarted({ workload }) {
      waiting.delete(workload.metadata.uid ?? workload.metadata.name);
    },
  };
}
