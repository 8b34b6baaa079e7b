import type { Controller } from '../controller/controller.ts';
import type { ReconcileMiddleware } from '../controller/run/middleware.ts';
import type { Clock } from '../core/clock.ts';
import type { HealthChecks } from './http/health-server.ts';
import type { Logger } from './observe/logger.ts';
import type { Runnable } from './runnable.ts';
import type { Settings } from './settings/settings.ts';
import type { ProcessStatus } from './status-page/process-status.ts';

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

/** A manager that owns all that it needs: log, connection, metrics. They end with its run. */
export interface OwningManager {
  /** The settings of the environment, and over them those of the options. */
  readonly settings: Settings;
  /** The process's logger. */
  readonly logger: Logger;
  /** True when it runs and every source has its first list; part of what `/readyz` says. */
  readonly ready: boolean;
  /** True while this process may do what needs leadership; without election from the start. */
  readonly leads: boolean;
  /**
   * True when every controller has looked at everything that its sources hold, so that only a change,
   * or time, gives it work.
   */
  readonly idle: boolean;
  /** What the process is doing, as the status page shows it. */
  readonly status: ProcessStatus;
  /**
   * Takes on another controller or runnable: before the run, or during it, when it begins at once, or
   * with leadership if it needs that.
   *
   * @throws ConfigurationError `CONFIG` when a controller has the name of another, and when the
   *   manager has been asked to stop.
   */
  add(declared: Controller | Runnable): void;
  /**
   * Works until `signal` aborts, or without a signal until `stop` is called. Then it stops in order,
   * within the `shutdownTimeoutMs` of the settings; docs/running.md has the steps. It runs once.
   *
   * @throws UnsafeSetupError `TOKEN_VISIBLE` before anything is opened, when a ServiceAccount token is
   *   visible and the settings do not say `insecureAllowToken`; `FILTER_OPEN` before anything is
   *   reconciled, when they say `selfTest: 'require'` and the ambassador's filter does not hold.
   * @throws ConfigurationError `CONFIG` when a port cannot be had, and when it has run before.
   * @throws LeadershipLostError `LEADERSHIP_LOST` after a stop that the loss of the Lease began.
   * @throws OperatorError `UNSERVED` when the settings say `crdWait: 'timeout'` and a source is not
   *   served after 2 minutes; `USER_CODE` when a runnable fails.
   */
  run(signal?: AbortSignal): Promise<void>;
  /**
   * Begins the stop, as the signal of `run` does; resolves when it is over, and never rejects. Again,
   * or before the run, it changes nothing more; it may be called by a handler of signals.
   */
  stop(reason?: unknown): Promise<void>;
}

/**
 * A manager of `controllers` and `runnables` as `chancery run` makes it, with `/healthz` and `/readyz`
 * on port 8081 and `/metrics` on 8080; with a span around every reconcile when a tracer provider is
 * registered with `@opentelemetry/api`. Opens nothing before it runs. It handles no signals of the
 * process and ends none: that is the caller's.
 *
 * @throws ConfigurationError `CONFIG` when the settings are unusable, or two controllers have the same
 *   name.
 */
export async function createManager(options: CreateManagerOptions): Promise<OwningManager> {
  // Loaded when it is asked for: who uses the parts of the toolkit alone does not pay for the process.
  const { owningManager } = await import('./owning-manager.ts');
  return owningManager(options);
}

/**
 * Runs controllers until `signal` aborts, and stops in order: `createManager` and its `run` in one.
 *
 *     const stop = new AbortController();
 *     process.once('SIGTERM', () => stop.abort());
 *     await runOperator({ controllers: [website], signal: stop.signal });
 *
 * @throws what `createManager` and `OwningManager.run` throw.
 */
export async function runOperator({
  signal,
  ...options
}: CreateManagerOptions & { readonly signal: AbortSignal }): Promise<void> {
  const manager = await createManager(options);
  await manager.run(signal);
}
