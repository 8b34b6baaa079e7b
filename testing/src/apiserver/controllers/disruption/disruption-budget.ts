import type { Clock, Condition, LabelSelector, ObjectKey } from 'chancery';
import { controllerOf, keyOf, setCondition, splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { ResourceName, StoredObject } from '../../objects/stored-object.ts';
import { isSelected } from '../../objects/stored-selector.ts';
import { share } from '../apps/deployment.ts';
import { watchSelf } from '../pods/dependents.ts';
import { isFinished, isReady, type Pod } from '../pods/pod.ts';
import { PODS } from '../pods/pod-template.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';

const DISRUPTION_BUDGETS: ResourceName = 'poddisruptionbudgets.policy';

interface DisruptionBudget extends StoredObject {
  readonly spec: {
    readonly minAvailable?: number | string;
    readonly maxUnavailable?: number | string;
    readonly selector?: LabelSelector;
  };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

/** Computes how many of a budget's Pods may be evicted now. */
export function disruptionBudgetController(
  access: ClusterAccess,
  clock: Clock,
): WorkloadController {
  return {
    watches: [
      watchSelf(DISRUPTION_BUDGETS),
      {
        resource: PODS,
        keysFor: ({ object, previous }) =>
          budgetsIn(access, object)
            .filter((budget) => covers(budget, object) || (previous && covers(budget, previous)))
            .map(keyOf),
      },
      ...SCALABLE.map((resource) => ({
        resource,
        keysFor: ({ object }: { object: StoredObject }) => budgetsIn(access, object).map(keyOf),
      })),
    ],
    reconcile: (key) => reconcile(access, clock, key),
  };
}

/** Kinds of controllers whose `spec.replicas` is the expected number of Pods. */
const SCALABLE: readonly ResourceName[] = [
  'deployments.apps',
  'replicasets.apps',
  'statefulsets.apps',
];

function budgetsIn(access: ClusterAccess, { metadata }: StoredObject): readonly DisruptionBudget[] {
  return access.list(DISRUPTION_BUDGETS, metadata.namespace) as readonly DisruptionBudget[];
}

/** An empty selector covers the whole namespace. A missing selector covers nothing. */
function covers({ spec: { selector } }: DisruptionBudget, object: StoredObject): boolean {
  return selector !== undefined && isSelected(selector, object);
}

function reconcile(access: ClusterAccess, clock: Clock, key: ObjectKey): undefined {
  const { namespace, name } = splitKey(key);
  const budget = access.get(DISRUPTION_BUDGETS, namespace, name) as DisruptionBudget | undefined;
  if (budget === undefined || budget.metadata.deletionTimestamp !== undefined) return undefined;
  const pods = (access.list(PODS, namespace) as readonly Pod[]).filter(
    (pod) => covers(budget, pod) && !isFinished(pod),
  );
  const healthy = pods.filter((pod) => isReady(pod) && !pod.metadata.deletionTimestamp).length;
  const { expected, desired } = expectation(access, budget, pods);
  const allowed = expected <= 0 ? 0 : Math.max(healthy - desired, 0);
  const { generation } = budget.metadata;
  const status = {
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    disruptionsAllowed: allowed,
    currentHealthy: healthy,
    desiredHealthy: desired,
    expectedPods: expected,
    conditions: setCondition(
      budget.status?.conditions ?? [],
      {
        type: 'DisruptionAllowed',
        status: allowed > 0 ? 'True' : 'False',
        reason: allowed > 0 ? 'SufficientPods' : 'InsufficientPods',
        message: '',
        ...(generation === undefined ? {} : { observedGeneration: generation }),
      },
      clock.now(),
    ),
  };
  access.updateStatus(DISRUPTION_BUDGETS, { ...budget, status } as StoredObject);
  return undefined;
}

/** The expected number of Pods, and how many of them must stay healthy. */
function expectation(
  access: ClusterAccess,
  { spec: { minAvailable, maxUnavailable } }: DisruptionBudget,
  pods: readonly Pod[],
): { readonly expected: number; readonly desired: number } {
  if (maxUnavailable !== undefined) {
    const expected = expectedScale(access, pods);
    return {
      expected,
      desired: Math.max(expected - share(maxUnavailable, expected, Math.ceil), 0),
    };
  }
  if (typeof minAvailable === 'string') {
    const expected = expectedScale(access, pods);
    return { expected, desired: share(minAvailable, expected, Math.ceil) };
  }
  // If both bounds are omitted, one Pod must stay healthy.
  return { expected: pods.length, desired: minAvailable ?? 1 };
}

/** The sum of `spec.replicas` of the topmost controllers of these Pods. */
function expectedScale(access: ClusterAccess, pods: readonly Pod[]): number {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    const top = topController(access, pod);
    const { replicas } = (top?.spec ?? {}) as { replicas?: number };
    if (top?.metadata.uid !== undefined) scales.set(top.metadata.uid, replicas ?? 1);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

function topController(access: ClusterAccess, object: StoredObject): StoredObject | undefined {
  const reference = controllerOf(object);
  if (reference === undefined) return undefined;
  const resource = access.resourceOf(reference.apiVersion, reference.kind);
  if (resource === undefined) return undefined;
  const owner = access.get(resource, object.metadata.namespace, reference.name);
  return owner === undefined ? undefined : (topController(access, owner) ?? owner);
}
