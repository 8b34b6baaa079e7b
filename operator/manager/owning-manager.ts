import process from 'node:process';
import { type Connection, connect } from '../client/connection.ts';
import { NEVER_ABORTED } from '../core/abort.ts';
import { systemClock } from '../core/clock.ts';
import { ConfigurationError } from '../core/errors.ts';
import type { CreateManagerOptions, OwningManager } from './create-manager.ts';
import { Manager } from './manager.ts';
import { metricsPort } from './metrics/port.ts';
import { watchEventLoop } from './observe/event-loop-watch.ts';
import { createLogger, type Logger } from './observe/logger.ts';
import { tracing } from './observe/tracing.ts';
import type { SelfTest } from './safety/self-test.ts';
import { findVisibleToken, tokenVisible } from './safety/visible-token.ts';
import { connectOptions } from './settings/connect-options.ts';
import { placementOf } from './settings/placement.ts';
import { type Settings, settingsFrom } from './settings/settings.ts';

export interface OwningManagerOptions extends CreateManagerOptions {
  /** Puts something around what speaks to the API server, such as a dry run. Default: nothing. */
  readonly decorate?: (connection: Connection, logger: Logger) => Connection;
}

/** What `createManager` promises, with all that it takes. */
export async function owningManager(options: OwningManagerOptions): Promise<OwningManager> {
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
  let loaded: Promise<SelfTest> | undefined;
  const selfTest = (): Promise<SelfTest> => {
    // Loaded when the sources have begun, or by who asks for it before.
    loaded ??= import('./safety/self-test.ts').then(
      (module) =>
        new module.SelfTest({
          connection,
          controllers: options.controllers,
          placement: placementOf(settings, [...options.controllers, ...(options.runnables ?? [])]),
          clock,
          log: logger,
        }),
    );
    return loaded;
  };
  const manager = new Manager({
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
      try {
        await requireNoToken(options.tokenFolders, settings, logger);
        await manager.run(signal);
      } finally {
        await connection.close();
      }
    },
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
