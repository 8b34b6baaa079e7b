/** What a pass has found, as status, conditions and Events. */
import type { DesiredCondition } from 'chancery';
import { INITIALIZED } from './deploy.ts';
import { type PlanRun, type PlanStatus, type Progress, REFUSED } from './plan.ts';
import type { SampleDb } from './resources/sample-db.ts';
import { replicasOf, type Scene, statefulSetOf } from './scene.ts';
import { dataVersion } from './upgrade.ts';

export type PlanName = 'deploy' | 'backup' | 'upgrade' | 'cleanup';
export type Runs = Partial<Record<PlanName, PlanRun | undefined>>;
/** Of a plan that may have nothing to do. */
export interface PlanResult {
  readonly run?: PlanRun | undefined;
  readonly backup?: BackupState;
  readonly wakeInMs?: number;
}
export type BackupState = NonNullable<NonNullable<SampleDb['status']>['backup']>;

/**
 * Writes the status, and Events of what has become of the plans; one that has not been run in this pass
 * stays as it was. Resolves to true when the status has changed.
 */
export async function report(
  scene: Scene,
  phase: string,
  runs: Runs,
  conditions: readonly DesiredCondition[],
  backup: BackupState | undefined = scene.db.status?.backup,
): Promise<boolean> {
  const { db, context, name } = scene;
  const set = statefulSetOf(scene);
  const version = dataVersion(scene) ?? db.status?.version;
  const plans: Partial<Record<PlanName, PlanStatus>> = { ...db.status?.plans };
  const hasRun = (Object.entries(runs) as [PlanName, PlanRun | undefined][]).filter(isRun);
  for (const [plan, run] of hasRun) plans[plan] = run.plan;
  const hasChanged = await context.setStatus({
    phase,
    replicas: set?.status?.replicas ?? 0,
    readyReplicas: set?.status?.readyReplicas ?? 0,
    selector: replicasOf(name),
    ...(version !== undefined && { version }),
    ...(backup !== undefined && { backup }),
    plans,
    conditions: merged(db, conditions),
  });
  if (hasChanged) for (const [plan, run] of hasRun) announce(scene, plan, run);
  return hasChanged;
}

const isRun = (entry: [PlanName, PlanRun | undefined]): entry is [PlanName, PlanRun] =>
  entry[1] !== undefined;

/** A condition that this pass says nothing of stays. */
function merged({ status }: SampleDb, stated: readonly DesiredCondition[]) {
  const known = (status?.conditions ?? []).filter(
    ({ type }) => !stated.some((one) => one.type === type),
  );
  return [
    ...known.map(({ type, status: truth, reason, message }) => ({
      type,
      status: truth,
      reason,
      message,
    })),
    ...stated,
  ];
}

const TITLES: Readonly<Record<PlanName, string>> = {
  deploy: 'Deploy',
  backup: 'Backup',
  upgrade: 'Upgrade',
  cleanup: 'Cleanup',
};

/** An Event when a plan ends, or is stuck: not while it goes on, and not again. */
function announce({ db, context }: Scene, name: PlanName, { plan, progress }: PlanRun): void {
  const before = db.status?.plans[name]?.status;
  if (before === plan.status) return;
  if (plan.status === 'COMPLETE') {
    context.event('Normal', `${TITLES[name]}Complete`, `the plan ${name} is complete`);
  }
  if (plan.status === 'FATAL_ERROR' || progress.reason === REFUSED) {
    const reason = progress.reason ?? `${TITLES[name]}Failed`;
    context.event('Warning', reason, progress.message ?? `the plan ${name} has failed`);
  }
}

const REASONS = {
  PENDING: 'Pending',
  IN_PROGRESS: 'InProgress',
  COMPLETE: 'Complete',
  ERROR: 'Error',
  FATAL_ERROR: 'Failed',
} as const;

/** A condition that is True when `progress` is complete. */
export function conditionOf(type: string, progress: Progress): DesiredCondition {
  const { status, message, reason = REASONS[status] } = progress;
  const isTrue = status === 'COMPLETE';
  return { type, status: isTrue ? 'True' : 'False', reason, message: message ?? 'all is done' };
}

/** Once True it stays so: what it says cannot be found out again when the Job is gone. */
export function initialized({ db }: Scene, deploy: PlanRun): readonly DesiredCondition[] {
  if (db.spec.init === undefined) return [];
  const isKnown = db.status?.conditions?.some(
    (one) => one.type === INITIALIZED && one.status === 'True',
  );
  const isDone = isKnown === true || deploy.plan.status === 'COMPLETE';
  const message = isDone ? 'the initial configuration is done' : 'the initial configuration waits';
  const reason = isDone ? 'Complete' : 'Pending';
  return [{ type: INITIALIZED, status: isDone ? 'True' : 'False', reason, message }];
}
