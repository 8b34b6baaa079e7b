import { isConflict, type KubernetesObject, type Outcome } from 'chancery';
import { type Attempt, noteWritten, restartContext, writeAnnotations } from '../attempt.ts';
import { BASELINE } from '../record/baseline.ts';
import type { Plan } from '../record/plan.ts';
import type { RestartPlan } from '../record/plan-types.ts';
import type { WorkloadKind } from '../workloads/kind.ts';
import type { GateWait, RestartRequest } from './gate.ts';

type Annotations = RestartPlan['annotations'];

/** In front of keys that are only looked at again: something has changed for this one. */
const PRIORITY = 0;

/** Changes without end put a restart off no longer than this. */
const MAX_DEBOUNCE_MS = 30_000;

/** Restarts the workload if it has to be, once its resources are at rest and every gate lets it pass. */
export async function restartWhenDue<T extends KubernetesObject>(
  attempt: Attempt<T>,
  { annotations = {}, restart }: Plan,
): Promise<Outcome> {
  const { engine, memory, key, context } = attempt;
  if (restart === undefined) {
    memory.debounce.settle(key);
    setPending(attempt, undefined);
    return record(attempt, { ...annotations, ...gateRemovals(attempt) });
  }
  const revision = JSON.stringify(
    restart.changes.map(({ type, name, hash }) => [type, name, hash]),
  );
  const times = { waitMs: engine.options.debounceMs, maxWaitMs: MAX_DEBOUNCE_MS };
  const nowAtMs = context.clock.monotonic();
  // A dry run looks once, and asks what would restart: when is another question.
  const restMs = context.dryRun ? 0 : memory.debounce.leftMs(key, revision, times, nowAtMs);
  if (restMs > 0) return record(attempt, annotations, restMs);

  const complete = {
    ...restart,
    annotations: { ...restart.annotations, ...gateRemovals(attempt) },
  };
  const wait = askGates(attempt, complete);
  if (wait !== undefined) {
    setPending(attempt, wait);
    const waiting = { ...annotations, ...differing(attempt, wait.annotations) };
    return record(attempt, waiting, Math.max(wait.waitMs, 1));
  }
  return carryOut(attempt, complete, annotations);
}

async function carryOut<T extends KubernetesObject>(
  attempt: Attempt<T>,
  plan: RestartPlan,
  otherwise: Annotations,
): Promise<Outcome> {
  const { kind, engine, memory, key, workload, context, about, beganAtMs } = attempt;
  const { observer, gates } = engine;
  const tookMs = (): number => context.clock.monotonic() - beganAtMs;
  try {
    const done = await kind.restart(workload, plan, restartContext(attempt));
    if (done.outcome === 'waiting') return { requeueAfterMs: done.waitMs, priority: PRIORITY };
    if (done.outcome === 'blocked') {
      // `upkeep` may have told it already.
      for (const problem of memory.newBlock(attempt.owner, done.problem)) {
        observer.invalid(about, problem);
      }
      return record(attempt, otherwise);
    }
    memory.debounce.settle(key);
    setPending(attempt, undefined);
    noteWritten(attempt, plan.annotations);
    if (done.outcome === 'recorded') {
      context.log.info({ reason: done.reason }, 'change recorded without a restart');
      return;
    }
    const request = requestOf(attempt, plan);
    for (const gate of gates) gate.restarted?.(request, context.clock.now());
    const causes = plan.changes.map(({ type, name, rule }) => `${type} ${name}: ${rule}`);
    context.log.info({ causes: causes.slice(0, MAX_LOGGED_CAUSES) }, 'workload restarts');
    observer.restarted(about, plan.changes, tookMs());
    return;
  } catch (error) {
    // A lost race is no failure: the newer state of the workload is looked at.
    if (!isConflict(error) && !context.signal.aborted) {
      observer.failed(about, plan.changes, error, tookMs());
    }
    throw error;
  }
}

const MAX_LOGGED_CAUSES = 20;

/** The first wait of the gates, in their order. */
function askGates<T extends KubernetesObject>(
  attempt: Attempt<T>,
  plan: RestartPlan,
): GateWait | undefined {
  const request = requestOf(attempt, plan);
  const { engine, context } = attempt;
  const nowMs = context.clock.now();
  for (const gate of engine.gates) {
    if (context.dryRun && gate.isPace === true) continue;
    const wait = gate.leftMs(request, nowMs);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

function requestOf<T extends KubernetesObject>(
  { kind, workload, context }: Attempt<T>,
  plan: RestartPlan,
): RestartRequest {
  return { kind: kind as unknown as WorkloadKind, workload, plan, context };
}

/** Tells once that a restart waits, and once that it does not wait any more. */
export function setPending<T extends KubernetesObject>(
  { engine, memory, owner, about }: Attempt<T>,
  wait: GateWait | undefined,
): void {
  if (!memory.isNewReason(owner, wait?.reason)) return;
  engine.observer.pending(about, wait?.reason, wait?.note);
}

/** What gates have written while a restart had to wait. */
function gateRemovals<T extends KubernetesObject>({ engine, workload }: Attempt<T>): Annotations {
  const present = workload.metadata.annotations ?? {};
  const own = engine.gates.flatMap(({ annotations = [] }) => annotations);
  return Object.fromEntries(
    own.filter((name) => Object.hasOwn(present, name)).map((name) => [name, null]),
  );
}

function differing<T extends KubernetesObject>(
  { workload }: Attempt<T>,
  annotations: Annotations = {},
): Annotations {
  const present = workload.metadata.annotations ?? {};
  const differs = ([name, value]: readonly [string, string | null]): boolean =>
    value === null ? Object.hasOwn(present, name) : present[name] !== value;
  return Object.fromEntries(Object.entries(annotations).filter(differs));
}

/**
 * Writes what belongs to the metadata now, and asks to be called again after `waitMs`. What somebody takes away again
 * and again is written less and less often.
 */
async function record<T extends KubernetesObject>(
  attempt: Attempt<T>,
  annotations: Annotations,
  waitMs?: number,
): Promise<Outcome> {
  const { memory, owner, workload, context } = attempt;
  const nowAtMs = context.clock.monotonic();
  const { [BASELINE]: baseline, ...others } = annotations;
  const ofGates = Object.keys(others).length > 0 ? JSON.stringify(others) : undefined;
  const baselineMs = memory.baselines.leftMs(owner, baseline, nowAtMs);
  const gatesMs = memory.gateWrites.leftMs(owner, ofGates, nowAtMs);
  const now: Annotations = {
    ...(baseline !== undefined && baselineMs <= 0 && { [BASELINE]: baseline }),
    ...(gatesMs <= 0 && others),
  };
  if (Object.keys(now).length > 0) {
    await writeAnnotations(attempt, workload, now);
    noteWritten(attempt, now);
    if (ofGates !== undefined && gatesMs <= 0) {
      memory.gateWrites.wrote(owner, workload, ofGates, nowAtMs);
    }
  }
  const waits = [waitMs, ...[baselineMs, gatesMs].filter((leftMs) => leftMs > 0)];
  const requeueAfterMs = Math.min(...waits.filter((each) => each !== undefined));
  return Number.isFinite(requeueAfterMs) ? { requeueAfterMs, priority: PRIORITY } : undefined;
}
