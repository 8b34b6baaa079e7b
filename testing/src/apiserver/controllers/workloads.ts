import type { Clock } from 'chancery';
import type { ClusterAccess } from '../cluster/cluster-access.ts';
import { daemonSetController } from './apps/daemon-set.ts';
import { deploymentController } from './apps/deployment-controller.ts';
import { replicaSetController } from './apps/replica-set.ts';
import { statefulSetController } from './apps/stateful-set-controller.ts';
import { cronJobController } from './batch/cron-job.ts';
import { jobController } from './batch/job.ts';
import { disruptionBudgetController } from './disruption/disruption-budget.ts';
import {
  eventRecorder,
  newEventRecorder,
  type RecordEvent,
  recordNothing,
} from './events/event-recorder.ts';
import { garbageCollector } from './garbage-collection/garbage-collector.ts';
import { namespaceController } from './namespaces/namespace.ts';
import { rootCaPublisher } from './namespaces/root-ca.ts';
import { serviceAccountController } from './namespaces/service-account.ts';
import { kubeletController, type PodTimes } from './pods/kubelet.ts';
import { PodLimit } from './pods/pod-limit.ts';
import { schedulerController } from './pods/scheduler.ts';
import { ControllerRunner } from './runner/controller-runner.ts';
import { CountedAccess } from './runner/counted-access.ts';
import {
  type Pace,
  type PacedController,
  RECORDED_PACES,
  WriteBudget,
  type WriteLimit,
} from './runner/pace.ts';
import type { WorkloadController } from './runner/workload-controller.ts';
import { endpointSliceController } from './services/endpoint-slice.ts';
import { endpointsController } from './services/endpoints.ts';

/** How fast the simulated controllers, scheduler and kubelet work, on the server's clock. */
export interface WorkloadOptions {
  /**
   * The time from the scheduling of a Pod until it is Running and Ready, in milliseconds. Default 300, as in
   * the recordings.
   */
  readonly podReadyMs?: number;
  /**
   * The time from the deletion of a Pod until it is removed, in milliseconds. It is never longer than the
   * grace period of the Pod. Default 300, as in the recordings.
   */
  readonly podStopMs?: number;
  /**
   * How long a Pod runs before it succeeds, in milliseconds, unless its `restartPolicy` is `Always`. Default
   * 300.
   */
  readonly podRunMs?: number;
  /** The controllers that run. If omitted, all run. */
  readonly only?: readonly ControllerName[];
  /** The speed of controllers. Default for each omitted controller: `RECORDED_PACES`. */
  readonly paces?: Partial<Readonly<Record<PacedController, Pace>>>;
  /**
   * The write limit of each controller. kube-controller-manager allows 20 a second and a burst of
   * 30, and counts refused writes, reads and Events too. If omitted, writes are unlimited.
   */
  readonly writeLimit?: WriteLimit;
  /**
   * Whether the kubelet records Events with the reasons `Pulled`, `Created`, `Started` and `Killing`. Default
   * false.
   */
  readonly kubeletEvents?: boolean;
}

/** The values of options that are omitted. */
const DEFAULT_WORKLOAD_OPTIONS: Readonly<PodTimes> = {
  podReadyMs: 300,
  podStopMs: 300,
  podRunMs: 300,
};

/** Returns the cluster access of one program. The program's name is the field manager of its writes. */
export type AccessOf = (manager: Manager) => ClusterAccess;

/**
 * The programs that contain the controllers in a real cluster. No containers run here, although one program
 * is the kubelet.
 */
export type Manager = 'kube-controller-manager' | 'kube-scheduler' | 'kubelet';

/** The objects that a controller gets to do its work. */
interface Tools {
  readonly access: ClusterAccess;
  readonly clock: Clock;
  readonly times: PodTimes;
  readonly record: RecordEvent;
}

interface Part {
  readonly manager?: Manager;
  readonly pace?: PacedController;
  /** The reporting component of the controller's Events. If omitted, the controller records no Events. */
  readonly component?: string;
  make(tools: Tools): WorkloadController;
}

/** The name of a controller, taken from the objects that it manages. */
export type ControllerName =
  | 'serviceAccount'
  | 'rootCa'
  | 'deployment'
  | 'replicaSet'
  | 'statefulSet'
  | 'daemonSet'
  | 'job'
  | 'cronJob'
  | 'endpoints'
  | 'endpointSlice'
  | 'scheduler'
  | 'kubelet'
  | 'disruptionBudget'
  | 'garbageCollector'
  | 'namespace';

