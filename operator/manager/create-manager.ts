import process from 'node:process';
import { type Connection, connect } from '../client/connection.ts';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { connectOptions } from './connect-options.ts';
import { watchEventLoop } from './event-loop-watch.ts';
import { createLogger, type Logger } from './logger.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-options.ts';
import { metricsPort } from './metrics-port.ts';
import { type Settings, settingsFrom } from './settings.ts';
import { tracing } from './tracing.ts';

/** What a manager is made of by whoever has no wishes about the rest. */
export interface CreateManagerOptions
  extends Pick<
    ManagerOptions,
    | 'controllers'
    | 'runnables'
    | 'healthChecks'
    | 'leaderElection'
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
  /** Puts something around what speaks to the API server. Default: nothing. */
  readonly decorate?: (connection: Connection, logger: Logger) => Connection;
}

/** A manager that owns all that it needs: log, connection, metrics. They end with its run. */
export interface OwningManager extends Pick<Manager, 'ready' | 'leads' | 'idle' | 'add' | 'stop'> {
  readonly settings: Settings;
  readonly logger: Logger;
  /** As `Manager.run`; without a signal until `stop` is called. */
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
  const { environment = process.env, clock = systemClock } = options;
  const settings = { ...settingsFrom(environment), ...options.settings };
  const { logger = createLogger(settings.logLevel, process.stderr) } = options;
  const { apiUrl, metricsHost: host, metricsPort: port } = settings;
  const { metricsDetailed: detailed, metricsPrefix: prefix } = settings;
  const { meter, server } = await metricsPort({
    port,
    host,
    detailed,
    ...(prefix !== undefined && { prefix }),
    log: logger,
  });
  const own = connect(apiUrl, { clock, meter, detailed, ...connectOptions(settings, logger) });
  const connection = options.decorate?.(own, logger) ?? own;
  const aroundAttempt = options.aroundAttempt ?? (await tracing());
  const manager = new Manager({
    ...options,
    ...(aroundAttempt && { aroundAttempt }),
    settings,
    connection,
    clock,
    logFor: (facts) => logger.child(facts),
    meter,
    metricsServer: server,
  });
  manager.add({
    name: 'event-loop-watch',
    needsLeaderElection: false,
    run: (signal) => watchEventLoop({ clock, meter, log: logger }, signal),
  });
  let hasRun = false;
  return {
    settings,
    logger,
    get ready() {
      return manager.ready;
    },
    get leads() {
      return manager.leads;
    },
    get idle() {
      return manager.idle;
    },
    add: (declared) => manager.add(declared),
    stop: (reason) => manager.stop(reason),
    async run(signal = NEVER_ABORTED) {
      if (hasRun) throw new ConfigurationError('a manager runs once: make another');
      hasRun = true;
      try {
        await manager.run(signal);
      } finally {
        await connection.close();
      }
    },
  };
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
