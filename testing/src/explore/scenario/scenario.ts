import type { Clock, Controller, KubernetesObject, Runnable } from 'chancery';
import type { WorkloadOptions } from '../../apiserver/api-server.ts';

/** A small world to explore: objects, an operator, what others do, and what must hold. */
export interface Scenario {
  /** Names the scenario in failures and reports. */
  readonly name: string;
  /** Definitions and objects that are there before the operator starts: a text of YAML documents, or objects. Default: none. */
  readonly objects?: string | readonly KubernetesObject[];
  /**
   * The controllers of the operator. Called anew for each run and after each restart, so that nothing of a run outlives
   * it. State outside of this function does outlive it: keep none there.
   */
  readonly controllers: (made: { readonly clock: Clock }) => readonly Controller[];
  /**
   * Runnables of the operator, made anew as the controllers are. What a runnable remembers cannot be seen, so that no state
   * counts as seen before, and an exploration takes longer. Default: none.
   */
  readonly runnables?: (made: { readonly clock: Clock }) => readonly Runnable[];
  /** What other writers do, in this order, at any time. Each is one atomic step. Default: nothing. */
  readonly changes?: readonly Change[];
  /** Controllers that bring workloads to life, as in `ApiServerOptions`; true for those with their defaults. Default false. */
  readonly workloads?: boolean | WorkloadOptions;
  /** What must hold when the operator has come to rest after the last change. Default: what always holds. */
  readonly atRest?: readonly Invariant[];
  /** What must hold after each change of what is stored. Default: what always holds. */
  readonly atEachStep?: readonly Invariant[];
  /** How often the operator may be killed and started again in one schedule. Default 1. */
  readonly restarts?: number;
  /**
   * How often an answer to a write may be lost in one schedule: the server has acted, the connection breaks, and the
   * operator does not learn of it. Default 1.
   */
  readonly lostAnswers?: number;
  /** Milliseconds of virtual time after the last change in which the operator must come to rest. Default 900,000: 15 min. */
  readonly settleMs?: number;
  /**
   * Returns an object without what may differ from order to order, or undefined to leave it out of the comparison.
   * Called with copies. Events, Leases and what a server makes up (uids, versions, times) are left out already.
   */
  readonly ignore?: (object: KubernetesObject) => KubernetesObject | undefined;
}

/** One step of another writer, such as a person with kubectl. */
export interface Change {
  /** What happens, for stories: `a person scales Website demo to 3`. */
  readonly name: string;
  /** Makes the change at once. A refusal of the API server, such as 404, is part of the run and no failure. */
  readonly apply: (cluster: ScenarioCluster) => void;
  /**
   * The change is not made before this holds, as `kubectl delete` waits until an object is gone. The changes behind it wait with
   * it. Default: it always holds.
   */
  readonly when?: (cluster: ScenarioCluster) => boolean;
}

/** Something that must hold. */
export interface Invariant {
  /** For failures: `one Deployment for each Website`. */
  readonly name: string;
  /** Throws, or returns a text that says what is wrong, when it does not hold. */
  // biome-ignore lint/suspicious/noConfusingVoidType: a check that returns nothing is the usual one
  readonly check: (cluster: ScenarioCluster) => void | string;
}

/** What is stored in the API server of a run. The methods do what those of `ApiServer` do; objects are copies. */
export interface ScenarioCluster {
  /** The object, or undefined when there is none. */
  get(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
  ): KubernetesObject | undefined;
  /** Objects in the order of namespace and name. @param namespace - undefined for all. */
  list(apiVersion: string, kind: string, namespace?: string): readonly KubernetesObject[];
  /** @throws ApiError as the API server refuses it. */
  create<T extends KubernetesObject>(object: T): T;
  /** Changes an object by a JSON merge patch. @throws ApiError as the API server refuses it. */
  patch(
    apiVersion: string,
    kind: string,
    namespace: string | undefined,
    name: string,
    mergePatch: object,
    subresource?: 'status',
  ): KubernetesObject;
  /** @throws ApiError as the API server refuses it. */
  delete(apiVersion: string, kind: string, namespace: string | undefined, name: string): void;
  /** The writes of this run so far, oldest first. */
  readonly writes: readonly LoggedWrite[];
}

/** One change of what is stored. Objects are shared: do not change them. */
export interface LoggedWrite {
  /** Who wrote: the operator under test, a change of the scenario, or a controller of the cluster. */
  readonly by: 'operator' | 'change' | 'cluster';
  /** `delete` when the object has vanished. One that waits for its finalizers is an `update`. */
  readonly verb: 'create' | 'update' | 'delete';
  /** The object after the write; of a delete, the last state. */
  readonly object: KubernetesObject;
  /** The object before the write. Undefined for a create. */
  readonly before: KubernetesObject | undefined;
  /** Milliseconds of virtual time since the run began. */
  readonly atMs: number;
  /** The step of the run in which it happened. */
  readonly step: number;
}

/** Limits of an exploration. */
export interface ExploreOptions {
  /** Seeds the random numbers that the operator draws. Default 1. */
  readonly seed?: number;
  /** Milliseconds after which no further schedule begins. Default 60,000. */
  readonly timeLimitMs?: number;
  /** The most departures from the usual order in one schedule. Default: as many as the time allows. */
  readonly maxDeviations?: number;
  /** The most schedules. Default: as many as the time allows. */
  readonly maxSchedules?: number;
  /** The most states that are remembered, to recognize one that was there before. Default 1,000,000: about 200 MB. */
  readonly maxStates?: number;
}

/** What an exploration without a failure has covered. */
export interface Exploration {
  /** Name of the scenario. */
  readonly scenario: string;
  /** Schedules that were run, the usual order included. */
  readonly schedules: number;
  /** Of those, the ones that ended early, because a state was reached that had been there before. */
  readonly cutShort: number;
  /** Schedules that were left out, because they only swap events that have nothing to do with each other. */
  readonly leftOut: number;
  /** Different states of the store, the caches and the queue in which no reconcile was running. */
  readonly states: number;
  /** Every schedule with this many departures from the usual order was run or left out as equal. */
  readonly deviations: number;
  /** What ended the exploration. `complete`: there are no further schedules within `maxDeviations`. */
  readonly endedBy: 'complete' | 'time' | 'schedules' | 'states';
  /** Milliseconds of real time. */
  readonly tookMs: number;
  /** Uses of the clock, of randomness and of the network past what the toolkit gives, by file and line. */
  readonly findings: readonly Finding[];
}

/** A place where code of the operator uses a clock, randomness or the network by itself. */
export interface Finding {
  /** `clock` and `randomness` are replaced, so that runs repeat; the `network` is refused. */
  readonly what: 'clock' | 'randomness' | 'network';
  /** Such as `Date.now`. */
  readonly name: string;
  /** `FILE:LINE`. */
  readonly where: string;
}
