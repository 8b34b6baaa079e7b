import type { Connection } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log } from '../controller/reconciler.ts';
import type { ReconcileMiddleware } from '../controller/run/middleware.ts';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { HealthChecks } from './http/health-server.ts';
import type { Logger } from './observe/logger.ts';
import type { Settings } from './settings/settings.ts';
import type { Scope } from './sources/scope.ts';
import type { Runnable } from './tasks.ts';

/** What a manager is made of. Only `controllers` is required. */
export interface CreateManagerOptions {
  /** The controllers to run. Their names must differ. */
  readonly controllers: readonly Controller[];
  /** What runs beside the controllers. Default: nothing. */
  readonly runnables?: readonly Runnable[];
  /** Checks for `/healthz` and `/readyz`, beside those that a manager makes itself. Default: none. */
  readonly healthChecks?: HealthChecks;
  /** Where the settings come from, see `chancery run --help`. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings that win over those of the environment. Default: none. */
  readonly settings?: Partial<Settings>;
  /** `false` turns the election off and overrides the settings. */
  readonly leaderElection?: false;
  /** Default: one JSON object a line on standard error. */
  readonly logger?: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Folders in which no ServiceAccount token may be visible. Default: where Kubernetes mounts one; with
   * those of other projected volumes, name that one, too.
   */
  readonly tokenFolders?: readonly string[];
  /**
   * The run fails when a source still fails, or is refused, so many milliseconds after its controller
   * began and has no first list. Default: it is waited for, as the settings say.
   */
  readonly sourcesWithinMs?: number;
  /** Called around every reconcile: for a trace or a history. Default: a span, with OpenTelemetry. */
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /**
   * Called when leadership is lost: the process must be gone within `withinMs`, whatever is still
   * under way, for then another may lead. Default: it is gone when the orderly stop is over.
   *
   * `standsBy` lifts that: it aborts when the settings say `onLost: 'standby'` and all that leadership
   * guards has ended, so that the process may stay.
   */
  readonly onLeadershipLost?: (withinMs: number, standsBy: AbortSignal) => void;
}

/** What a manager needs of a `Connection`. */
type ManagerConnection = Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Whether somebody listens where the ambassador should. Default: it is not asked. */
  readonly isListening?: () => Promise<boolean>;
};

/** What a manager is made of by `newManager`, which makes all of it from `CreateManagerOptions`. */
export interface OperatorProcessOptions
  extends Pick<
    CreateManagerOptions,
    | 'controllers'
    | 'runnables'
    | 'healthChecks'
    | 'leaderElection'
    | 'sourcesWithinMs'
    | 'reconcileMiddleware'
    | 'onLeadershipLost'
  > {
  readonly settings: Settings;
  /** The way to the ambassador; whoever made it closes it, after the end of `run`. */
  readonly connection: ManagerConnection;
  readonly clock: Clock;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** Where sources, queues and reconciles are measured. Default: nowhere. */
  readonly meter?: Meter;
  /** Shows what is measured: begins before everything else, and ends after it. */
  readonly metricsServer?:
    | { readonly start: () => Promise<void>; readonly stop: () => Promise<void> }
    | undefined;
  /** Done once, when the ambassador is there and before anything is read or written. A failure ends the run. */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}
