import type { Connection } from '../client/connection.ts';
import type { Log } from '../controller/reconciler.ts';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { CreateManagerOptions } from './create-manager.ts';
import type { Settings } from './settings/settings.ts';
import type { Scope } from './sources/scope.ts';

/** What a manager needs of a `Connection`. */
type ManagerConnection = Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Whether somebody listens where the ambassador should. Default: it is not asked. */
  readonly isListening?: () => Promise<boolean>;
};

/** What a manager is made of by `owningManager`, which makes all of it from `CreateManagerOptions`. */
export interface ManagerOptions
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
