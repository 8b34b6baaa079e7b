import { rfc3339 } from 'chancery/internal-objects';
import type { Cluster } from '../../cluster/cluster.ts';
import { runNow } from '../../cluster/steps.ts';
import { failure, internalError } from '../../failures/failure.ts';
import { isObject, valueAt, withFields } from '../../objects/metadata.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { isSelected } from '../../objects/stored-selector.ts';
import type { DeletionOptions } from '../../request/delete-options.ts';
import { canonical } from '../canonical.ts';
import { deleteObject } from '../deletes/delete.ts';
import { requireStored, type Target } from '../target.ts';

/**
 * Deletes a Pod if its disruption budget allows it.
 *
 * @returns the Pod that is being deleted, or its last state if it is gone; undefined if nothing was written.
 * @throws ApiError 429 when the budget is used up.
 */
export function evictPod(
  cluster: Cluster,
  target: Target,
  options: DeletionOptions,
): StoredObject | undefined {
  const pod = requireStored(cluster, target);
  const isCounted = !isFinished(pod);
  const budget = isCounted ? budgetOf(cluster, pod) : undefined;
  if (budget !== undefined) spendBudget(cluster, budget, pod, options.dryRun);
  if (isCounted && !options.dryRun) announce(cluster, target, pod);
  const { object } = runNow(deleteObject(cluster, target, options));
  return options.dryRun ? undefined : object;
}

/** @throws ApiError 429 when the budget does not allow the eviction of this Pod. */
function spendBudget(
  cluster: Cluster,
  budget: StoredObject,
  pod: StoredObject,
  dryRun: boolean,
): void {
  const { name, generation = 0 } = budget.metadata;
  const observed = valueAt(budget, ['status', 'observedGeneration']);
  if (typeof observed === 'number' && observed < generation) throw notCounted(name);
  const { allowed, healthy, desired } = allowance(cluster, budget);
  if (!isReady(pod) && isFreeToGo(budget, healthy, desired)) return;
  if (allowed <= 0) throw tooManyDisrupted(name, desired, healthy);
  if (!dryRun) spendOne(cluster, budget, pod, allowed);
}

/**
 * True if an unhealthy Pod may be evicted without using up the budget. With the policy `AlwaysAllow` this is
 * always allowed, otherwise only while enough Pods are healthy.
 */
function isFreeToGo(budget: StoredObject, healthy: number, desired: number): boolean {
  if (valueAt(budget, ['spec', 'unhealthyPodEvictionPolicy']) === 'AlwaysAllow') return true;
  return healthy >= desired && desired > 0;
}

/** Adds a condition with the reason of the eviction to the Pod. No field manager owns the condition. */
function announce({ storage, clock }: Cluster, { served }: Target, pod: StoredObject): void {
  const status = isObject(pod.status) ? pod.status : {};
  const others = Array.isArray(status.conditions)
    ? status.conditions.filter((condition) => condition?.type !== 'DisruptionTarget')
    : [];
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    lastProbeTime: null,
    lastTransitionTime: rfc3339(clock.now()),
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  const marked = withFields(pod, { status: { ...status, conditions: [...others, condition] } });
  storage.put(served.storedAs, canonical(served, marked));
}

function isFinished(pod: StoredObject): boolean {
  const phase = valueAt(pod, ['status', 'phase']);
  const ended = phase === 'Succeeded' || phase === 'Failed' || phase === 'Pending';
  return ended || pod.metadata.deletionTimestamp !== undefined;
}

function budgetOf({ storage }: Cluster, pod: StoredObject): StoredObject | undefined {
  const budgets = storage
    .list('poddisruptionbudgets.policy', pod.metadata.namespace)
    .filter((budget) => selects(budget, pod));
  if (budgets.length > 1) {
    throw internalError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  return budgets[0];
}

function selects(budget: StoredObject, pod: StoredObject): boolean {
  const selector = valueAt(budget, ['spec', 'selector']);
  return isObject(selector) && isSelected(selector, pod);
}

interface Allowance {
  readonly allowed: number;
  readonly healthy: number;
  readonly desired: number;
}

/**
 * How many Pods may be evicted, according to the status of the budget. If no controller updates the status,
 * this is computed here.
 */
function allowance(cluster: Cluster, budget: StoredObject): Allowance {
  const status = isObject(budget.status) ? budget.status : {};
  if (status.observedGeneration !== undefined) {
    return {
      allowed: Number(status.disruptionsAllowed ?? 0),
      healthy: Number(status.currentHealthy ?? 0),
      desired: Number(status.desiredHealthy ?? 0),
    };
  }
  const pods = cluster.storage
    .list('pods', budget.metadata.namespace)
    .filter((pod) => selects(budget, pod) && pod.metadata.deletionTimestamp === undefined);
  const healthy = pods.filter(isReady).length;
  const desired = desiredHealthy(budget, pods.length);
  return { allowed: healthy - desired, healthy, desired };
}

function isReady(pod: StoredObject): boolean {
  const conditions = valueAt(pod, ['status', 'conditions']);
  if (!Array.isArray(conditions)) return false;
  return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
}

function desiredHealthy(budget: StoredObject, expected: number): number {
  const { minAvailable, maxUnavailable } = isObject(budget.spec) ? budget.spec : {};
  if (minAvailable !== undefined) return portion(minAvailable, expected);
  if (maxUnavailable === undefined) return expected;
  return Math.max(expected - portion(maxUnavailable, expected), 0);
}

/** A number, or a percentage of the expected Pods, rounded up. */
function portion(value: unknown, expected: number): number {
  if (typeof value === 'number') return value;
  const percent = /^([0-9]+)%$/.exec(String(value))?.[1];
  return percent === undefined ? 0 : Math.ceil((expected * Number(percent)) / 100);
}

/**
 * Reduces the number of allowed disruptions by one. Otherwise a second eviction could use the same disruption
 * before the controller has counted the Pods again.
 */
function spendOne(
  { storage, clock }: Cluster,
  budget: StoredObject,
  { metadata: { name } }: StoredObject,
  allowed: number,
): void {
  const status = isObject(budget.status) ? budget.status : {};
  if (status.observedGeneration === undefined) return;
  const disrupted = isObject(status.disruptedPods) ? status.disruptedPods : {};
  const spent = withFields(budget, {
    status: {
      ...status,
      disruptedPods: { ...disrupted, [name]: rfc3339(clock.now()) },
      disruptionsAllowed: allowed - 1,
    },
  });
  storage.put('poddisruptionbudgets.policy', spent);
}

/**
 * The delay in seconds after which clients should try again, if the controller has not yet counted the Pods.
 */
const COUNTING_SECONDS = 10;

function notCounted(budget: string): Error {
  const message = `The disruption budget ${budget} is still being processed by the server.`;
  const causes = [{ reason: 'DisruptionBudget', message }];
  return failure({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { causes, retryAfterSeconds: COUNTING_SECONDS },
  });
}

function tooManyDisrupted(budget: string, desired: number, healthy: number): Error {
  return failure({
    code: 429,
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget} needs ${desired} healthy pods and has ${healthy} currently`,
        },
      ],
    },
  });
}
