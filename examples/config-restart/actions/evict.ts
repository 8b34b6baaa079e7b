import {
  ApiError,
  controllerOf,
  formatSelector,
  isConflict,
  isNotFound,
  type ReconcileContext,
} from 'chancery';
import { type Pod, pods } from 'chancery/kubernetes';
import type { Pending } from '../entry.ts';
import { isFinished, isReady, isTerminating } from '../pod-state.ts';
import type { AcceptedWatcher } from '../watcher.ts';
import { Availability } from './availability.ts';

type Access = Pick<ReconcileContext, 'client' | 'log' | 'signal'>;

/** How often a replacement is looked for. */
const STEP_MS = 1_000;

/** A disruption budget that does not say when to come back is asked again after this. */
const REFUSED_MS = 5_000;

export interface Eviction {
  /** Pods that still wait for their turn. */
  readonly left: number;
  /** When to take the next step. */
  readonly nextInMs: number;
}

/**
 * Evicts at most one Pod of each owner, and a Ready one only while the owner has all the Ready Pods
 * that it wants. A Pod that is not Ready serves nobody and need not wait: otherwise a
 * bad configuration, after which no Pod becomes Ready, could not be repaired by a good one.
 *
 * Pods of `pending` that are gone, terminating or no longer selected have had their turn.
 */
export async function evictNext(
  namespace: string,
  pending: Pending,
  watchers: readonly AcceptedWatcher[],
  access: Access,
): Promise<Eviction> {
  if (Object.keys(pending.evict).length === 0) return { left: 0, nextInMs: 0 };
  const live = await selectedPods(namespace, watchers, access);
  const waiting = live.filter(
    (pod) =>
      Object.hasOwn(pending.evict, pod.metadata.uid ?? '') &&
      !isTerminating(pod) &&
      !isFinished(pod),
  );
  const availability = new Availability(namespace, pending.readyPods ?? {}, live, access);
  let left = waiting.length;
  let nextInMs = Number.POSITIVE_INFINITY;
  for (const siblings of Map.groupBy(waiting, (pod) => controllerOf(pod)?.uid).values()) {
    const victim = firstToGo(siblings);
    if (isReady(victim) && !(await availability.isComplete(victim))) {
      nextInMs = Math.min(nextInMs, STEP_MS);
      continue;
    }
    const refusedForMs = await evict(victim, access);
    if (refusedForMs === undefined) left--;
    nextInMs = Math.min(nextInMs, refusedForMs ?? STEP_MS);
  }
  return { left, nextInMs };
}

/** Asks for one eviction. Undefined when granted or no longer needed, else when to ask again. */
async function evict(pod: Pod, { client, log, signal }: Access): Promise<number | undefined> {
  const { namespace, name, uid } = pod.metadata;
  try {
    const preconditions = uid === undefined ? {} : { uid };
    await client.evict({ namespace, name }, { preconditions, signal });
    log.info({ pod: name }, 'pod evicted');
    return undefined;
  } catch (error) {
    if (isNotFound(error) || isConflict(error)) return undefined;
    if (!(error instanceof ApiError) || error.status !== 429) throw error;
    const retryInMs = error.retryAfterMs ?? REFUSED_MS;
    log.info({ pod: name, retryInMs, err: error }, 'eviction refused for now');
    return retryInMs;
  }
}

/** One that serves nobody; otherwise the last by name, as a StatefulSet does it. */
function firstToGo(siblings: readonly Pod[]): Pod {
  return siblings.reduce((best, pod) => {
    if (isReady(best) !== isReady(pod)) return isReady(best) ? pod : best;
    return best.metadata.name > pod.metadata.name ? best : pod;
  });
}

async function selectedPods(
  namespace: string,
  watchers: readonly AcceptedWatcher[],
  { client, signal }: Access,
): Promise<readonly Pod[]> {
  const selectors = new Set(watchers.map(({ demand }) => formatSelector(demand.selector)));
  const byUid = new Map<string, Pod>();
  for (const labelSelector of selectors) {
    for (const pod of await client.list(pods, { namespace, labelSelector, signal })) {
      byUid.set(pod.metadata.uid ?? '', pod);
    }
  }
  return [...byUid.values()];
}
