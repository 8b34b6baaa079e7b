import process from 'node:process';
import { type Connection, connect } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import { NEVER_ABORTED } from '../core/abort.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import { metricsPort } from './metrics/port.ts';
import { watchEventLoop } from './observe/event-loop-watch.ts';
import { createLogger, type Logger } from './observe/logger.ts';
import { tracing } from './observe/tracing.ts';
import { OperatorProcess } from './operator-process.ts';
import type { CreateManagerOptions } from './options.ts';
import type { SelfTest, SelfTestOptions } from './safety/self-test.ts';
import { findVisibleToken, tokenVisible } from './safety/visible-token.ts';
import { connectOptions, placementOf } from './settings/connect-options.ts';
import { type Settings, settingsFrom } from './settings/settings.ts';
import type { ProcessStatus } from './status-page/process-status.ts';
import type { Runnable } from './tasks.ts';

/** A manager that owns all that it needs: log, connection, metrics. They end with its run. */
export interface Manager {
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

export interface ManagerOptions extends CreateManagerOptions {
  /** Puts something around what speaks to the API server, such as a dry run. Default: nothing. */
  readonly decorate?: (connection: Connection, logger: Logger) => Connection;
}

/** What `createManager` promises, with all that it takes. */
export async function newManager(options: ManagerOptions): Promise<Manager> {
  const { environment = process.env, clock = systemClock } = options;
  const settings = { ...settingsFrom(environment), ...options.settings };
  const { logger = createLogger(settings.logLevel, process.stderr) } = options;
  const { apiUrl, httpHosts: hosts, metricsHost: host, metricsPort: port } = settings;
  const { metricsDetailed: detailed, metricsPrefix: prefix } = settings;
  const { meter, server } = await metricsPort({
    port,
    host,
    hosts,
    detailed,
    ...(prefix !== undefined && { prefix }),
    log: logger,
  });
  const own = connect(apiUrl, { clock, meter, detailed, ...connectOptions(settings, logger) });
  const connection = options.decorate?.(own, logger) ?? own;
  const reconcileMiddleware = options.reconcileMiddleware ?? (await tracing());
  const selfTest = selfTestLoader(() => ({
    connection,
    controllers: options.controllers,
    placement: placementOf(settings, [...options.controllers, ...(options.runnables ?? [])]),
    clock,
    log: logger,
  }));
  const manager = new OperatorProcess({
    ...options,
    ...(settings.selfTest === 'require' && {
      prepare: async (signal) => (await selfTest()).requireFilter(signal),
    }),
    ...(reconcileMiddleware && { reconcileMiddleware }),
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
  if (settings.selfTest !== 'off') {
    manager.add({
      name: 'self-test',
      needsLeaderElection: false,
      run: async (signal) => (await selfTest()).run(signal),
    });
  }
  const run = async (signal: AbortSignal): Promise<void> => {
    try {
      await requireNoToken(options.tokenFolders, settings, logger);
      await manager.run(signal);
    } finally {
      await connection.close();
    }
  };
  return owning(manager, { settings, logger, run });
}

interface Owned extends Pick<Manager, 'settings' | 'logger'> {
  /** Called once: the work, and the end of all that is owned. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** The public form of `manager`. */
function owning(manager: OperatorProcess, { settings, logger, run }: Owned): Manager {
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
    get status() {
      return manager.status;
    },
    add: (declared) => manager.add(declared),
    stop: (reason) => manager.stop(reason),
    async run(signal = NEVER_ABORTED) {
      if (hasRun) throw new ConfigurationError('a manager runs once: make another');
      hasRun = true;
      await run(signal);
    },
  };
}

/** One self-test, made when it is first asked for: its module is loaded then, and not at the start. */
function selfTestLoader(optionsOf: () => SelfTestOptions): () => Promise<SelfTest> {
  let loaded: Promise<SelfTest> | undefined;
  return () => {
    loaded ??= import('./safety/self-test.ts').then((module) => new module.SelfTest(optionsOf()));
    return loaded;
  };
}

/** The ambassador holds the credentials; a token in the operator's reach undoes that. */
async function requireNoToken(
  folders: readonly string[] | undefined,
  { insecureAllowToken }: Pick<Settings, 'insecureAllowToken'>,
  log: Logger,
): Promise<void> {
  const path = await findVisibleToken(folders);
  if (path === undefined) return;
  if (!insecureAllowToken) throw tokenVisible(path);
  log.warn({ path }, 'a ServiceAccount token is visible, the operator needs none');
}
