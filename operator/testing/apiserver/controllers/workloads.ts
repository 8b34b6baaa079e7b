import type { Clock } from '../../../core/clock.ts';
import type { ClusterAccess } from '../cluster-access.ts';
import { ControllerRunner } from './controller-runner.ts';
import { daemonSetController } from './daemon-set.ts';
import { deploymentController } from './deployment-controller.ts';
import { disruptionBudgetController } from './disruption-budget.ts';
import { garbageCollector } from './garbage-collector.ts';
import { jobController } from './job.ts';
import { namespaceController } from './namespace.ts';
import { nodeController } from './node.ts';
import { replicaSetController } from './replica-set.ts';
import { statefulSetController } from './stateful-set-controller.ts';

/** How long things take in the simulated part of the cluster, on the server's clock. */
export interface WorkloadOptions {
  /** From the placing of a Pod until it is Running and Ready. Default 300, as in the recordings. */
  readonly podReadyMs?: number;
  /**
   * From the deletion of a Pod until it is gone, but never more than its grace period. Default 300,
   * as in the recordings.
   */
  readonly podStopMs?: number;
  /** For how long a Pod runs that does not restart always, before it succeeds. Default 300. */
  readonly podRunMs?: number;
}

/** What holds for everything that the caller leaves out. */
export const DEFAULT_WORKLOAD_OPTIONS: Readonly<Required<WorkloadOptions>> = {
  podReadyMs: 300,
  podStopMs: 300,
  podRunMs: 300,
};

/**
 * Does what kube-controller-manager, scheduler and kubelet do, as far as clients see it: Deployments
 * become ReplicaSets; these, StatefulSets, DaemonSets and Jobs become Pods; Pods become Ready; owners
 * take their dependents with them, budgets count, namespaces end.
 *
 * Every controller answers committed events on the clock's next turn, so a client gets its answer
 * first. At rest there is no timer, and nothing is written that does not differ.
 *
 * @returns what ends all of it: no timer, no subscription and no write is left after `close`.
 */
export function startWorkloads(
  access: ClusterAccess,
  options: WorkloadOptions,
  clock: Clock,
): { close(): void } {
  const times = { ...DEFAULT_WORKLOAD_OPTIONS, ...options };
  const controllers = [
    deploymentController(access, clock),
    replicaSetController(access, clock),
    statefulSetController(access, clock),
    daemonSetController(access, clock),
    jobController(access, clock),
    nodeController(access, clock, times),
    disruptionBudgetController(access, clock),
    garbageCollector(access),
    namespaceController(access, clock),
  ];
  const runners = controllers.map((controller) => new ControllerRunner(controller, clock));
  for (const runner of runners) runner.start(access);
  return {
    close: () => {
      for (const runner of runners) runner.close();
    },
  };
}
