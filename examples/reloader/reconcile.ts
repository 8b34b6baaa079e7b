import {
  AWAIT_CHANGE,
  isConflict,
  type KubernetesObject,
  type ObjectKey,
  type ReconcileContext,
  type Reconciler,
  type Result,
  splitKey,
} from 'chancery';
import { type Attempt, restartContext } from './attempt.ts';
import type { Engine } from './engine.ts';
import { Memory } from './memory.ts';
import { readBaseline } from './record/baseline.ts';
import { planFor } from './record/plan.ts';
import { restartWhenDue, setPending } from './restart/when-due.ts';
import type { Regarding } from './tell/observer.ts';
import { viewOf, wantedResources } from './wanted.ts';
import type { Problem, WorkloadKind } from './workloads/kind.ts';

/** What a reconcile came to, for the metrics. */
export type Outcome = 'success' | 'skipped';

/** Compares one workload with the resources that concern it, and restarts it when they have changed. */
export function createReconciler<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  engine: Engine,
): Reconciler<T> {
  const memory = new Memory();
  return async (key, workload, context) => {
    const { clock } = context;
    const beganAtMs = clock.monotonic();
    const { namespace = '', name } = splitKey(key);
    const owner = `${kind.kind}/${key}`;
    engine.observer.taken(owner);
    if (context.attempt > 0) engine.observer.retried(kind.kind);
    if (workload === undefined) {
      engine.observer.gone(owner);
      engine.wantedBy.set(owner, new Set());
      memory.forget(owner);
      memory.debounce.settle(key);
      return absentResult(kind, key, context);
    }
    const about = { kind: kind.kind, namespace, name, workload, context } as unknown as Regarding;
    const attempt = { kind, engine, memory, owner, key, namespace, workload, context, about };
    try {
      const { result, outcome } = await reconcileWorkload({ ...attempt, beganAtMs });
      engine.observer.reconciled(outcome, clock.monotonic() - beganAtMs);
      return result;
    } catch (error) {
      if (!isConflict(error)) engine.observer.reconciled('error', clock.monotonic() - beganAtMs);
      throw error;
    }
  };
}

async function reconcileWorkload<T extends KubernetesObject>(
  attempt: Attempt<T>,
): Promise<{ readonly result: Result; readonly outcome: Outcome }> {
  const { kind, engine, memory, owner, key, namespace, workload, context } = attempt;
  const isDeleted = workload.metadata.deletionTimestamp !== undefined;
  const inScope = !isDeleted && engine.scope.includes(namespace, context);
  // Also where the flags leave the namespace out now: a pause that was begun before must end.
  const upkeep = isDeleted ? undefined : await kind.upkeep?.(workload, restartContext(attempt));
  if (upkeep?.written === true) return { result: AWAIT_CHANGE, outcome: 'success' };
  const isOver = !inScope || kind.isDone?.(workload) === true;
  const template = isOver ? undefined : kind.templateOf(workload);
  if (template === undefined) {
    engine.wantedBy.set(owner, new Set());
    memory.debounce.settle(key);
    setPending(attempt, undefined);
    return { result: earlier(AWAIT_CHANGE, upkeep?.waitMs), outcome: 'skipped' };
  }
  const problems = [...(upkeep?.problems ?? [])];
  for (const gate of engine.gates) problems.push(...(gate.problems?.(workload) ?? []));

  const baseline = readBaseline(workload.metadata.annotations);
  const remembered = memory.baselines.of(owner, workload);
  const view = viewOf(kind, workload, template);
  const recorded = { ...remembered, ...baseline };
  const found = await wantedResources(owner, workload, view, recorded, engine, context);
  tell(attempt, [...problems, ...found.problems]);
  const { wanted, ignored, lists } = found;
  const nowMs = context.clock.now();
  const input = { namespace, template, baseline, remembered, wanted, ignored, lists, nowMs };
  const keepsTemplate = kind.keepsTemplate?.(workload) === true;
  const plan = planFor({ ...input, keepsTemplate, options: engine.options });
  count(attempt, wanted.length, plan);
  const result = await restartWhenDue(attempt, plan);
  const outcome = plan.restart === undefined ? 'skipped' : 'success';
  return { result: earlier(earlier(result, upkeep?.waitMs), found.waitMs), outcome };
}

async function absentResult<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  key: ObjectKey,
  reconcile: ReconcileContext<T>,
): Promise<Result> {
  const given = { reconcile, nowMs: reconcile.clock.now(), record: refuseRecord };
  const outcome = await kind.absent?.(key, given);
  return earlier(AWAIT_CHANGE, outcome?.waitMs);
}

/** A bug of a kind: a workload that does not exist has no metadata to write. */
function refuseRecord(): Promise<never> {
  return Promise.reject(new TypeError('absent() called record()'));
}

function tell<T extends KubernetesObject>(
  { engine, memory, owner, about }: Attempt<T>,
  problems: readonly Problem[],
): void {
  for (const problem of memory.newProblems(owner, problems))
    engine.observer.invalid(about, problem);
}

function count<T extends KubernetesObject>(
  { kind, engine: { observer } }: Attempt<T>,
  wantedCount: number,
  { restart, unshown }: ReturnType<typeof planFor>,
): void {
  observer.scanned(kind.kind);
  if (wantedCount > 0) observer.matched(kind.kind);
  if (restart !== undefined) return;
  const reason = wantedCount === 0 ? 'ignored_or_not_selected' : 'no_data_change';
  observer.skipped(unshown > 0 ? 'strategy_not_updated' : reason, kind.kind);
}

function earlier(result: Result, waitMs: number | undefined): Result {
  if (waitMs === undefined || result.refusal !== undefined) return result;
  const { requeueAfterMs = Number.POSITIVE_INFINITY } = result;
  return waitMs < requeueAfterMs ? { requeueAfterMs: waitMs } : result;
}
