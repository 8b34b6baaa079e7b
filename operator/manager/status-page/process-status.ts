import type { SourceState } from '../../store/shared-informer.ts';

/** What a process of operators is doing, as people look at it. Plain data; no part of any object. */
export interface ProcessStatus {
  /** Wall time of this look, RFC 3339. */
  readonly at: string;
  /** Version of the toolkit. */
  readonly version: string;
  /** Since the manager was made. */
  readonly uptimeSeconds: number;
  /** Where the run is. */
  readonly phase: 'starting' | 'running' | 'stopping';
  /** As `/readyz` says. */
  readonly ready: boolean;
  /** Where the ambassador listens. */
  readonly apiUrl: string;
  /** From `POD_NAME`. */
  readonly podName: string | undefined;
  /** From `POD_NAMESPACE`. */
  readonly podNamespace: string | undefined;
  /** Undefined when nobody is elected. */
  readonly leadership: LeadershipStatus | undefined;
  /** Every list and watch on the wire. */
  readonly sources: readonly SourceStatus[];
  /** Every controller. */
  readonly controllers: readonly ControllerStatus[];
  /** The latest first. */
  readonly recent: readonly RecentReconcile[];
  /** Writes in each of the last 60 minutes, the running one last. */
  readonly writesPerMinute: readonly number[];
}

/** Who leads. */
export interface LeadershipStatus {
  /** Namespace and name of the Lease. */
  readonly lease: string;
  /** This process does. */
  readonly leads: boolean;
  /** The identity that holds the Lease, as far as is known. */
  readonly holder: string | undefined;
}

/** What a source is doing. */
export interface SourceStatus {
  /** As `deployments.apps`. */
  readonly resource: string;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  /** Label and field selector as text; undefined for none. */
  readonly selector: string | undefined;
  /** What it does now. */
  readonly state: SourceState;
  /** Whether its last requests worked. */
  readonly health: string;
  /** Its first list is in the cache. */
  readonly synced: boolean;
  /** Cached objects. */
  readonly objects: number;
  /** Estimated memory of them. */
  readonly bytes: number;
  /** Since the server gave a sign of life; undefined when it never did. */
  readonly lastContactSeconds: number | undefined;
  /** Since the last complete list; undefined before the first. */
  readonly lastListSeconds: number | undefined;
}

/** What a controller is doing. */
export interface ControllerStatus {
  /** Name of the controller. */
  readonly name: string;
  /** False while another replica leads, and before the sources are synced. */
  readonly working: boolean;
  /** Keys that it may reconcile side by side. */
  readonly workers: number;
  /** Keys that it reconciles now. */
  readonly busy: number;
  /** Keys ready to be taken, by priority, the highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Keys that are due later. */
  readonly delayed: number;
  /** Keys whose last attempt failed. */
  readonly failing: number;
  /** Of the reconcile that is under way for longest; 0 when none is. */
  readonly longestRunningSeconds: number;
  /** Attempts since the start. */
  readonly reconciles: number;
  /** Attempts that failed since the start. */
  readonly errors: number;
  /** Over the last 200 attempts, in milliseconds; undefined before the first. */
  readonly medianMs: number | undefined;
  /** The slowest of the same attempts, in milliseconds. */
  readonly slowestMs: number | undefined;
}

/** One attempt that has ended. */
export interface RecentReconcile {
  /** When it ended: wall time, RFC 3339. */
  readonly at: string;
  /** Name of the controller. */
  readonly controller: string;
  /** The object that was reconciled. */
  readonly key: string;
  /** As in `AttemptEnd.outcome`. */
  readonly outcome: string;
  /** How long it took. */
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
}