const PARTS: Readonly<Record<ControllerName, Part>> = {
  serviceAccount: { make: ({ access }) => serviceAccountController(access) },
  rootCa: { make: ({ access }) => rootCaPublisher(access) },
  deployment: {
    pace: 'deployment',
    component: 'deployment-controller',
    make: ({ access, clock, record }) => deploymentController(access, clock, record),
  },
  replicaSet: {
    pace: 'replicaSet',
    component: 'replicaset-controller',
    make: ({ access, clock, record }) => replicaSetController(access, clock, record),
  },
  statefulSet: {
    component: 'statefulset-controller',
    make: ({ access, clock, record }) => statefulSetController(access, clock, record),
  },
  daemonSet: {
    component: 'daemonset-controller',
    make: ({ access, clock, record }) => daemonSetController(access, clock, record),
  },
  job: {
    component: 'job-controller',
    make: ({ access, clock, record }) => jobController(access, clock, record),
  },
  cronJob: {
    component: 'cronjob-controller',
    make: ({ access, clock, record }) => cronJobController(access, clock, record),
  },
  endpoints: { make: ({ access, clock }) => endpointsController(access, clock) },
  endpointSlice: { make: ({ access, clock }) => endpointSliceController(access, clock) },
  scheduler: {
    manager: 'kube-scheduler',
    pace: 'scheduler',
    component: 'default-scheduler',
    make: ({ access, record }) => schedulerController(access, record),
  },
  kubelet: {
    manager: 'kubelet',
    pace: 'kubelet',
    component: 'kubelet',
    make: ({ access, clock, times, record }) => kubeletController(access, clock, times, record),
  },
  disruptionBudget: { make: ({ access, clock }) => disruptionBudgetController(access, clock) },
  garbageCollector: {
    pace: 'garbageCollector',
    component: 'garbage-collector-controller',
    make: ({ access, clock, record }) => garbageCollector(access, clock, record),
  },
  namespace: {
    pace: 'namespace',
    make: ({ access, clock }) => namespaceController(access, clock),
  },
};

/** The scheduler's identity in its Events. */
const SCHEDULER = {
  reportingController: 'default-scheduler',
  reportingInstance: 'default-scheduler-vm',
  action: 'Binding',
};

/**
 * Does the work of kube-controller-manager, scheduler and kubelet, as far as clients see it:
 * Deployments make ReplicaSets; ReplicaSets, StatefulSets, DaemonSets and Jobs make Pods; Pods
 * become Ready; CronJobs make Jobs; Services get endpoints; owners are deleted with their
 * dependents; disruption budgets are counted; namespaces are emptied and removed.
 *
 * Every controller reacts to committed events with a delay, so clients get their answers first.
 * Long work is done in slices, and requests are answered between them. At rest there is no timer,
 * and only differences are written. `PodLimit` limits the number of Pods of workloads.
 *
 * @returns a handle that ends everything: after `close` no timer, subscription or write is left.
 */
export function startWorkloads(
  accessOf: AccessOf,
  options: WorkloadOptions,
  clock: Clock,
): { close(): void } {
  const names = options.only ?? (Object.keys(PARTS) as readonly ControllerName[]);
  const limit = new PodLimit();
  const endLimit = limit.start(accessOf('kube-controller-manager'));
  const runners = names.map((name) => start(PARTS[name], accessOf, options, clock, limit));
  return {
    close: () => {
      for (const runner of runners) runner.close();
      endLimit();
    },
  };
}

function start(
  part: Part,
  accessOf: AccessOf,
  options: WorkloadOptions,
  clock: Clock,
  limit: PodLimit,
): ControllerRunner {
  const plain = accessOf(part.manager ?? 'kube-controller-manager');
  const access = new CountedAccess(plain, (resource, object) => limit.admit(resource, object));
  const { podReadyMs, podStopMs, podRunMs } = { ...DEFAULT_WORKLOAD_OPTIONS, ...options };
  const controller = part.make({
    access,
    clock,
    times: { podReadyMs, podStopMs, podRunMs },
    record: recorderOf(part, plain, options, clock),
  });
  const pace = part.pace ?? 'other';
  const runner = new ControllerRunner(controller, clock, {
    pace: options.paces?.[pace] ?? RECORDED_PACES[pace],
    takeWrites: () => access.takeWrites(),
    budget: options.writeLimit && new WriteBudget(options.writeLimit),
  });
  runner.start(plain);
  return runner;
}

function recorderOf(
  { component, manager }: Part,
  access: ClusterAccess,
  { kubeletEvents = false }: WorkloadOptions,
  clock: Clock,
): RecordEvent {
  if (component === undefined || (component === 'kubelet' && !kubeletEvents)) return recordNothing;
  if (manager === 'kube-scheduler') return newEventRecorder(access, clock, SCHEDULER);
  return eventRecorder(access, clock, component);
}
