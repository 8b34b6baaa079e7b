import type { Connection } from '../client/connection.ts';
import type { Clock } from '../core/clock.ts';
import type { Logger } from './logger.ts';
import type { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import type { Settings } from './settings.ts';

/** What a manager is made of by whoever has no wishes about the rest. */
export interface CreateManagerOptions
  extends Pick<
    ManagerOptions,
    | 'controllers'
    | 'runnables'
    | 'healthChecks'
    | 'leaderElection'
    | 'sourcesWithinMs'
    | 'aroundAttempt'
    | 'onLeadershipLost'
  > {
  /** Where the settings come from, see `chancery run --help`. Default: that of this process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Settings that win over those of the environment. */
  readonly settings?: Partial<Settings>;
  /** Default: one JSON object a line on standard error. */
  readonly logger?: Logger;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /**
   * Folders in which no ServiceAccount token may be visible. Default: where Kubernetes mounts one; with
   * those of other projected volumes, name that one, too.
   */
  readonly tokenFolders?: readonly string[];
  /** Puts something around what speaks to the API server. Default: nothing. */
  readonly decorate?: (connection: Connection, logger: Logger) => Connection;
}

/** A manager that owns all that it needs: log, connection, metrics. They end with its run. */
export interface OwningManager
  extends Pick<Manager, 'ready' | 'leads' | 'idle' | 'status' | 'add' | 'stop'> {
  readonly settings: Settings;
  readonly logger: Logger;
  /**
   * As `Manager.run`; without a signal until `stop` is called.
   *
   * @throws UnsafeSetupError `TOKEN_VISIBLE` before anything is opened, when a ServiceAccount token is
   *   visible and the settings do not say `insecureAllowToken`; `FILTER_OPEN` before anything is
   *   reconciled, when they say `selfTest: 'require'` and the ambassador's filter does not hold.
   */
  run(signal?: AbortSignal): Promise<void>;
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
 * @throws what `createManager` and `Manager.run` throw.
 */
export async function runOperator({
  signal,
  ...options
}: CreateManagerOptions & { readonly signal: AbortSignal }): Promise<void> {
  const manager = await createManager(options);
  await manager.run(signal);
}
