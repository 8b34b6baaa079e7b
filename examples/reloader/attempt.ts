import type { KubernetesObject, ObjectKey, ReconcileContext } from 'chancery';
import type { Engine } from './engine.ts';
import type { Memory } from './memory.ts';
import { BASELINE } from './record/baseline.ts';
import type { RestartPlan } from './record/plan-types.ts';
import type { Regarding } from './tell/observer.ts';
import type { RestartContext, WorkloadKind } from './workloads/kind.ts';
import { targetOf } from './workloads/rolling.ts';

/** One reconcile of one workload. */
export interface Attempt<T extends KubernetesObject = KubernetesObject> {
  readonly kind: WorkloadKind<T>;
  readonly engine: Engine;
  readonly memory: Memory;
  /** Names the workload among those of all kinds. */
  readonly owner: string;
  readonly key: ObjectKey;
  readonly namespace: string;
  readonly workload: T;
  readonly context: ReconcileContext<T>;
  readonly about: Regarding;
  /** `clock.monotonic()`. */
  readonly beganAtMs: number;
}

/** What a kind works with in this attempt. */
export function restartContext<T extends KubernetesObject>(attempt: Attempt<T>): RestartContext<T> {
  const { context } = attempt;
  return {
    reconcile: context,
    nowMs: context.clock.now(),
    record: (workload, { annotations }) => writeAnnotations(attempt, workload, annotations),
  };
}

/** Writes annotations of the metadata, and nothing that starts a rollout. Valid for this state of the workload only. */
export async function writeAnnotations<T extends KubernetesObject>(
  { kind, context }: Pick<Attempt<T>, 'kind' | 'context'>,
  workload: T,
  annotations: RestartPlan['annotations'],
): Promise<T> {
  if (Object.keys(annotations).length === 0) return workload;
  const { uid, resourceVersion } = workload.metadata;
  const body = { metadata: { uid, resourceVersion, annotations } };
  return context.client.patch(kind.resource, targetOf(workload), { type: 'merge', body });
}

/** Takes note of a baseline that was written, and tells people when it is taken away again and again. */
export function noteWritten<T extends KubernetesObject>(
  { engine, memory, owner, workload, context, about }: Attempt<T>,
  annotations: RestartPlan['annotations'],
): void {
  if (context.dryRun) return; // nothing was stored
  const nowAtMs = context.clock.monotonic();
  const times = memory.baselines.wrote(owner, workload, annotations[BASELINE], nowAtMs);
  if (times !== undefined) engine.observer.reverted(about, times);
}
