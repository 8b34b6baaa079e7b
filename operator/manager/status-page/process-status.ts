import type { SourceState } from '../../store/shared-informer.ts';

/** What a process of operators is doing, as people look at it. Plain data; no part of any object. */
export interface ProcessStatus {
  /** Wall time of this look, RFC 3339. */
  readonly at: string;
  readonly version: string;
  readonly uptimeSeconds: number;
  readonly phase: 'starting' | 'running' | 'stopping';
  readonly ready: boolean;
  readonly apiUrl: string;
  readonly podName: string | undefined;
  readonly podNamespace: string | undefined;
  /** Undefined when nobody is elected. */
  readonly leadership: LeadershipStatus | undefined;
  readonly sources: readonly SourceStatus[];
  readonly controllers: readonly ControllerStatus[];
  /** The latest first. */
  readonly recent: readonly RecentReconcile[];
  /** Writes in each of the last 60 minutes, the running one last. */
  readonly writesPerMinute: readonly number[];
}

export interface LeadershipStatus {
  readonly lease: string;
  readonly leads: boolean;
  readonly holder: string | undefined;
}

export interface SourceStatus {
  readonly resource: string;
  /** Undefined for all. */
  readonly namespace: string | undefined;
  readonly selector: string | undefined;
  readonly state: SourceState;
  readonly health: string;
  readonly synced: boolean;
  readonly objects: number;
  readonly bytes: number;
  /** Since the server gave a sign of life; undefined when it never did. */
  readonly lastContactSeconds: number | undefined;
  /** Since the last complete list; undefined before the first. */
  readonly lastListSeconds: number | undefined;
}

export interface ControllerStatus {
  readonly name: string;
  /** False while another replica leads, and before the sources are synced. */
  readonly working: boolean;
  readonly workers: number;
  readonly busy: number;
  /** Keys ready to be taken, by priority, the highest first. */
  readonly ready: readonly { readonly priority: number; readonly keys: number }[];
  /** Keys that are due later. */
  readonly delayed: number;
  /** Keys whose last attempt failed. */
  readonly failing: number;
  readonly longestRunningSeconds: number;
  readonly reconciles: number;
  readonly errors: number;
  /** Over the last 200 attempts, in milliseconds; undefined before the first. */
  readonly medianMs: number | undefined;
  readonly slowestMs: number | undefined;
}

export interface RecentReconcile {
  readonly at: string;
  readonly controller: string;
  readonly key: string;
  readonly outcome: string;
  readonly durationMs: number;
  /** Class, code and layer, or the API server's status and reason; never a message. */
  readonly error: string | undefined;
}
