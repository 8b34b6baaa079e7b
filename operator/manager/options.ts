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

/** The options of `createManager`. Only `controllers` is required. */
export interface CreateManagerOptions {
  /** The controllers to run. Their names must differ. */
  readonly controllers: readonly Controller[];
  /** Tasks that run next to the controllers. Default: none. */
  readonly runnables?: readonly Runnable[];
  /**
   * The webhooks that every replica answers, whether or not it leads. Their names must differ. Default: none.
   */
  readonly webhooks?: readonly Webhook[];
  /** Checks for `/healthz` and `/readyz`, in addition to the manager's own checks. Default: none. */
  readonly healthChecks?: HealthChecks;
  /**
   * One or several prom-client registries whose metrics `/metrics` contains in addition to the toolkit's own.
   * A metric with a name that is already used is omitted, and this is logged once. Default: none.
   */
  readonly metrics?: MetricsRegistry | readonly MetricsRegistry[];
  /**
   * The environment variables from which the settings are read, see `chancery run --help`. Default: the
   * environment of this process.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings that override the environment. Default: none. */
  readonly settings?: Partial<Settings>;
  /** `false` turns the election off and overrides the settings. */
  readonly leaderElection?: false;
  /**
   * Default: a logger that writes to standard error, one JSON object per line unless the settings choose
   * another format.
   */
  readonly logger?: Logger;
  /** Default: the system clock. */
  readonly clock?: Clock;
  /**
   * Folders in which no ServiceAccount token may be visible. Default: the folder where Kubernetes mounts the
   * token. If you list folders of other projected volumes, list that folder as well.
   */
  readonly tokenFolders?: readonly string[];
  /**
   * The run fails if, this many milliseconds after the start of a controller, one of its sources has no first
   * list and is still failing or refused. Default: the manager waits as long as the settings allow.
   */
  readonly sourcesWithinMs?: number;
  /**
   * Called around every reconcile, for example for a trace or a history. Default: opens a span, if
   * OpenTelemetry is registered.
   */
  readonly reconcileMiddleware?: ReconcileMiddleware;
  /**
   * Called when leadership is lost. The process must exit within `withinMs`, whatever it is doing, because
   * another process may lead after that time. Default: the process exits after the orderly shutdown.
   *
   * `standsBy` cancels this deadline. It aborts when the settings set `onLost: 'standby'` and all work that
   * needs leadership has ended, so that the process may continue to exist.
   */
  readonly onLeadershipLost?: (withinMs: number, standsBy: AbortSignal) => void;
}

/** The members of a `Connection` that a manager needs. */
type ManagerConnection = Pick<Connection, 'clientFor' | 'leaseClientFor'> & {
  readonly listWatchFor: (scope: Scope) => ListWatch<KubernetesObject>;
  /** Reads discovery, to explain why a source is not served. Default: it is not explained. */
  readonly transport?: Connection['transport'];
  /** Resolves to true if the ambassador's address accepts connections. Default: not checked. */
  readonly isListening?: () => Promise<boolean>;
};

/** The options of an `OperatorProcess`. `newManager` builds them from `CreateManagerOptions`. */
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
  /**
   * Called around every review request of the API server, for example for a span. Default: not
   * called.
   */
  readonly aroundReview?: AroundReview;
  readonly settings: Settings;
  /** The connection to the ambassador. Its creator closes it after `run` has ended. */
  readonly connection: ManagerConnection;
  readonly clock: Clock;
  /** Returns a logger that adds the given facts to every line. */
  readonly logFor: (facts: Readonly<Record<string, string>>) => Log;
  /** True while debug lines are logged. Controllers then log why keys woke. Default: never. */
  readonly showsDebug?: () => boolean;
  /** Measures sources, queues and reconciles. Default: nothing is measured. */
  readonly meter?: Meter;
  /** Decides when workers get which keys. Default: the order of each controller's queue. */
  readonly workOrder?: WorkOrder;
  /** If false, webhooks and conversions are not answered, and no port is opened for them. Default true. */
  readonly servesWebhooks?: boolean;
  /** True in a dry run: nothing that runnables write is stored. Default false. */
  readonly dryRun?: boolean;
  /**
   * Returns random numbers, uniform in [0, 1), for all random delays of the process. Default `Math.random`.
   * Sources, queues, triggers, Events, elections and retries use it, so that a process can be run again with
   * the same numbers.
   */
  readonly random?: () => number;
  /** Receives what the process does, for a flight record. Default: no observer. */
  readonly observer?: ProcessObserver;
  /**
   * Answers POST requests on the health port. Returns false for a request that it does not handle. Default:
   * none.
   */
  readonly answer?: (request: IncomingMessage, response: ServerResponse) => boolean;
  /** Exposes the metrics. It starts before everything else, and stops last. */
  readonly metricsServer?:
    | { readonly start: () => Promise<void>; readonly stop: () => Promise<void> }
    | undefined;
  /**
   * Called once, when the ambassador is reachable and before anything is read or written. If it fails, the
   * run ends.
   */
  readonly prepare?: (signal: AbortSignal) => Promise<void>;
}
