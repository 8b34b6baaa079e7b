import {
  AWAIT_CHANGE,
  type DesiredCondition,
  findCondition,
  READY,
  type ReconcileContext,
  type Reconciler,
  type Result,
} from 'chancery';
import { type Pod, pods } from 'chancery/kubernetes';
import { rfc3339Micro } from 'chancery/low-level';
import { candidatesAmong, OPT_IN, PROTECTED_NAMESPACES, pick } from './candidates.ts';
import { type ChaosPlan, chaosPlans } from './chaos-plan.ts';
import { evict } from './evict.ts';
import { drawNext, freeAt, type Schedule, scheduleOf } from './schedule.ts';

export interface ChaosOptions {
  /** Uniform numbers in [0, 1). */
  readonly random: () => number;
}

type Context = ReconcileContext<ChaosPlan>;

/** Evicts a Pod when its time has come, and says when the next one's will have. */
export function createReconciler({ random }: ChaosOptions): Reconciler<ChaosPlan> {
  return async (_key, cached, context) => {
    if (cached === undefined || cached.metadata.deletionTimestamp !== undefined) {
      return AWAIT_CHANGE;
    }
    const { namespace = '', name, uid } = cached.metadata;
    if (PROTECTED_NAMESPACES.has(namespace)) return refuse(cached, context);
    // What another replica has evicted may not have reached the cache; the limit holds all the same.
    const plan = await context.client.find(chaosPlans, { namespace, name });
    if (plan === undefined || plan.metadata.uid !== uid) return AWAIT_CHANGE;
    const nowMs = context.clock.now();
    const schedule = scheduleOf(plan, nowMs, random);
    if (plan.spec.maxEvictions === 0) {
      const message = 'spec.maxEvictions is 0';
      const paused = { recent: schedule.recent, nextMs: undefined };
      await state(context, paused, { type: READY, status: 'False', reason: 'Paused', message });
      return AWAIT_CHANGE;
    }
    if (schedule.nextMs > nowMs) return wait(context, schedule, nowMs, plan);
    return takeTurn(plan, schedule, context, random);
  };
}

/** Told once for each plan: a person should know. */
async function refuse({ metadata }: ChaosPlan, { event, setStatus }: Context): Promise<Result> {
  const reason = 'ProtectedNamespace';
  const message = `nothing is evicted in ${metadata.namespace}`;
  const conditions = [{ type: READY, status: 'False', reason, message }] as const;
  if (await setStatus({ conditions })) event('Warning', reason, message);
  return AWAIT_CHANGE;
}

const SCHEDULED: DesiredCondition = {
  type: READY,
  status: 'True',
  reason: 'Scheduled',
  message: 'the next Pod goes at status.nextEvictionTime',
};

/** What the last turn has led to stays to be seen until the next one. */
async function wait(
  context: Context,
  schedule: Schedule,
  nowMs: number,
  { status }: ChaosPlan,
): Promise<Result> {
  const known = findCondition(status?.conditions, READY);
  const { reason, message } = known?.status === 'True' ? known : SCHEDULED;
  await state(context, schedule, { ...SCHEDULED, reason, message });
  return { requeueAfterMs: schedule.nextMs - nowMs };
}

/**
 * Spends the turn, and then evicts: a process that is killed in between evicts one Pod too few, and
 * never one too many.
 */
async function takeTurn(
  plan: ChaosPlan,
  { recent }: Schedule,
  context: Context,
  random: () => number,
): Promise<Result> {
  const { client, clock, self } = context;
  const {
    metadata: { namespace },
    spec,
  } = plan;
  const nowMs = clock.now();
  const optedIn = await client.list(pods, { namespace, labelSelector: OPT_IN });
  const victim: Pod | undefined = pick(candidatesAmong(optedIn, self), random);
  const drawnMs = drawNext(spec, nowMs, random);
  const say = (schedule: Schedule, reason: string, message: string): Promise<boolean> =>
    state(context, schedule, { ...SCHEDULED, reason, message });
  if (victim === undefined) {
    await say(
      { recent, nextMs: drawnMs },
      'NothingToEvict',
      `no Pod with ${OPT_IN} may be evicted`,
    );
    return { requeueAfterMs: drawnMs - nowMs };
  }
  const spent = [...recent, { time: rfc3339Micro(nowMs), pod: victim.metadata.name }];
  const nextMs = Math.max(drawnMs, freeAt(spec, spent));
  const isSpent = await say({ recent: spent, nextMs }, SCHEDULED.reason, SCHEDULED.message);
  if (!isSpent) return AWAIT_CHANGE; // nobody wants it any more: the plan is gone
  const refusal = await evict(victim, plan, context);
  if (refusal === undefined) return { requeueAfterMs: nextMs - nowMs };
  // It was not evicted, and does not count: another draw, when the budget may have recovered.
  const { reason, message, retryAfterMs } = refusal;
  await say({ recent, nextMs: nowMs + retryAfterMs }, reason, message);
  return { requeueAfterMs: retryAfterMs };
}

/** Resolves to whether there was something new to say, and a plan to say it of. */
async function state(
  { setStatus }: Context,
  { recent, nextMs }: Pick<Schedule, 'recent'> & { readonly nextMs: number | undefined },
  condition: DesiredCondition,
): Promise<boolean> {
  return setStatus({
    ...(recent.length > 0 && { evictions: recent }),
    ...(nextMs !== undefined && { nextEvictionTime: rfc3339Micro(nextMs) }),
    conditions: [condition],
  });
}
