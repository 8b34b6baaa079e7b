/** One pass over a SampleDB that is to stay: refuse, deploy, upgrade, back up, report. */
import { type DesiredCondition, type Outcome, READY, type ReconcileContext } from 'chancery';
import { runBackups } from './backup.ts';
import { deployPlan } from './deploy.ts';
import { type PlanRun, runPlan } from './plan.ts';
import { type Problem, problemOf } from './problem.ts';
import { conditionOf, initialized, report } from './report.ts';
import type { SampleDb } from './resources/sample-db.ts';
import { type Scene, sceneOf } from './scene.ts';
import { upgradePlan } from './upgrade.ts';

export async function reconcileSampleDb(
  db: SampleDb,
  context: ReconcileContext<SampleDb>,
): Promise<Outcome> {
  const scene = sceneOf(db, context);
  const problem = problemOf(scene);
  if (problem !== undefined) return refuse(scene, problem);

  const deploy = await runPlan(deployPlan(scene), context.signal);
  const upgrading = upgradePlan(scene);
  const upgrade = upgrading && (await runPlan(upgrading, context.signal));
  const { run, backup, wakeInMs } = await runBackups(scene, obstacleOf(deploy, upgrade));

  const running = upgrade?.plan.status === 'FATAL_ERROR' ? upgrade : deploy;
  const phase = phaseOf(deploy, upgrade);
  const conditions = [conditionOf(READY, running.progress), ...initialized(scene, deploy)];
  await report(scene, phase, { deploy, upgrade, backup: run }, conditions, backup);
  return next([deploy, upgrade, run], wakeInMs);
}

/** Why no backup may begin. */
function obstacleOf(deploy: PlanRun, upgrade: PlanRun | undefined): string | undefined {
  if (deploy.plan.status !== 'COMPLETE') return 'the database is not ready';
  const isUpgraded = upgrade === undefined || upgrade.plan.status === 'COMPLETE';
  return isUpgraded ? undefined : 'the database is being upgraded';
}

function phaseOf({ plan }: PlanRun, upgrade: PlanRun | undefined): string {
  if (upgrade !== undefined && upgrade.plan.status !== 'COMPLETE') {
    return upgrade.plan.status === 'FATAL_ERROR' ? 'Failed' : 'Upgrading';
  }
  if (plan.status === 'FATAL_ERROR') return 'Failed';
  return plan.status === 'COMPLETE' ? 'Running' : 'Deploying';
}

/** Nothing is written but that it is refused; a change of the spec wakes us. */
async function refuse(scene: Scene, { reason, message }: Problem): Promise<Outcome> {
  const condition: DesiredCondition = { type: READY, status: 'False', reason, message };
  if (await report(scene, 'Invalid', {}, [condition])) {
    scene.context.event('Warning', reason, message);
  }
}

/** What has failed is the toolkit's to retry; else the earliest that a plan waits for. */
export function next(runs: readonly (PlanRun | undefined)[], wakeInMs?: number): Outcome {
  const failed = runs.find((run) => run?.failure !== undefined);
  if (failed !== undefined) throw failed.failure;
  const times = [wakeInMs, ...runs.map((run) => run?.progress.requeueAfterMs)].filter(
    (ms) => ms !== undefined,
  );
  const soonest = times.length === 0 ? undefined : { requeueAfterMs: Math.min(...times) };
  const refused = runs.find((run) => run?.progress.retry !== undefined)?.progress.retry;
  return refused === undefined ? soonest : { ...refused, ...soonest };
}
