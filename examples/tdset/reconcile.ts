import {
  type DesiredStatus,
  findCondition,
  type ReconcileContext,
  type Reconciler,
} from 'chancery';
import { carryOut } from './carry-out.ts';
import type { TDSet } from './resource.ts';
import { planAt, readSchedule } from './schedule.ts';
import { statusOf, statusOfProblem } from './status.ts';

export interface TDSetOptions {
  /** `spec.service` asks for a Service. The original takes the field, and never makes one. */
  readonly createServices: boolean;
}

/** Minutes after which everything is looked at again, as in the original. */
const DEFAULT_INTERVAL_MINUTES = 5;

export function reconciler({ createServices }: TDSetOptions): Reconciler<TDSet> {
  return async (set, context) => {
    if (set.metadata.deletionTimestamp !== undefined) return;
    const { schedulingConfig, defaultReplica, timeZone = 'UTC' } = set.spec;
    const { intervalMint = DEFAULT_INTERVAL_MINUTES } = set.spec;
    const schedule = readSchedule(schedulingConfig, timeZone);
    if ('reason' in schedule) {
      await report(set, statusOfProblem(schedule), context);
      return;
    }
    const nowMs = context.clock.now();
    const plan = planAt(schedule, defaultReplica, nowMs);
    const done = await carryOut({ key: context.key, set, plan, nowMs, createServices, context });
    await report(set, statusOf(schedule, plan, done), context);

    const { nextAtMs = Number.POSITIVE_INFINITY } = plan;
    const { nextInMs = Number.POSITIVE_INFINITY } = done;
    const dueInMs = Math.min(nextAtMs - context.clock.now(), nextInMs, intervalMint * 60_000);
    return { ...done.retry, requeueAfterMs: Math.max(dueInMs, 1) }; // it may be over already
  };
}

/** Sets the status, and when that has changed it tells of each trouble that was not there before. */
async function report(
  set: TDSet,
  status: DesiredStatus<TDSet>,
  { setStatus, event }: ReconcileContext<TDSet>,
): Promise<void> {
  if (!(await setStatus(status))) return;
  for (const { type, status: value, reason, message } of status.conditions ?? []) {
    if (value !== 'True' || !TOLD.has(type)) continue;
    const before = findCondition(set.status?.conditions, type);
    if (before?.status === value && before.message === message) continue;
    event('Warning', type === 'Degraded' ? reason : type, message);
  }
}

/** Conditions that are bad news when they are True. */
const TOLD: ReadonlySet<string> = new Set(['Degraded', 'ScheduleOverlap']);
