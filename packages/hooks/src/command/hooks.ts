import { type Clock, ConfigurationError, messageOf } from 'chancery';
import {
  claimsOfProcess,
  createLogger,
  createYamlReader,
  DryRun,
  type ExitCode,
  findVisibleToken,
  type GivenTo,
  type HOOKS,
  type Io,
  type Logger,
  linkedAbort,
  type ManagerOptions,
  newManager,
  overridden,
  RunFolders,
  settingsFrom,
  TOKEN_FOLDERS,
  toggleDebugOnSignal,
  tokenVisible,
  warnOfExposedEnvironment,
  withHooksDefaults,
} from 'chancery/internal';
import { type Settings, systemClock } from 'chancery/low-level';
import { type HooksProgram, loadHooksProgram } from '../hooks-program.ts';
import { createJq } from '../jq/create-jq.ts';
import { runnerMetrics } from '../metrics/runner-metrics.ts';
import { hookEnvironment } from '../run/hook-environment.ts';
import { type HooksArguments, hooksArguments } from './arguments.ts';
import { definitionsFor } from './definitions.ts';
import { folderState } from './folder-state.ts';
import { untilHooksChange } from './folder-watch.ts';

export interface HooksCommandOptions {
  readonly clock?: Clock;
  /**
   * Folders where Kubernetes mounts a ServiceAccount token. The runner must not find a token there.
   */
  readonly tokenFolders?: readonly string[];
}

/** `chancery hooks`: runs a folder of executables as an operator. */
export async function hooks(
  command: GivenTo<typeof HOOKS>,
  io: Io,
  { clock = systemClock, tokenFolders = TOKEN_FOLDERS }: HooksCommandOptions = {},
): Promise<ExitCode> {
  const asked = hooksArguments(command);
  const settings = settingsOf(asked, io.env);
  io.saveMemory(); // most of the data that is read is released when it is filtered
  // This is checked before any hook is started, because hooks are code of the user, and may do
  // anything.
  if (!asked.check && !settings.insecureAllowToken) await requireNoToken(tokenFolders);
  if (!asked.check) await requireTmpDir(asked.runner.tmpDir);
  const logger = loggerOf(settings, io);
  for (const ignored of asked.ignored) logger.warn({ ignored }, 'a variable has no effect');
  const given = hookEnvironment(io.env, settings.apiUrl, asked.runner.hookEnv);
  await warnOfExposedEnvironment(given, io, logger);
  const jq = createJq({ clock });
  // The YAML reader runs in a thread, and its time limits use the real time. The clock of a test
  // does not control that thread.
  const yaml = createYamlReader({ clock: systemClock });
  try {
    const ownMetric = claimsOfProcess({
      prefix: settings.metricsPrefix,
      more: runnerMetrics(asked.metricsPrefix),
    });
    const load = async (signalOf: () => AbortSignal): Promise<HooksProgram> => {
      const definitions = await definitionsFor(asked.dir, asked.crds, io);
      const signal = signalOf(); // from here on, programs may be running that a signal must stop
      return loadHooksProgram(asked.dir, {
        ...asked.runner,
        ...{ environment: io.env, apiUrl: settings.apiUrl, ownMetric, jq, yaml, clock, signal },
        definitions,
      });
    };
    const state = await folderState(asked.dir).catch(() => undefined);
    const program = await load(() => io.signal);
    for (const { hook, message } of program.problems) {
      logger.error({ hook, problem: message }, 'hook is skipped because it cannot be used');
    }
    for (const file of program.helpers) {
      logger.warn({ file }, 'a file without an execute bit and without a #! line is no hook');
    }
    if (asked.check) return printDeclarations(program, io);
    const parts = { asked, settings, logger, clock, io, load, state, tokenFolders };
    return await runHooks(program, parts);
  } finally {
    await Promise.all([jq.close(), yaml.close()]);
  }
}

interface Surroundings {
  readonly asked: HooksArguments;
  readonly settings: Settings;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly io: Io;
  readonly load: (signalOf: () => AbortSignal) => Promise<HooksProgram>;
  /** The result of `folderState` before the hooks were read. */
  readonly state: string | undefined;
  readonly tokenFolders: readonly string[];
}

