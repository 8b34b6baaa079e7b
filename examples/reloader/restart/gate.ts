import type { KubernetesObject, ReconcileContext } from 'chancery';
import type { RestartPlan } from '../record/plan-types.ts';
import type { Problem, WorkloadKind } from '../workloads/kind.ts';

/** A restart that is planned and debounced, and asks whether it may begin. */
export interface RestartRequest {
  readonly kind: WorkloadKind;
  /** The workload as the cache shows it, read-only. */
  readonly workload: KubernetesObject;
  readonly plan: RestartPlan;
  /** The stores of the controller, among them that of the workload's own kind. */
  readonly context: Pick<ReconcileContext, 'store' | 'signal'>;
}

/** Why a restart does not begin yet. */
export interface GateWait {
  /** Milliseconds until the gate is asked again; 1 at least. A change of the workload asks earlier. */
  readonly waitMs: number;
  /** A word for metrics and for the log, of a closed list: `window`, `throttle`, `order`. */
  readonly reason: string;
  /** A sentence for people: the note of the Event `ReloadPending`. Left out: no Event. */
  readonly note?: string;
  /**
   * Annotations of the workload's metadata that say so; null removes one. The engine writes those that differ.
   * Default: none.
   */
  readonly annotations?: Readonly<Record<string, string | null>>;
}

/**
 * Decides when a restart may begin. Gates are asked in order before each restart; the first that answers a wait
 * wins, and the others are not asked. A gate must not start timers: the engine asks again.
 */
export interface RestartGate {
  /**
   * Annotations of the workload's metadata that the gate writes while a restart waits. The patch of the restart
   * removes them, and so does the engine when nothing is left to restart. Default: none.
   */
  readonly annotations?: readonly string[];
  /** The gate spreads restarts over time only: a dry run, which restarts nothing, does not ask it. Default false. */
  readonly isPace?: boolean;
  /** Undefined: the restart may begin. @param nowMs - wall time in milliseconds. */
  leftMs(request: RestartRequest, nowMs: number): GateWait | undefined;
  /** Called after a restart was carried out, for gates that count. */
  restarted?(request: RestartRequest, nowMs: number): void;
  /**
   * What cannot be used of the annotations of a workload, such as a window that is no cron expression. The
   * engine records each once; the gate then lets the restart pass or not, as its documentation says.
   */
  problems?(workload: KubernetesObject): readonly Problem[];
}
