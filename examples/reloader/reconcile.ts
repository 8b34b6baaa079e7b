import {
  type ControllerOptions,
  type GoneContext,
  isConflict,
  type KubernetesObject,
  type ObjectKey,
  type Outcome,
  type ReconcileContext,
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
export type Counted = 'success' | 'skipped';

/** Compares one workload with the resources that concern it, and restarts it when they have changed. */
export function createReconciler<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  engine: Engine,
): Required<Pick<ControllerOptions<T>, 'reconcile' | 'gone'>> {
  const memory = new Memory();
  const begun = ({ key, attempt }: GoneContext): string => {
    const owner = `${kind.kind}/${key}`;
    engine.observer.taken(owner);
    if (attempt > 0) engine.observer.retried(kind.kind);
    return owner;
  };
  const reconcile = async (workload: T, context: ReconcileContext<T>): Promise<Outcome> => {
    const { clock, key } = context;
    const beganAtMs = clock.monotonic();
    const { namespace = '', name } = workload.metadata;
    const owner = begun(context);
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
  const gone = async (key: ObjectKey, context: GoneContext): Promise<Outcome> => {
    const owner = begun(context);
    engine.observer.gone(owner);
    engine.wantedBy.set(owner, new Set());
    memory.forget(owner);
    memory.debounce.settle(key);
    return { requeueAfterMs: (await kind.absent?.(key, context))?.waitMs };
  };
  return { reconcile, gone };
}

async function reconcileWorkload<T extends KubernetesObject>(
  attempt: Attempt<T>,
): Promise<{ readonly result: Outcome; readonly outcome: Counted }> {
  const { kind, engine, memory, owner, key, namespace, workload, context } = attempt;
  const isDeleted = workload.metadata.deletionTimestamp !== undefined;
  const inScope = !isDeleted && engine.scope.includes(namespace, context);
  // Also where the flags leave the namespace out now: a pause that was begun before must end.
  const upkeep = isDeleted ? undefined : await kind.upkeep?.(workload, restartContext(attempt));
  if (upkeep?.written === true) return { result: undefined, outcome: 'success' };
  const isOver = !inScope || kind.isDone?.(workload) === true;
  const template = isOver ? undefined : kind.templateOf(workload);
  if (template === undefined) {
    engine.wantedBy.set(owner, new Set());
    memory.debounce.settle(key);
    setPending(attempt, undefined);
    return { result: earlier(undefined, upkeep?.waitMs), outcome: 'skipped' };
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

function earlier(result: Outcome, waitMs: number | undefined): Outcome {
  if (waitMs === undefined || (result && 'refusal' in result)) return result;
  const requeueAfterMs = result?.requeueAfterMs ?? Number.POSITIVE_INFINITY;
  return waitMs < requeueAfterMs ? { requeueAfterMs: waitMs } : result;
}