/** Runs the hooks until the process is asked to stop, or until the hooks change. */
async function runHooks(program: HooksProgram, given: Surroundings): Promise<ExitCode> {
  const { asked, settings, logger, clock, io, load, state, tokenFolders } = given;
  const dryRun = asked.dryRun ? new DryRun({ io, follow: asked.follow }) : undefined;
  const answering = asked.dryRun ? undefined : program.answering;
  const options: ManagerOptions = {
    controllers: [],
    runnables: [program.runnable, ...(answering ? [answering] : [])],
    webhooks: program.webhooks,
    environment: io.env,
    ...{ settings, tokenFolders, logger, clock },
    metrics: program.metrics,
    moreMetrics: runnerMetrics(asked.metricsPrefix),
    metricsPages: [{ path: '/metrics/hooks', text: () => program.metrics.text() }],
    onLeadershipLost: (withinMs, standsBy) => io.exitWithin(withinMs, 3, standsBy),
  };
  const manager = await newManager(dryRun?.optionsFrom(options) ?? options);
  const cancelToggle = toggleDebugOnSignal(logger);
  try {
    if (dryRun !== undefined) {
      await dryRun.run(manager, clock);
      return program.status()?.givenUp.length === 0 ? dryRun.exitCode : 1;
    }
    using watching = linkedAbort(io.signal);
    const watch = {
      ...{ dir: asked.dir, hooks: program.hooks, state, clock, log: logger },
      load: async (signal: AbortSignal) => (await load(() => signal)).hooks,
    };
    const changed = untilHooksChange(watch, watching.signal).then(
      (change) => {
        logger.warn(
          { dir: asked.dir, change },
          'hooks have changed; the process exits to load them',
        );
        return manager.stop(new Error(`the folder of hooks has changed: ${change}`));
      },
      (error: unknown) => {
        if (!watching.signal.aborted) throw error;
      },
    );
    try {
      await manager.run(io.signal);
    } finally {
      watching.abort(new Error('the hooks have ended'));
      await changed;
    }
    return 0;
  } finally {
    cancelToggle();
  }
}

/**
 * The settings of the process. Without `WATCH_NAMESPACE`, hooks watch every namespace, as the
 * contract of shell-operator says.
 */
function settingsOf(asked: HooksArguments, env: Io['env']): Settings {
  const fromEnvironment = settingsFrom(withHooksDefaults(env));
  return overridden(fromEnvironment, {
    ...asked.settings,
    ...(!asked.leaderElection && { leaderElection: undefined }),
    insecureAllowToken: asked.insecureAllowToken || fromEnvironment.insecureAllowToken,
  });
}

function printDeclarations({ hooks }: HooksProgram, { stdout }: Io): ExitCode {
  for (const { name, config, rights = [] } of hooks) {
    const { onStartup, schedules, kubernetes, admission, conversions } = config;
    const bindings = kubernetes.map(({ events, ...binding }) => ({
      ...binding,
      events: [...events],
    }));
    const reviews = {
      ...(admission.length > 0 && { admission }),
      ...(conversions.length > 0 && { conversions }),
    };
    stdout.write(
      `${JSON.stringify({ hook: name, onStartup, schedules, kubernetes: bindings, ...reviews, rights })}\n`,
    );
  }
  return 0;
}

function loggerOf({ logLevel, logFormat: format }: Settings, { stderr, env }: Io): Logger {
  return createLogger(logLevel, stderr, { format, environment: env });
}

/** Fails early if the folder is not writable, because every run would fail. */
async function requireTmpDir(tmpDir: string): Promise<void> {
  try {
    await using _folders = await RunFolders.open(tmpDir);
  } catch (cause) {
    throw new ConfigurationError(`--tmp-dir: ${messageOf(cause)}`, { cause });
  }
}

async function requireNoToken(folders: readonly string[]): Promise<void> {
  const path = await findVisibleToken(folders);
  if (path !== undefined) throw tokenVisible(path);
}
