import { ApiError, isConflict, isNotFound, type ReconcileContext } from 'chancery';
import type { Pod } from 'chancery/kubernetes';
import type { ChaosPlan } from './chaos-plan.ts';

/** Why a Pod was not evicted this time. */
export interface Refusal {
  readonly reason: 'RefusedForNow' | 'PodChanged';
  readonly message: string;
  readonly retryAfterMs: number;
}

/** A budget recovers when a Pod becomes Ready: to ask every second would not help. */
const RETRY_MS = 30_000;

/**
 * Asks for the eviction of this very Pod, and tells who did it. Budgets are asked in a dry run, too.
 *
 * @returns why it was refused for now; undefined when it was not.
 */
export async function evict(
  pod: Pod,
  plan: ChaosPlan,
  { client, events, log }: ReconcileContext<ChaosPlan>,
): Promise<Refusal | undefined> {
  const { namespace, name, uid = '' } = pod.metadata;
  const { dryRun } = plan.spec;
  try {
    await client.evict({ namespace, name }, { preconditions: { uid }, dryRun });
  } catch (error) {
    const refusal = refusalOf(error);
    if (refusal === undefined) throw error;
    log.info({ pod: name, ...refusal }, 'eviction refused for now');
    return refusal;
  }
  log.info({ pod: name, dryRun }, 'pod evicted');
  events.record({
    regarding: pod,
    related: plan,
    type: 'Normal',
    reason: dryRun ? 'ChaosDryRun' : 'ChaosEviction',
    action: 'Evict',
    note: `${dryRun ? 'would be' : 'was'} evicted by ChaosPlan ${namespace}/${plan.metadata.name}, at random`,
  });
  return undefined;
}

function refusalOf(error: unknown): Refusal | undefined {
  if (isNotFound(error) || isConflict(error)) {
    const message = 'the Pod that was drawn is not there any more';
    return { reason: 'PodChanged', message, retryAfterMs: RETRY_MS };
  }
  if (!(error instanceof ApiError) || error.status !== 429) return undefined;
  const message = 'the disruption budget of the Pod that was drawn is used up';
  const retryAfterMs = Math.max(error.retryAfterMs ?? 0, RETRY_MS);
  return { reason: 'RefusedForNow', message, retryAfterMs };
}
