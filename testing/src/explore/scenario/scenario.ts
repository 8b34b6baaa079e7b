import type { Clock, Controller, KubernetesObject, Runnable } from 'chancery';
import type { WorkloadOptions } from '../../apiserver/api-server.ts';

/** A small world to explore: objects, an operator, changes by other writers, and invariants. */
export interface Scenario {
  /** The name of the scenario in failures and reports. */
  readonly name: string;
  /**
   * Definitions and objects that exist before the operator starts: YAML documents, or objects. If
   * omitted, none.
   */
  readonly objects?: string | readonly KubernetesObject[];
  /**
   * The controllers of the operator. This function is called for each run and after each restart, so that no
   * state survives a run. Keep no state outside of this function, because that state would survive.
   */
  readonly controllers: (made: { readonly clock: Clock }) => readonly Controller[];
  /**
   * Runnables of the operator, created like the controllers. An exploration with runnables takes
   * longer: their state is not visible, so no state of a run is recognized as visited. If omitted,
   * none.
   */
  readonly runnables?: (made: { readonly clock: Clock }) => readonly Runnable[];
  /**
   * Changes by other writers. They happen in this order, at any time. Each is one atomic step. If
   * omitted, none.
   */
  readonly changes?: readonly Change[];
  /**
   * Options of the controllers that run workloads, like in `ApiServerOptions`; true for their
   * defaults. Default false.
   */
  readonly workloads?: boolean | WorkloadOptions;
  /**
   * Invariants that must hold when the operator is at rest after the last change, in addition to the general
   * invariants.
   */
  readonly atRest?: readonly Invariant[];
  /**
   * Invariants that must hold after each change of the stored objects, in addition to the general
   * invariants.
   */
  readonly atEachStep?: readonly Invariant[];
  /**
   * The largest number of restarts in one schedule: the operator is killed and started again.
   * Default 1.
   */
  readonly restarts?: number;
  /**
   * The largest number of lost answers in one schedule: the server has carried out a write, the
   * connection breaks, and the operator gets no answer. Default 1.
   */
  readonly lostAnswers?: number;
  /**
   * The virtual time that the operator has to come to rest after the last change, in milliseconds.
   * Default 900,000: 15 min.
   */
  readonly settleMs?: number;
  /**
   * Returns an object without the fields that may differ between orders, or undefined to exclude the object
   * from the comparison. The function receives copies. Events, Leases and generated values (uids, versions,
   * times) are excluded already.
   */
  readonly ignore?: (object: KubernetesObject) => KubernetesObject | undefined;
}

/** One step of another writer, such as a person with kubectl. */
export interface Change {
  /** The name in descriptions of runs, such as `a person scales Website demo to 3`. */
  readonly name: string;
  /**
   * Makes the change at once. An error of the API server, such as 404, is part of the run and not a
   * failure.
   */
  readonly apply: (cluster: ScenarioCluster) => void;
  /**
   * Delays the change until the function returns true, like `kubectl delete` waits until an object is
   * removed. Later changes wait too. If omitted, there is no delay.
   */
  readonly when?: (cluster: ScenarioCluster) => boolean;
}

/** A condition that must hold. */
export interface Invariant {
  /** The name in failures, such as `one Deployment for each Website`. */
  readonly name: string;
  /** Throws, or returns a description of the problem, if the invariant does not hold. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a check that returns nothing is the usual one
  readonly check: (cluster: ScenarioCluster) => void | string;
}

/**
 * The stored objects of a run's API server. The methods behave like the methods of `ApiServer` with the same
 * names. Returned objects are copies.
 */
export interface ScenarioCluster {
  /** The object, or undefined if it does not exist. */
  get(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): KubernetesObject | undefined;
  /**
   * Objects sorted by namespace and name.
   * @param namespace - undefined for all namespaces.
   */
  list(apiVersion: string, kind: string, namespace?: string): readonly KubernetesObject[];
  /** @throws ApiError with the API server's error. */
  create<T extends KubernetesObject>(object: T): T;
  /**
   * Changes an object by a JSON merge patch.
   * @throws ApiError with the API server's error.
   */
  patch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): KubernetesObject;
  /** @throws ApiError with the API server's error. */
  delete(apiVersion: string, kind: string, namespace: string | undefined, name: string): void;
  /** The writes of this run so far, oldest first. */
  readonly writes: readonly LoggedWrite[];
}

/** One change of the stored objects. Objects are shared: do not change them. */
export interface LoggedWrite {
  /**
   * The writer: the operator under test, a change of the scenario, or a controller of the cluster.
   */
  readonly by: 'operator' | 'change' | 'cluster';
  /**
   * `delete` when the object was removed. The start of a deletion that waits for finalizers is an
   * `update`.
   */
  readonly verb: 'create' | 'update' | 'delete';
  /** The object after the write. For a delete, its last state. */
  readonly object: KubernetesObject;
  /** The object before the write. Undefined for a create. */
  readonly before: KubernetesObject | undefined;
  /** Milliseconds of virtual time since the beginning of the run. */
  readonly atMs: number;
  /** The step of the run in which the write happened. */
  readonly step: number;
}

/** Limits of an exploration. */
export interface ExploreOptions {
  /** The seed of the operator's random numbers. Default 1. */
  readonly seed?: number;
  /** The time in milliseconds after which no further schedule begins. Default 60,000. */
  readonly timeLimitMs?: number;
  /**
   * The largest number of deviations from the usual order in one schedule. If omitted, as many as
   * the time allows.
   */
  readonly maxDeviations?: number;
  /** The largest number of schedules. If omitted, as many as the time allows. */
  readonly maxSchedules?: number;
  /**
   * The largest number of states kept to recognize a repeated state. Default 1,000,000: about 200
   * MB.
   */
  readonly maxStates?: number;
}

/** The coverage of an exploration without a failure. */
export interface Exploration {
  /** Name of the scenario. */
  readonly scenario: string;
  /** The number of schedules that were run, including the usual order. */
  readonly schedules: number;
  /** The number of schedules that ended early, because they reached a state of an earlier run. */
  readonly cutShort: number;
  /**
   * The number of schedules that were skipped, because they differ only in the order of independent
   * events.
   */
  readonly leftOut: number;
  /**
   * The number of different states of the store, the caches and the queue in which no reconcile was
   * running.
   */
  readonly states: number;
  /**
   * Every schedule with this many deviations from the usual order was run, or skipped as
   * equivalent.
   */
  readonly deviations: number;
  /**
   * The reason why the exploration ended. `complete`: there are no further schedules within
   * `maxDeviations`.
   */
  readonly endedBy: 'complete' | 'time' | 'schedules' | 'states';
  /** Milliseconds of real time. */
  readonly tookMs: number;
  /**
   * Direct uses of the clock, of randomness and of the network that bypass the toolkit, by file and
   * line.
   */
  readonly findings: readonly Finding[];
}

/** A place where the operator's code directly uses a clock, randomness or the network. */
export interface Finding {
  /**
   * What the code uses. The explorer replaces `clock` and `randomness`, so that runs are repeatable. A use of
   * the `network` throws an error.
   */
  readonly what: 'clock' | 'randomness' | 'network';
  /** The function, such as `Date.now`. */
  readonly name: string;
  /** The place, written as `FILE:LINE`. */
  readonly where: string;
}
