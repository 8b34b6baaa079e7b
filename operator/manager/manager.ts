import process from 'node:process';
import { type Connection, connect } from '../client/connection.ts';
import type { Controller } from '../controller/controller.ts';
import { NEVER_ABORTED } from '../core/abort.ts';
import { type Clock, systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { Metric } from './metrics/metric.ts';
import { type MetricsPage, metricsPort } from './metrics/port.ts';
import { watchEventLoop } from './observe/event-loop-watch.ts';
import { createLogger, type Logger } from './observe/logger.ts';
import type { ProcessObserver } from './observe/process-observer.ts';
import { tracing } from './observe/tracing.ts';
import { OperatorProcess } from './operator-process.ts';
import type { CreateManagerOptions, OperatorProcessOptions } from './options.ts';
import { declaringRunnables, type Runnable } from './runnable.ts';
import type { GateTarget } from './safety/gate-test.ts';
import type { SelfTest, SelfTestOptions } from './safety/self-test.ts';
import { findVisibleToken, tokenVisible } from './safety/visible-token.ts';
import type { WatchGateOptions } from './safety/watch-gate.ts';
import { connectOptions, placementOf } from './settings/connect-options.ts';
import { overridden, type Settings, settingsFrom } from './settings/settings.ts';
import type { ProcessStatus } from './status-page/process-status.ts';

/** A manager that owns its logger, connection and metrics. They close when its run ends. */
export interface Manager {
  /** The settings from the environment, overridden by the `settings` of the options. */
  readonly settings: Settings;
  /** The process's logger. */
  readonly logger: Logger;
  /** True while the manager runs and every source has its first list. `/readyz` checks this, too. */
  readonly ready: boolean;
  /**
   * True while this process may do work that needs leadership. Without an election, this is true from startup
   * on.
   */
  readonly leads: boolean;
  /**
   * True when every controller has handled all changes from its sources. From then on only a change or a
   * timer leads to a reconcile.
   */
  readonly idle: boolean;
  /** The state of the process, as the status page displays it. */
  readonly status: ProcessStatus;
  /**
   * Adds a controller or runnable, before or during the run. During the run it starts at once, or, if it
   * needs leadership, when this process leads.
   *
   * @throws ConfigurationError `CONFIG` when another controller has the same name, and when the manager has
   *   been stopped.
   */
  add(declared: Controller | Runnable): void;
  /**
   * Runs until `signal` aborts or `stop` is called. Then stops gracefully, within the `shutdownTimeoutMs` of
   * the settings; docs/guides/operate/running.md lists the steps. A manager runs only once.
   *
   * @throws UnsafeSetupError `TOKEN_VISIBLE` before anything is opened, when a ServiceAccount token is
   *   visible and the settings do not set `insecureAllowToken`; `FILTER_OPEN` before anything is reconciled,
   *   when the settings set `selfTest: 'require'` and the ambassador's filter allows a request that it should
   *   refuse.
   * @throws ConfigurationError `CONFIG` when a port is not available, or the manager has already run.
   * @throws LeadershipLostError `LEADERSHIP_LOST` after a shutdown that was caused by the loss of the Lease.
   * @throws OperatorError `UNSERVED` when the settings set `crdWait: 'timeout'` and a source is not served
   *   after 2 minutes; `USER_CODE` when a runnable fails.
   */
  run(signal?: AbortSignal): Promise<void>;
  /**
   * Begins the shutdown, in the same way as an abort of the signal that `run` has received. Resolves when the
   * shutdown is complete, and never rejects. It is idempotent, may be called before the run, and is safe to
   * call from a signal handler.
   */
  stop(reason?: unknown): Promise<void>;
}

export interface ManagerOptions extends CreateManagerOptions {
  /** True in a dry run: nothing that runnables write is stored. Default false. */
  readonly dryRun?: boolean;
  /** Metrics of the process in addition to the catalogue. Default: none. */
  readonly moreMetrics?: readonly Metric[];
  /** Pages that the metrics port serves in addition to `/metrics`. Default: none. */
  readonly metricsPages?: readonly MetricsPage[];
  /** See `OperatorProcessOptions`. */
  readonly random?: () => number;
  /** See `OperatorProcessOptions`. */
  readonly observer?: ProcessObserver;
  /** See `OperatorProcessOptions`. */
  readonly answer?: NonNullable<OperatorProcessOptions['answer']>;
  /** Wraps the connection to the API server, for example for a dry run. Default: not wrapped. */
  readonly decorate?: (connection: Connection, logger: Logger) => Connection;
}

/** Implements `createManager`. */
export async function newManager(options: ManagerOptions): Promise<Manager> {
  const { environment = process.env, clock = systemClock, observer, random } = options;
  const settings = overridden(settingsFrom(environment), options.settings);
  const { logger = loggerOf(settings, environment) } = options;
  const { meter, server } = await metricsPortOf(options, { settings, logger, clock });
  const own = connect(settings.apiUrl, {
    ...{ clock, meter, detailed: settings.metricsDetailed },
    ...(observer && { around: (transport) => observer.transport(transport) }),
    ...(random && { random }),
    ...connectOptions(settings, logger),
  });
  const connection = options.decorate?.(own, logger) ?? own;
  const traced = await tracing();
  const { reconcileMiddleware = traced?.reconcileMiddleware } = options;
  const selfTest = selfTestLoader(() => ({
    connection,
    declarations: declarationsOf(options),
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
    ...(traced && { aroundReview: traced.aroundReview }),
    settings,
    connection,
    clock,
    logFor: (facts) => logger.child(facts),
    showsDebug: () => logger.level === 'debug',
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
  for (const each of gateTests(options, settings, { clock, log: logger })) manager.add(each);
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

function declarationsOf({
  controllers,
  runnables = [],
  webhooks = [],
}: ManagerOptions): SelfTestOptions['declarations'] {
  return [...controllers, ...declaringRunnables(runnables), ...webhooks];
}

function metricsPortOf(
  {
    metrics = [],
    moreMetrics = [],
    metricsPages = [],
  }: Pick<ManagerOptions, 'metrics' | 'moreMetrics' | 'metricsPages'>,
  surroundings: { readonly settings: Settings; readonly logger: Logger; readonly clock: Clock },
): ReturnType<typeof metricsPort> {
  const { settings, logger, clock } = surroundings;
  const { metricsPrefix: prefix } = settings;
  return metricsPort({
    port: settings.metricsPort,
    host: settings.metricsHost,
    hosts: settings.httpHosts,
    detailed: settings.metricsDetailed,
    ...(prefix !== undefined && { prefix }),
    registries: [metrics].flat(),
    more: moreMetrics,
    pages: metricsPages,
    clock,
    log: logger,
  });
}

function loggerOf(
  { logLevel, logFormat: format }: Settings,
  environment: NonNullable<CreateManagerOptions['environment']>,
): Logger {
  return createLogger(logLevel, process.stderr, { format, environment });
}

interface Owned extends Pick<Manager, 'settings' | 'logger'> {
  /** Called once. Runs the manager, then closes everything that the manager owns. */
  readonly run: (signal: AbortSignal) => Promise<void>;
}

/** The public `Manager` for `manager`. Its `run` calls the given `run`, and can be called only once. */
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

/** Creates the self-test on first use, and loads its module only then. */
function selfTestLoader(optionsOf: () => SelfTestOptions): () => Promise<SelfTest> {
  let loaded: Promise<SelfTest> | undefined;
  return () => {
    loaded ??= import('./safety/self-test.ts').then((module) => new module.SelfTest(optionsOf()));
    return loaded;
  };
}

/** Tests the gate while the process runs, because the certificate of the gate can change at any time. */
function gateTests(
  { webhooks = [] }: ManagerOptions,
  { selfTest, webhookGate }: Settings,
  parts: Omit<WatchGateOptions, 'test'>,
): readonly Runnable[] {
  if (selfTest === 'off' || webhookGate === undefined) return [];
  const target: GateTarget = { ...webhookGate, path: webhooks[0]?.path };
  const run: Runnable['run'] = async (signal) => {
    const { testGate } = await import('./safety/gate-test.ts');
    const { watchGate } = await import('./safety/watch-gate.ts');
    const test: WatchGateOptions['test'] = (stopped) =>
      testGate(target, { now: new Date(parts.clock.now()), signal: stopped });
    await watchGate({ ...parts, test }, signal);
  };
  return [{ name: 'gate-self-test', needsLeaderElection: false, run }];
}

/** Only the ambassador should hold credentials. A token that the operator can read breaks this rule. */
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
