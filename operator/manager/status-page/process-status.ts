import type { SourceState } from '../../store/shared-informer.ts';

/** The state of an operator process, for display. Plain data, without any content of Kubernetes objects. */
export interface ProcessStatus {
  /** Wall time of this status, RFC 3339. */
  readonly at: string;
  /** Version of the toolkit. */
  readonly version: string;
  /** Seconds since the manager was created. */
  readonly uptimeSeconds: number;
  /** Phase of the run. */
  readonly phase: 'starting' | 'running' | 'stopping';
  /** True when `/readyz` reports that the process is ready. */
  readonly ready: boolean;
  /** Address of the ambassador. */
  readonly apiUrl: string;
  /** From `POD_NAME`. */
  readonly podName: string | undefined;
  /** From `POD_NAMESPACE`. */
  readonly podNamespace: string | undefined;
  /** Undefined without an election. */
  readonly leadership: LeadershipStatus | undefined;
  /** How this process shares the keys with other replicas. Undefined unless replicas share them. */
  readonly sharding: ShardingStatus | undefined;
  /** Undefined unless the process keeps a flight record, for example with `chancery run --record`. */
  readonly recording: RecordingStatus | undefined;
  /** Every current list and watch. */
  readonly sources: readonly SourceStatus[];
  /** Every controller. */
  readonly controllers: readonly ControllerStatus[];
  /**
   * The first 20 keys whose last attempt failed. First those that only a change can repair, then by the
   * number of failures in a row.
   */
  readonly failing: readonly FailingKey[];
  /** The runnables that have a state. */
  readonly runnables: readonly RunnableStatus[];
  /** The latest reconciles, newest first. */
  readonly recent: readonly RecentReconcile[];
  /** Writes in each of the last 60 minutes, the current minute last. */
  readonly writesPerMinute: readonly number[];
}

/** How to get a flight record of this process. */
export interface RecordingStatus {
  /** The maximum number of minutes that a record covers. */
  readonly minutes: number;
  /**
   * True if `POST /debug/record` on the port of this page writes a record. A signal always writes
   * one.
   */
  readonly endpoint: boolean;
}

/** The state of the election. */
export interface LeadershipStatus {
  /** Namespace and name of the Lease. */
  readonly lease: string;
  /** True when this process leads. */
  readonly leads: boolean;
  /** The identity that holds the Lease, if known. */
  readonly holder: string | undefined;
}

/** The replicas that share the work, as this process last observed their Leases. */
export interface ShardingStatus {
  /** Namespace and name of the Lease that all replicas hold together. */
  readonly lease: string;
  /** How keys are divided: `sharded/16/uid`. */
  readonly division: string;
  /** Every group, at most 64. */
  readonly groups: readonly GroupStatus[];
  /** The known replicas, at most 256. */
  readonly members: readonly MemberStatus[];
}

/** The state of a group of keys. */
export interface GroupStatus {
  /** The number of the group, from 0. */
  readonly group: number;
  /** The phase of the group in this process; `foreign` when another process or none works on it. */
  readonly phase: 'foreign' | 'claiming' | 'warming' | 'owning' | 'draining' | 'lost';
  /** The identity of the holder in the group's Lease, if there is one. */
  readonly holder: string | undefined;
}

/** The state of a replica. */
export interface MemberStatus {
  /** The identity of the process: its Pod, and a number that no other process has. */
  readonly identity: string;
  /** How the replica divides keys. A replica that divides them differently gets no group. */
  readonly division: string;
  /** False when its Lease has been unchanged for longer than its duration, by the clock of this process. */
  readonly fresh: boolean;
  /** Seconds since this process last observed a change of the member's Lease. */
  readonly unchangedSeconds: number;
}

/** The state of a source. */
export interface SourceStatus {
  /** For example `deployments.apps`. */
  readonly resource: string;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Label selector and field selector, as one string; undefined without selectors. */
  readonly selector: string | undefined;
  /** What the source is doing now. */
  readonly state: SourceState;
  /** Whether the last requests of the source succeeded. */
  readonly health: string;
  /** True when the first list is in the cache. */
  readonly synced: boolean;
  /** Number of cached objects. */
  readonly objects: number;
  /** Estimated bytes of memory of the cached objects. */
  readonly bytes: number;
  /** Seconds since the server last sent something; undefined if it never did. */
  readonly lastContactSeconds: number | undefined;
  /** Seconds since the last complete list; undefined before the first one. */
  readonly lastListSeconds: number | undefined;
}

/** The state of a controller. */
export interface ControllerStatus {
  /** Name of the controller. */
  readonly name: string;
  /** False while another replica leads, and before the sources are synced. */
  readonly working: boolean;
  /** Maximum number of keys that the controller reconciles at the same time. */
  readonly workers: number;
  /** Number of keys that the controller is reconciling now. */
  readonly busy: number;
  /** Number of keys that are ready, by priority, highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Number of keys that are due later. */
  readonly delayed: number;
  /** Number of keys whose last attempt failed. */
  readonly failing: number;
  /** Seconds that the longest running reconcile has taken; 0 when none is running. */
  readonly longestRunningSeconds: number;
  /** Number of attempts since the process started. */
  readonly reconciles: number;
  /** Number of failed attempts since the process started. */
  readonly errors: number;
  /** Median of the last 200 attempts, in milliseconds; undefined before the first attempt. */
  readonly medianMs: number | undefined;
  /** Duration of the slowest of the last 200 attempts, in milliseconds. */
  readonly slowestMs: number | undefined;
}

/** A key whose last attempt failed. */
export interface FailingKey {
  /** Name of the controller. */
  readonly controller: string;
  /** The object that was reconciled. */
  readonly key: string;
  /** Number of failures in a row; 0 for a key that is not retried. */
  readonly failures: number;
  /** When the first of the failures in a row ended, RFC 3339. */
  readonly since: string | undefined;
  /** See `RecentReconcile.error`. */
  readonly error: string | undefined;
  /**
   * Milliseconds until the next attempt. Undefined when none is due, or when its start does not depend on a
   * time.
   */
  readonly nextInMs: number | undefined;
}

/** The state of a runnable. */
export interface RunnableStatus {
  /** Name of the runnable. */
  readonly name: string;
  /** False before startup, and while another replica leads. */
  readonly running: boolean;
  /** The result of `Runnable.status`. */
  readonly state: unknown;
}

/** One finished attempt. */
export interface RecentReconcile {
  /** When the reconcile ended: wall time, RFC 3339. */
  readonly at: string;
  /** Name of the controller. */
  readonly controller: string;
  /** The object that was reconciled. */
  readonly key: string;
  /** See `AttemptEnd.outcome`. */
  readonly outcome: string;
  /** Duration of the attempt in milliseconds. */
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
}
