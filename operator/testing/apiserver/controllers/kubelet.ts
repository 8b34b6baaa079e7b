import type { Clock } from '../../../core/clock.ts';
import { type ObjectKey, splitKey } from '../../../model/object.ts';
import type { ClusterAccess, StoredObject } from '../cluster-access.ts';
import { watchSelf } from './dependents.ts';
import { NODES, nodesFor } from './node-selection.ts';
import { isFinished, type Pod, podCondition } from './pod.ts';
import { runningStatus, scheduledStatus, succeededStatus } from './pod-startup.ts';
import { PODS } from './pod-template.ts';
import type { WorkloadController } from './workload-controller.ts';

/** How many milliseconds the containers of every Pod take to be ready, to stop, and to succeed. */
export interface PodTimes {
  readonly podReadyMs: number;
  readonly podStopMs: number;
  readonly podRunMs: number;
}

/** What the node has to do for a Pod next. */
type Phase = 'start' | 'complete' | 'stop';

/** A deadline that the node has set itself for a Pod. */
interface Plan {
  readonly uid: string | undefined;
  readonly phase: Phase;
  readonly dueAt: number;
}

/**
 * Scheduler and kubelet in one: places Pods, makes them Running and Ready after a while, ends those
 * that are meant to end, and stops those that are being deleted.
 */
export function nodeController(
  access: ClusterAccess,
  clock: Clock,
  times: PodTimes,
): WorkloadController {
  const plans = new Map<ObjectKey, Plan>();
  const addresses = podAddresses();

  /** Milliseconds that are left of a phase; it begins when it is first asked for. */
  function leftOf(key: ObjectKey, { metadata: { uid } }: Pod, phase: Phase, ms: number): number {
    const nowMs = clock.monotonic();
    const plan = plans.get(key);
    if (plan?.uid === uid && plan?.phase === phase) return plan.dueAt - nowMs;
    plans.set(key, { uid, phase, dueAt: nowMs + ms });
    return ms;
  }

  function afterPhase(
    key: ObjectKey,
    pod: Pod,
    phase: Phase,
    ms: number,
    act: () => void,
  ): number | undefined {
    const leftMs = leftOf(key, pod, phase, ms);
    if (leftMs > 0) return leftMs;
    plans.delete(key);
    act();
    return undefined;
  }

  function report(pod: Pod, status: object): void {
    access.updateStatus(PODS, { ...pod, status } as StoredObject);
  }

  function stop({ metadata: { namespace, name, uid } }: Pod): void {
    access.delete(PODS, namespace, name, {
      gracePeriodSeconds: 0,
      ...(uid === undefined ? {} : { uid }),
    });
  }

  function reconcile(key: ObjectKey): number | undefined {
    const { namespace, name } = splitKey(key);
    const pod = access.get(PODS, namespace, name) as Pod | undefined;
    if (pod === undefined) {
      plans.delete(key);
      return undefined;
    }
    if (pod.metadata.deletionTimestamp !== undefined) {
      // Held by a finalizer alone: the containers have ended already.
      if (!pod.metadata.deletionGracePeriodSeconds) return undefined;
      const graceMs = pod.metadata.deletionGracePeriodSeconds * 1_000;
      return afterPhase(key, pod, 'stop', Math.min(times.podStopMs, graceMs), () => stop(pod));
    }
    if (isFinished(pod)) return undefined;
    if (!pod.spec.nodeName) return place(access, pod);
    if (podCondition(pod, 'PodScheduled')?.status !== 'True') {
      report(pod, scheduledStatus(pod, clock.now()));
      return undefined;
    }
    if (pod.status?.phase !== 'Running')
      return afterPhase(key, pod, 'start', times.podReadyMs, () =>
        report(pod, runningStatus(pod, addresses(), clock.now())),
      );
    if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return undefined;
    return afterPhase(key, pod, 'complete', times.podRunMs, () =>
      report(pod, succeededStatus(pod, clock.now())),
    );
  }

  return { watches: [watchSelf(PODS), watchPending(access)], reconcile };
}

/** Puts the Pod on the node that has the fewest; without one it stays pending. */
function place(access: ClusterAccess, pod: Pod): undefined {
  const { schedulingGates } = pod.spec;
  if (Array.isArray(schedulingGates) && schedulingGates.length > 0) return undefined;
  const nodeName = leastLoaded(access, nodesFor(access, pod.spec));
  if (nodeName === undefined) return undefined;
  const { namespace, name } = pod.metadata;
  access.patch(PODS, namespace, name, { spec: { nodeName } });
  return undefined;
}

function leastLoaded(access: ClusterAccess, nodes: readonly string[]): string | undefined {
  if (nodes.length <= 1) return nodes[0];
  const load = new Map(nodes.map((node) => [node, 0]));
  for (const { spec } of access.list(PODS) as readonly Pod[]) {
    const node = spec.nodeName ?? '';
    const count = load.get(node);
    if (count !== undefined) load.set(node, count + 1);
  }
  return [...load].toSorted(([, left], [, right]) => left - right)[0]?.[0];
}

/** A node that comes, or takes Pods again, concerns every Pod that waits for one. */
function watchPending(access: ClusterAccess): WorkloadController['watches'][number] {
  return {
    resource: NODES,
    keysFor: () =>
      (access.list(PODS) as readonly Pod[])
        .filter((pod) => !pod.spec.nodeName)
        .map(({ metadata }) => `${metadata.namespace}/${metadata.name}` as ObjectKey),
  };
}

/** Addresses of 10.244.0.0/16, each given once until they come round. */
function podAddresses(): () => string {
  let given = 0;
  return () => {
    given = (given % 65_024) + 1;
    return `10.244.${Math.floor((given - 1) / 254)}.${((given - 1) % 254) + 1}`;
  };
}
