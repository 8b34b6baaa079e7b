import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Connection } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import type { Log } from '../controller/reconciler.ts';
import type { ReconcileMiddleware } from '../controller/run/middleware.ts';
import type { WorkOrder } from '../controller/run/work-order.ts';
import type { Clock } from '../core/clock.ts';
import type { Meter } from '../core/metrics.ts';
import type { KubernetesObject } from '../model/object.ts';
import type { ListWatch } from '../watch/list-watch.ts';
import type { Webhook } from '../webhook/webhook.ts';
import type { AroundReview } from '../webhook/webhook-endpoint.ts';
import type { HealthChecks } from './http/health-server.ts';
import type { MetricsRegistry } from './metrics/registry.ts';
import type { Logger } from './observe/logger.ts';
import type { ProcessObserver } from './observe/process-observer.ts';
import type { Runnable } from './runnable.ts';
import type { Settings } from './settings/settings.ts';
import type { Scope } from './sources/scope.ts';

/** What `createManager` takes. Only `controllers` is required. */
export interface CreateManagerOptions {
  /** The controllers to run. Their names must differ. */
  readonly controllers: readonly Controller[];
  /** Tasks that run beside the controllers. Default: none. */
  readonly runnables?: readonly Runnable[];
  /** The webhooks that every replica answers, leader or not. Their names must differ. Default: none. */
  readonly webhooks?: readonly Webhook[];
  /** Checks for `/healthz` and `/readyz`, in addition to those of the manager. Default: none. */
  readonly healthChecks?: HealthChecks;
  /**
   * Registries of prom-client, one or several, that `/metrics` shows beside the toolkit's own metrics. A metric
   * with the name of an earlier one is left out, and logged once. Default: none.
   */
  readonly metrics?: MetricsRegistry | readonly MetricsRegistry[];
  /** Environment variables with the settings, see `chancery run --help`. Default: those of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings that override those of the environment. Default: none. */
  readonly settings?: Partial<Settings>;
  /** `false` turns the election off and overrides the settings. */
  readonly leaderElection?: false;
  /** Default: writes to standard error, one JSON object per line unless the settings say otherwise. */
  readonly logger?: Logger;
  /** Default: the clock of the machine. */
  readonly clock?: Clock;
  /**
   * Folders in which no ServiceAccount token may be visible. Default: the one where Kubernetes mounts the
   * token. If you list folders of other projected volumes, list that one as well.
   */
  readonly tokenFolders?: readonly string[];
  /**
   * Milliseconds from the start of a controller after which the run fails if a source has no first list and
   * still fails or is refused. Default: the manager waits, as the settings say.
   */
  readonly sourcesWithinMs?: number;
  /** Called around every reconcile, for a trace or a history. Default: a span, with OpenTelemetry. */
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /**
   * Called when leadership is lost. The process must exit within `withinMs`, whatever it is doing, because
   * then another process may lead. Default: the process exits after the orderly stop.
   *
   * `standsBy` cancels that deadline. It aborts when the settings say `onLost: 'standby'` and everything
   * that needs leadership has ended, so that the process may stay.
   */
  readonly onLeadershipLost?: (withinMs: number, standsBy: AbortSignal) => void;
}

/** The part of a `Connection` that a manager needs. */
type ManagerConnection = Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Reads discovery, to explain why a source is not served. Default: it is not explained. */
  readonly transport?: Connection['transport'];
  /** Whether the ambassador's address accepts connections. Default: not checked. */
  readonly isListening?: () => Promise<boolean>;
};

/** What an `OperatorProcess` takes. `newManager` builds it from `CreateManagerOptions`. */
export interface OperatorProcessOptions
  extends Pick<
    CreateManagerOptions,
    | 'controllers'
    | 'runnables'
    | 'webhooks'
    | 'healthChecks'
    | 'leaderElection'
    | 'sourcesWithinMs'
    | 'reconcileMiddleware'
    | 'onLeadershipLost'
  > {
  /** Called around every question of the API server, for a span. Default: nothing is. */
  readonly aroundReview?: AroundReview;
  readonly settings: Settings;
  /** The connection to the ambassador. Its creator closes it after `run` has ended. */
  readonly connection: ManagerConnection;
  readonly clock: Clock;
  /** A logger bound to the given facts. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** True while debug lines show: then controllers log why keys woke. Default: never. */
  readonly showsDebug?: () => boolean;
  /** Measures sources, queues and reconciles. Default: nothing is measured. */
  readonly meter?: Meter;
  /** Decides when workers get which keys. Default: the queue of each controller. */
  readonly workOrder?: WorkOrder;
  /** False: webhooks and conversions are not answered, and no port is opened for them. Default true. */
  readonly servesWebhooks?: boolean;
  /** Runnables are told that nothing they write is stored. Default false. */
  readonly dryRun?: boolean;
  /**
   * Uniform numbers in [0, 1), for all delays of the process that are spread at random. Default `Math.random`. Sources,
   * queues, triggers, Events, elections and retries draw from it, so that a process can be run again with the same ones.
   */
  readonly random?: () => number;
  /** Told what the process does, for a record. Default: nobody is. */
  readonly observer?: ProcessObserver;
  /** Answers requests on the health port, POST requests only. Returns false for those it does not know. Default: none. */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Exposes the metrics. It starts before everything else, and stops last. */
  readonly metricsServer?:
    | { readonly start: () => Promise<void>; readonly stop: () => Promise<void> }
    | undefined;
  /**
   * Called once, when the ambassador is reachable and before anything is read or written. A failure ends
   * the run.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}
