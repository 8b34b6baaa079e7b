import type { Clock, ObjectKey } from 'chancery';
import { splitKey } from 'chancery/internal-objects';
import type { ClusterAccess } from '../../cluster/cluster-access.ts';
import type { StoredObject } from '../../objects/stored-object.ts';
import { type RecordEvent, recordNothing } from '../events/event-recorder.ts';
import type { WorkloadController } from '../runner/workload-controller.ts';
import { watchSelf } from './dependents.ts';
import { type ContainerSpec, isFinished, type Pod, podCondition } from './pod.ts';
import { killedStatus, runningStatus, scheduledStatus, succeededStatus } from './pod-startup.ts';
import { PODS } from './pod-template.ts';

/**
 * The milliseconds that the containers of every Pod take to become ready, to stop, and to succeed.
 */
export interface PodTimes {
  readonly podReadyMs: number;
  readonly podStopMs: number;
  readonly podRunMs: number;
}

/** The next step of the kubelet for a Pod. */
type Phase = 'start' | 'complete' | 'stop';

/** A planned step for a Pod, and its time. */
interface Plan {
  readonly uid: string | undefined;
  readonly phase: Phase;
  readonly dueAt: number;
}

/**
 * The kubelet of every node. Makes Pods Running and Ready some time after they were scheduled, lets Pods that
 * run to completion succeed, and stops Pods that are being deleted.
 */
export function kubeletController(
  access: ClusterAccess,
  clock: Clock,
  times: PodTimes,
  record: RecordEvent = recordNothing,
): WorkloadController {
  const plans = new Map<ObjectKey, Plan>();
  const addresses = podAddresses();

  /** How many milliseconds of a phase remain. The phase begins with the first call. */
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

  function start(pod: Pod): void {
    report(pod, runningStatus(pod, addresses(), clock.now()));
    for (const container of pod.spec.containers) recordStart(record, pod, container);
  }

  function stop(pod: Pod): void {
    const { namespace, name, uid } = pod.metadata;
    for (const container of pod.spec.containers) {
      record(pod, { reason: 'Killing', message: `Stopping container ${container.name}` });
    }
    // Reports that the Pod has ended. The controller that put a finalizer on the Pod waits for this.
    if (pod.metadata.finalizers !== undefined) report(pod, killedStatus(pod, clock.now()));
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
      // The containers have ended already. The Pod still exists only because it has a finalizer.
      if (!pod.metadata.deletionGracePeriodSeconds) return undefined;
      const graceMs = pod.metadata.deletionGracePeriodSeconds * 1_000;
      return afterPhase(key, pod, 'stop', Math.min(times.podStopMs, graceMs), () => stop(pod));
    }
    if (isFinished(pod) || !pod.spec.nodeName) return undefined;
    if (podCondition(pod, 'PodScheduled')?.status !== 'True') {
      // The Pod was created for a certain node, like the Pods of a DaemonSet. No scheduler has placed it.
      report(pod, scheduledStatus(pod, clock.now()));
      return undefined;
    }
    if (pod.status?.phase !== 'Running')
      return afterPhase(key, pod, 'start', times.podReadyMs, () => start(pod));
    if ((pod.spec.restartPolicy ?? 'Always') === 'Always') return undefined;
    return afterPhase(key, pod, 'complete', times.podRunMs, () =>
      report(pod, succeededStatus(pod, clock.now())),
    );
  }

  return { watches: [watchSelf(PODS)], reconcile };
}

function recordStart(record: RecordEvent, pod: Pod, { name, image = '' }: ContainerSpec): void {
  const message = `Container image "${image}" already present on machine`;
  record(pod, { reason: 'Pulled', message });
  record(pod, { reason: 'Created', message: `Created container: ${name}` });
  record(pod, { reason: 'Started', message: `Started container ${name}` });
}

/** Addresses of 10.244.0.0/16. Each is used once before any is used again. */
function podAddresses(): () => string {
  let count = 0;
  return () => {
    count = (count % 65_024) + 1;
    return `10.244.${Math.floor((count - 1) / 254)}.${((count - 1) % 254) + 1}`;
  };
}
