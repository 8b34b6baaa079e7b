import { type Condition, READY, RECONCILING, STALLED } from './condition.ts';
import type { KubernetesObject } from './object.ts';

/** The status of an object of any kind, as `kstatus` of kubernetes-sigs/cli-utils computes it. */
export interface ObjectStatus {
  /**
   * - `Current`: the object has reached the wanted state.
   * - `InProgress`: the object is approaching the wanted state.
   * - `Failed`: it cannot reach the wanted state by itself.
   * - `Terminating`: it is being deleted. `NotFound`: it is gone, or has not been created yet.
   */
  readonly status: 'Current' | 'InProgress' | 'Failed' | 'Terminating' | 'NotFound';
  /** A sentence for people. */
  readonly message: string;
}

/** The fields of an object that determine its status. */
interface Observed extends KubernetesObject {
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly observedGeneration?: number;
    readonly conditions?: readonly Condition[];
  };
}

/**
 * Computes the status of `object` from its deletion, `status.observedGeneration`, the conditions `Stalled`
 * and `Reconciling`, the rules for its kind if it is a built-in kind, and the condition `Ready`. An object
 * without any of these, such as a ConfigMap, is `Current`.
 *
 * @param object - the object, with its status; undefined if it does not exist.
 */
export function kstatus(object: KubernetesObject | undefined): ObjectStatus {
  if (object === undefined) return { status: 'NotFound', message: 'the object does not exist' };
  const observed: Observed = object;
  return byLifecycle(observed) ?? legacyStatus(observed) ?? byReadiness(observed);
}

function byLifecycle({ metadata, status }: Observed): ObjectStatus | undefined {
  if (metadata.deletionTimestamp !== undefined) {
    return { status: 'Terminating', message: 'the object is being deleted' };
  }
  const { generation } = metadata;
  const observed = status?.observedGeneration;
  if (generation !== undefined && observed !== undefined && observed !== generation) {
    const message = `generation is ${generation}, observed is ${observed}`;
    return inProgress(message);
  }
  const reconciling = trueCondition(status?.conditions, RECONCILING);
  if (reconciling) return inProgress(reconciling.message);
  const stalled = trueCondition(status?.conditions, STALLED);
  if (stalled) return failed(stalled.message);
  return undefined;
}

function byReadiness({ status }: Observed): ObjectStatus {
  const ready = status?.conditions?.find(({ type }) => type === READY);
  if (ready === undefined || ready.status === 'True') {
    return current(ready?.message ?? 'the object exists');
  }
  return inProgress(ready.message);
}

function trueCondition(
  conditions: readonly Condition[] | undefined,
  type: string,
): Condition | undefined {
  return conditions?.find((one) => one.type === type && one.status === 'True');
}

type Rule = (object: Observed) => ObjectStatus;

/** The status according to the rules for a built-in kind; undefined for any other kind. */
function legacyStatus(object: Observed): ObjectStatus | undefined {
  const group = object.apiVersion.includes('/') ? object.apiVersion.split('/', 1)[0] : '';
  return RULES[`${object.kind}.${group}`]?.(object);
}

const RULES: Readonly<Record<string, Rule>> = {
  'Deployment.apps': deployment,
  'ReplicaSet.apps': replicaSet,
  'StatefulSet.apps': statefulSet,
  'DaemonSet.apps': daemonSet,
  'Pod.': pod,
  'Job.batch': job,
  'Service.': service,
  'PersistentVolumeClaim.': claim,
  'CustomResourceDefinition.apiextensions.k8s.io': definition,
};

function deployment(object: Observed): ObjectStatus {
  const progressing = conditionOf(object, 'Progressing');
  if (progressing?.reason === 'ProgressDeadlineExceeded') return failed(progressing.message);
  const wanted = wantedReplicas(object);
  return firstOf(
    [
      lacks(object, 'replicas', wanted),
      lacks(object, 'updatedReplicas', wanted),
      surplus(object, 'replicas', wanted),
      lacks(object, 'availableReplicas', countOf(object, 'updatedReplicas')),
      lacks(object, 'readyReplicas', wanted),
      conditionOf(object, 'Available')?.status !== 'True' && 'the Deployment is not available',
    ],
    `the Deployment is available, with ${wanted} replicas`,
  );
}

function replicaSet(object: Observed): ObjectStatus {
  const failure = conditionOf(object, 'ReplicaFailure');
  const wanted = wantedReplicas(object);
  return firstOf(
    [
      failure?.status === 'True' && failure.message,
      lacks(object, 'replicas', wanted),
      lacks(object, 'availableReplicas', wanted),
      lacks(object, 'readyReplicas', wanted),
      surplus(object, 'replicas', wanted),
    ],
    `the ReplicaSet has ${wanted} replicas`,
  );
}

