import type { Connection } from '../client/connection.ts';
import type { AroundAttempt } from '../controller/attempt.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log } from '../controller/reconciler.ts';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { HealthCheck } from './health-server.ts';
import type { Runnable } from './runnable.ts';
import type { Scope } from './scope.ts';
import type { Settings } from './settings.ts';

/** Checks of the user's, beside those that a manager makes itself. */
export interface HealthChecks {
  /** For `/healthz`: facts of this process only, for a failure restarts it. */
  readonly live?: readonly HealthCheck[];
  /** For `/readyz`. */
  readonly ready?: readonly HealthCheck[];
}

/** What a manager needs of a `Connection`. */
export type ManagerConnection = Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Whether somebody listens where the ambassador should. Default: it is not asked. */
  readonly isListening?: () => Promise<boolean>;
};

export interface ManagerOptions {
  readonly settings: Settings;
  readonly controllers: readonly Controller[];
  readonly runnables?: readonly Runnable[];
  readonly healthChecks?: HealthChecks;
  /** The way to the ambassador; whoever made it closes it, after the end of `run`. */
  readonly connection: ManagerConnection;
  readonly clock: Clock;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Where sources, queues and reconciles are measured. Default: nowhere. */
  readonly meter?: Meter;
  /** Something around every reconcile: a trace, a history. Default: nothing. */
  readonly aroundAttempt?: AroundAttempt;
  /** Shows what is measured: begins before everything else, and ends after it. */
  readonly metricsServer?:
    | { readonly start: () => Promise<void>; readonly stop: () => Promise<void> }
    | undefined;
  /**
   * The run fails when a source still fails, or is refused, so many milliseconds after its controller
   * began and has no first list. Default: it is waited for, as the settings say.
   */
  readonly sourcesWithinMs?: number;
  /** False: there is no election, whatever the settings say. */
  readonly leaderElection?: false;
  /** Done once, when the ambassador is there and before anything is read or written. A failure ends the run. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
  /**
   * Called when leadership is lost: the process must be gone within `withinMs`, whatever is still
   * under way, for then another may lead. Default: it is gone when the orderly stop is over.
   *
   * `standsBy` lifts that: it aborts when the settings say `onLost: 'standby'` and all that leadership
   * guards has ended, so that the process may stay.
   */
  readonly onLeadershipLost?: (withinMs: number, standsBy: AbortSignal) => void;
}
