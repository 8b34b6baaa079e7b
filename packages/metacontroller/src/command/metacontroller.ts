import type { Clock } from 'chancery';
import {
  createLogger,
  DryRun,
  type ExitCode,
  findVisibleToken,
  type GivenTo,
  type Io,
  type ManagerOptions,
  type METACONTROLLER,
  newManager,
  overridden,
  programEnvironment,
  settingsFrom,
  TOKEN_FOLDERS,
  toggleDebugOnSignal,
  tokenVisible,
  warnOfExposedEnvironment,
  withHooksDefaults,
} from 'chancery/internal';
import { type Settings, systemClock } from 'chancery/low-level';
import { loadFunctionsFile } from '../call/functions/load-functions-file.ts';
import type { FunctionsFile } from '../call/functions-file.ts';
import { metacontrollerRunnable } from '../supervisor/metacontroller-runnable.ts';
import { SUPERVISOR_METRICS } from '../supervisor/supervisor-metrics.ts';
import { type MetacontrollerArguments, metacontrollerArguments } from './arguments.ts';

export interface MetacontrollerCommandOptions {
  readonly clock?: Clock;
  /**
   * Folders where Kubernetes mounts a ServiceAccount token. The process must not find a token
   * there.
   */
  readonly tokenFolders?: readonly string[];
}

/** `chancery metacontroller`: runs the controllers that objects in the cluster declare. */
export async function metacontroller(
  given: GivenTo<typeof METACONTROLLER>,
  io: Io,
  { clock = systemClock, tokenFolders = TOKEN_FOLDERS }: MetacontrollerCommandOptions = {},
): Promise<ExitCode> {
  const asked = metacontrollerArguments(given);
  const settings = settingsOf(asked, io.env);
  io.saveMemory(); // most of the data that is read is released when objects are reduced for the cache
  // This is checked before a module is loaded, because modules are code of the user, and may do
  // anything.
  if (!asked.check && !settings.insecureAllowToken) {
    const path = await findVisibleToken(tokenFolders);
    if (path !== undefined) throw tokenVisible(path);
  }
  const { functions: file } = asked;
  const functions = file === undefined ? undefined : await loadFunctionsFile(file);
  if (asked.check) return printFunctions(functions, io);
  await runControllers(asked, { functions, settings, io, clock, tokenFolders });
  return 0;
}

interface Surroundings {
  readonly functions: FunctionsFile | undefined;
  readonly settings: Settings;
  readonly io: Io;
  readonly clock: Clock;
  readonly tokenFolders: readonly string[];
}

async function runControllers(
  { options, dryRun: isDry, follow }: MetacontrollerArguments,
  { functions, settings, io, clock, tokenFolders }: Surroundings,
): Promise<void> {
  const { logLevel, logFormat: format, apiUrl, healthPort, metricsPort } = settings;
  const logger = createLogger(logLevel, io.stderr, { format, environment: io.env });
  if (hasPrograms(functions)) {
    await warnOfExposedEnvironment(programEnvironment(io.env), io, logger);
  }
  const ports = [healthPort, metricsPort].filter((port) => port > 0);
  const runnable = metacontrollerRunnable({
    ...options,
    ...{ functions, apiUrl, ownPorts: () => ports, environment: io.env },
  });
  const given: ManagerOptions = {
    controllers: [],
    runnables: [runnable],
    environment: io.env,
    ...{ settings, tokenFolders, logger, clock },
    moreMetrics: SUPERVISOR_METRICS,
    onLeadershipLost: (withinMs, standsBy) => io.exitWithin(withinMs, 3, standsBy),
  };
  const dryRun = isDry ? new DryRun({ io, follow }) : undefined;
  const manager = await newManager(dryRun?.optionsFrom(given) ?? given);
  const cancelToggle = toggleDebugOnSignal(logger);
  try {
    if (dryRun === undefined) await manager.run(io.signal);
    else await dryRun.run(manager, clock);
  } finally {
    cancelToggle();
  }
}

/**
 * The settings of the process. By default, all namespaces are watched, and in a Pod there is leader
 * election.
 */
function settingsOf(asked: MetacontrollerArguments, env: Io['env']): Settings {
  const fromEnvironment = settingsFrom(withHooksDefaults(env));
  return overridden(fromEnvironment, {
    ...(!asked.leaderElection && { leaderElection: undefined }),
    insecureAllowToken: asked.insecureAllowToken || fromEnvironment.insecureAllowToken,
  });
}

function hasPrograms(functions: FunctionsFile | undefined): boolean {
  const entries = functions?.controllers.flatMap(({ hooks }) => Object.values(hooks)) ?? [];
  return entries.some(({ run }) => 'exec' in run);
}

/** Prints one line of JSON per hook. */
function printFunctions(functions: FunctionsFile | undefined, { stdout }: Io): ExitCode {
  for (const { kind, name, hooks } of functions?.controllers ?? []) {
    for (const [hook, { run, timeoutMs, version }] of Object.entries(hooks)) {
      stdout.write(`${JSON.stringify({ kind, name, hook, ...run, timeoutMs, version })}\n`);
    }
  }
  return 0;
}
