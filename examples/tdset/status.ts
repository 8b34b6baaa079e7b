import { type DesiredCondition, type DesiredStatus, rfc3339 } from 'chancery';
import type { Deployment } from 'chancery/kubernetes';
import type { TDSet } from './resource.ts';
import {
  overlaps,
  type Plan,
  type Schedule,
  type ScheduleProblem,
  uncoveredHours,
  windowText,
} from './schedule.ts';

const MAX_MESSAGE = 1_000;

/** Why something is not as it should be: a reason for programs, and a sentence. */
export interface Trouble {
  readonly reason: string;
  readonly message: string;
}

/** What a reconcile has come to. */
export interface Outcome {
  /** The Deployment as it is now; undefined where there is none that is ours. */
  readonly deployment: Deployment | undefined;
  /** What keeps the children from being what they should be. */
  readonly trouble?: Trouble;
  readonly isSuspended?: boolean;
  /** An autoscaler decides on the replicas, above a floor. */
  readonly isAutoscaled?: boolean;
}

/** The status of a TDSet whose schedule can be kept. */
export function statusOf(schedule: Schedule, plan: Plan, outcome: Outcome): DesiredStatus<TDSet> {
  const uncovered = uncoveredHours(schedule);
  return {
    ...(plan.window && { activeWindow: windowText(plan.window) }),
    desiredReplicas: plan.replicas,
    ...(plan.nextAtMs !== undefined && { nextTransitionTime: rfc3339(plan.nextAtMs) }),
    ...(uncovered.length > 0 && { uncoveredHours: uncovered }),
    conditions: [
      condition('ScheduleValid', 'True', { reason: 'Valid', message: 'every window has hours' }),
      ...overlapOf(schedule),
      ...conditionsOf(plan, outcome),
    ],
  };
}

/** That of one whose schedule cannot be kept: nothing is planned, and nothing was looked at. */
export function statusOfProblem(problem: ScheduleProblem): DesiredStatus<TDSet> {
  const why = { reason: 'ScheduleInvalid', message: problem.message };
  return {
    conditions: [
      condition('ScheduleValid', 'False', problem),
      condition('Degraded', 'True', why),
      ...['Available', 'Progressing', 'Ready'].map((type) => condition(type, 'False', why)),
    ],
  };
}

function conditionsOf(plan: Plan, outcome: Outcome): readonly DesiredCondition[] {
  const { trouble } = outcome;
  const available = availability(outcome);
  const progressing = progress(plan, outcome);
  const nothing = { reason: 'AsExpected', message: 'nothing is in the way' };
  const isReady = trouble === undefined && available.isTrue && !progressing.isTrue;
  const why = trouble ?? (available.isTrue && progressing.isTrue ? progressing : available);
  return [
    condition('Degraded', trouble === undefined ? 'False' : 'True', trouble ?? nothing),
    condition('Available', available.isTrue ? 'True' : 'False', available),
    condition('Progressing', progressing.isTrue ? 'True' : 'False', progressing),
    condition('Ready', isReady ? 'True' : 'False', why),
    ...(trouble?.reason === 'HPAConflict'
      ? [condition('HPAConflict', 'True', { ...trouble, reason: 'AutoscalerFound' })]
      : []),
  ];
}

function availability({ deployment, trouble }: Outcome): Trouble & { readonly isTrue: boolean } {
  if (deployment === undefined) {
    const nothing = { reason: 'NoDeployment', message: 'there is no Deployment' };
    return { ...(trouble ?? nothing), isTrue: false };
  }
  const wanted = deployment.spec.replicas ?? 1;
  const available = deployment.status?.availableReplicas ?? 0;
  const isTrue = available >= wanted;
  const reason = isTrue ? 'ReplicasAvailable' : 'WaitingForReplicas';
  return { reason, message: `${available} of ${wanted} replicas are available`, isTrue };
}

/** Whether the Deployment is on its way to what the schedule says, and where it is. */
function progress(plan: Plan, outcome: Outcome): Trouble & { readonly isTrue: boolean } {
  const { deployment, trouble, isSuspended, isAutoscaled } = outcome;
  if (isSuspended === true) return still('Suspended', 'nothing is written: spec.suspend is true');
  if (trouble !== undefined) return { ...trouble, isTrue: false };
  if (deployment === undefined) return still('NoDeployment', 'there is no Deployment');
  const wanted = deployment.spec.replicas ?? 1;
  if (isAutoscaled !== true && wanted !== plan.replicas) {
    return moving('Ramping', `${wanted} replicas for now, ${plan.replicas} in the end`);
  }
  const { updatedReplicas = 0, replicas = 0, observedGeneration = 0 } = deployment.status ?? {};
  const isSeen = observedGeneration >= (deployment.metadata.generation ?? 0);
  const message = `${updatedReplicas} of ${wanted} replicas are up to date`;
  return isSeen && updatedReplicas === wanted && replicas === wanted
    ? still('AsScheduled', message)
    : moving('RollingOut', message);
}

function still(reason: string, message: string): Trouble & { readonly isTrue: boolean } {
  return { reason, message, isTrue: false };
}

function moving(reason: string, message: string): Trouble & { readonly isTrue: boolean } {
  return { reason, message, isTrue: true };
}

function overlapOf(schedule: Schedule): readonly DesiredCondition[] {
  const pairs = overlaps(schedule);
  if (pairs.length === 0) return [];
  const message = `of two windows the first wins: ${pairs.join('; ')}`;
  return [condition('ScheduleOverlap', 'True', { reason: 'FirstWins', message })];
}

function condition(
  type: string,
  status: 'True' | 'False',
  { reason, message }: Trouble,
): DesiredCondition {
  return { type, status, reason, message: shortened(message) };
}

/** Specs and refusals may be of any length: a status keeps the beginning of what they say. */
function shortened(text: string): string {
  return text.length <= MAX_MESSAGE ? text : `${text.slice(0, MAX_MESSAGE - 1)}…`;
}