function statefulSet(object: Observed): ObjectStatus {
  const strategy = object.spec?.updateStrategy as
    | { type?: string; rollingUpdate?: { partition?: number } }
    | undefined;
  if (strategy?.type === 'OnDelete') return current('the StatefulSet is updated on delete');
  const wanted = wantedReplicas(object);
  const partition = strategy?.rollingUpdate?.partition ?? 0;
  const { currentRevision, updateRevision } = object.status ?? {};
  return firstOf(
    [
      lacks(object, 'replicas', wanted),
      lacks(object, 'readyReplicas', wanted),
      surplus(object, 'replicas', wanted),
      partition > 0
        ? lacks(object, 'updatedReplicas', wanted - partition)
        : lacks(object, 'currentReplicas', wanted),
      partition === 0 && currentRevision !== updateRevision && 'a revision is being rolled out',
    ],
    `the StatefulSet has ${wanted} replicas`,
  );
}

function daemonSet(object: Observed): ObjectStatus {
  if (object.status?.observedGeneration === undefined) {
    return inProgress('the DaemonSet was not looked at yet');
  }
  const wanted = countOf(object, 'desiredNumberScheduled');
  return firstOf(
    [
      lacks(object, 'currentNumberScheduled', wanted),
      lacks(object, 'updatedNumberScheduled', wanted),
      lacks(object, 'numberAvailable', wanted),
      lacks(object, 'numberReady', wanted),
    ],
    `the DaemonSet has ${wanted} Pods`,
  );
}

function pod(object: Observed): ObjectStatus {
  const { phase, containerStatuses = [] } = (object.status ?? {}) as {
    readonly phase?: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly state?: { readonly waiting?: { readonly reason?: string } };
    }[];
  };
  if (phase === 'Succeeded') return current('the Pod has completed');
  if (phase === 'Failed') return failed('the Pod has failed');
  if (phase !== 'Running') {
    const scheduled = conditionOf(object, 'PodScheduled');
    const unschedulable = scheduled?.status === 'False' && scheduled.reason === 'Unschedulable';
    return unschedulable ? failed('the Pod fits on no node') : inProgress('the Pod is pending');
  }
  if (conditionOf(object, 'Ready')?.status === 'True') return current('the Pod is ready');
  const crashing = containerStatuses.find(
    ({ state }) => state?.waiting?.reason === 'CrashLoopBackOff',
  );
  if (crashing) return failed(`container ${crashing.name} is crashing again and again`);
  return inProgress('the Pod runs, and is not ready');
}

function job(object: Observed): ObjectStatus {
  const failure = conditionOf(object, 'Failed');
  if (failure?.status === 'True') return failed(failure.message);
  if (conditionOf(object, 'Complete')?.status === 'True') return current('the Job has completed');
  const started = object.status?.startTime !== undefined;
  return started ? current('the Job is running') : inProgress('the Job has not begun');
}

function service({ spec }: Observed): ObjectStatus {
  const waits = spec?.type === 'LoadBalancer' && !spec.clusterIP;
  return waits ? inProgress('the Service has no address yet') : current('the Service exists');
}

function claim({ status }: Observed): ObjectStatus {
  return status?.phase === 'Bound' ? current('the claim is bound') : inProgress('nothing is bound');
}

function definition(object: Observed): ObjectStatus {
  const names = conditionOf(object, 'NamesAccepted');
  if (names?.status === 'False') return failed(names.message);
  const established = conditionOf(object, 'Established');
  if (established?.status === 'True') return current('the definition is established');
  if (established?.status === 'False' && established.reason !== 'Installing') {
    return failed(established.message);
  }
  return inProgress('the definition is being installed');
}

function conditionOf({ status }: Observed, type: string) {
  return status?.conditions?.find((condition) => condition.type === type);
}

function wantedReplicas({ spec }: Observed): number {
  return typeof spec?.replicas === 'number' ? spec.replicas : 1;
}

function countOf({ status }: Observed, field: string): number {
  const count = status?.[field];
  return typeof count === 'number' ? count : 0;
}

function lacks(object: Observed, field: string, wanted: number): string | false {
  const count = countOf(object, field);
  return count < wanted && `${field}: ${count}/${wanted}`;
}

function surplus(object: Observed, field: string, wanted: number): string | false {
  const count = countOf(object, field);
  return count > wanted && `${field}: ${count}/${wanted}, more are going`;
}

/**
 * The status `InProgress` with the first reason that is neither false nor undefined. If there is none, the
 * status is `Current`.
 */
function firstOf(reasons: readonly (string | false | undefined)[], message: string): ObjectStatus {
  const reason = reasons.find((one) => one !== false && one !== undefined);
  return reason ? inProgress(reason) : current(message);
}

function current(message: string): ObjectStatus {
  return { status: 'Current', message };
}

function inProgress(message: string): ObjectStatus {
  return { status: 'InProgress', message };
}

function failed(message: string): ObjectStatus {
  return { status: 'Failed', message };
}
