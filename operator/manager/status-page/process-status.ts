import type { SourceState } from '../../store/shared-informer.ts';

/** The state of an operator process, for people. Plain data without any part of an object. */
export interface ProcessStatus {
  /** Wall time of this status, RFC 3339. */
  readonly at: string;
  /** Version of the toolkit. */
  readonly version: string;
  /** Seconds since the manager was created. */
  readonly uptimeSeconds: number;
  /** Phase of the run. */
  readonly phase: 'starting' | 'running' | 'stopping';
  /** As `/readyz` reports it. */
  readonly ready: boolean;
  /** Address of the ambassador. */
  readonly apiUrl: string;
  /** From `POD_NAME`. */
  readonly podName: string | undefined;
  /** From `POD_NAMESPACE`. */
  readonly podNamespace: string | undefined;
  /** Undefined without an election. */
  readonly leadership: LeadershipStatus | undefined;
  /** How this process shares the work with others. Undefined unless replicas share it. */
  readonly sharding: ShardingStatus | undefined;
  /** Undefined unless the process is recorded, as by `chancery run --record`. */
  readonly recording: RecordingStatus | undefined;
  /** Every current list and watch. */
  readonly sources: readonly SourceStatus[];
  /** Every controller. */
  readonly controllers: readonly ControllerStatus[];
  /**
   * The first 20 keys whose last attempt failed: first those that only a change can repair, then by the
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

/** How to get a record of what this process does. */
export interface RecordingStatus {
  /** How far back a record reaches, at most. */
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
  /** The identity that the group's Lease names, if any. */
  readonly holder: string | undefined;
}

/** The state of a replica. */
export interface MemberStatus {
  /** The identity of the process: its Pod, and a number that no other process has. */
  readonly identity: string;
  /** How the replica divides keys. A replica that divides them in another way gets no group. */
  readonly division: string;
  /** False when its Lease has been unchanged for longer than a Lease lasts, by the clock of this process. */
  readonly fresh: boolean;
  /** Seconds since its Lease was last seen to change. */
  readonly unchangedSeconds: number;
}

/** The state of a source. */
export interface SourceStatus {
  /** For example `deployments.apps`. */
  readonly resource: string;
  /** Undefined for all namespaces. */
  readonly namespace: string | undefined;
  /** Label and field selector as text; undefined without selectors. */
  readonly selector: string | undefined;
  /** What the source is doing now. */
  readonly state: SourceState;
  /** Whether the last requests succeeded. */
  readonly health: string;
  /** True when the first list is in the cache. */
  readonly synced: boolean;
  /** Number of cached objects. */
  readonly objects: number;
  /** Estimated memory of the cached objects. */
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
  /** Keys that are ready, by priority, highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Number of keys that are due later. */
  readonly delayed: number;
  /** Number of keys whose last attempt failed. */
  readonly failing: number;
  /** Duration of the longest running reconcile; 0 when none is running. */
  readonly longestRunningSeconds: number;
  /** Number of attempts since the start. */
  readonly reconciles: number;
  /** Number of attempts that failed since the start. */
  readonly errors: number;
  /** Median of the last 200 attempts, in milliseconds; undefined before the first attempt. */
  readonly medianMs: number | undefined;
  /** The slowest of the same attempts, in milliseconds. */
  readonly slowestMs: number | undefined;
}

/** A key whose last attempt failed. */
export interface FailingKey {
  /** Name of the controller. */
  readonly controller: string;
  /** The object that was reconciled. */
  readonly key: string;
  /** Failures in a row; 0 for a key that is not retried. */
  readonly failures: number;
  /** When the first failure in a row ended, RFC 3339. */
  readonly since: string | undefined;
  /** As in `RecentReconcile.error`. */
  readonly error: string | undefined;
  /**
   * Milliseconds until the next attempt. Undefined when none is due, or when its start does not
   * depend on time.
   */
  readonly nextInMs: number | undefined;
}

/** The state of a runnable. */
export interface RunnableStatus {
  /** Name of the runnable. */
  readonly name: string;
  /** False before the start, and while another replica leads. */
  readonly running: boolean;
  /** The result of `Runnable.status`. */
  readonly state: unknown;
}

/** One finished attempt. */
export interface RecentReconcile {
  /** When it ended: wall time, RFC 3339. */
  readonly at: string;
  /** Name of the controller. */
  readonly controller: string;
  /** The object that was reconciled. */
  readonly key: string;
  /** As in `AttemptEnd.outcome`. */
  readonly outcome: string;
  /** Duration of the attempt in milliseconds. */
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
}
