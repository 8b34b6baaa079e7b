import type { Controller } from '../../controller/controller.ts';
import type { Source } from '../../controller/source.ts';
import { type Clock, systemClock } from '../../core/clock.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { ManagerOptions } from '../../manager/manager.ts';
import { toggleDebugOnSignal } from '../../manager/observe/log-level.ts';
import { createLogger, type Logger } from '../../manager/observe/logger.ts';
import type { Runnable } from '../../manager/runnable.ts';
import {
  findVisibleToken,
  TOKEN_FOLDERS,
  tokenVisible,
} from '../../manager/safety/visible-token.ts';
import { overridden, type Settings, settingsFrom } from '../../manager/settings/settings.ts';
import { apiVersionOf, type Resource } from '../../model/resource.ts';
import type { Webhook } from '../../webhook/webhook.ts';
import type { ExitCode, Io } from '../command.ts';
import type { GivenTo } from '../command-table.ts';
import { splitAtDashes } from '../flags.ts';
import { helpText } from '../help.ts';
import { type LoadedModule, loadModules, merged } from '../loading/load-modules.ts';
import { LoadedFiles } from '../loading/loaded-files.ts';
import { asksForModuleHelp, moduleHelp } from '../loading/module-help.ts';
import { resolveToolkit } from '../loading/toolkit-hooks.ts';
import { DryRun } from './dry-run.ts';
import { flightOf } from './flight.ts';
import { runModuleCommand } from './module-command.ts';
import { RUN } from './table.ts';

export interface RunCommandOptions {
  readonly clock?: Clock;
  /**
   * Folders where Kubernetes mounts a ServiceAccount token. The operator must not find a token in
   * them.
   */
  readonly tokenFolders?: readonly string[];
  /** Wraps the logger of the process. Default: the logger is used unchanged. */
  readonly wrapLogger?: (logger: Logger) => Logger;
}

/** `chancery run`: runs the controllers of modules in one manager. */
export async function runModules(
  { values, words, rest }: GivenTo<typeof RUN>,
  io: Io,
  around: RunCommandOptions = {},
): Promise<ExitCode> {
  const { clock = systemClock, tokenFolders = TOKEN_FOLDERS, wrapLogger } = around;
  if (words.length === 0) {
    throw new ConfigurationError('expected at least one MODULE, such as operator.ts; got none');
  }
  if (asksForModuleHelp(rest)) {
    io.stdout.write(await helpOf(values.insecureAllowToken, words, io, tokenFolders));
    return 0;
  }
  const isCheck = values.check;
  const dryRun = dryRunOf(values, io);
  const fromEnvironment = settingsFrom(io.env);
  const insecureAllowToken = values.insecureAllowToken || fromEnvironment.insecureAllowToken;
  // Check before a module is loaded, because its code is not ours.
  if (!isCheck && !insecureAllowToken) await requireNoToken(tokenFolders);
  const files = new LoadedFiles();
  files.notice();
  const { settings, command, ...declared } = await loadAll(words, rest, io);
  const all = overridden(fromEnvironment, settings);
  const logger = wrapLogger?.(loggerOf(all, io)) ?? loggerOf(all, io);
  if (command !== undefined && !isCheck) {
    if (dryRun !== undefined) throw notDry();
    return runModuleCommand(command, { settings: all, logger, clock, io });
  }
  const flight =
    isCheck || dryRun !== undefined
      ? undefined
      : flightOf({ folder: values.record, settings: all, clock, logger, io, args: rest, files });
  const options: ManagerOptions = {
    ...declared,
    environment: io.env,
    tokenFolders,
    settings: {
      ...settings,
      insecureAllowToken,
      ...(isCheck && { metricsPort: 0 }), // --check opens no port
    },
    logger,
    clock,
    ...flight?.options,
    onLeadershipLost: (withinMs, standsBy) =>
      io.exitWithin(flight?.lost(withinMs, standsBy) ?? withinMs, 3, standsBy),
  };
  const { newManager } = await import('../../manager/manager.ts');
  const manager = await newManager(dryRun?.optionsFrom(options) ?? options);
  if (isCheck) return printDeclarations(declared, io);
  const cancelToggle = toggleDebugOnSignal(logger);
  try {
    const run = (): Promise<void> => manager.run(io.signal);
    if (dryRun !== undefined) await dryRun.run(manager, clock);
    else await (flight?.during(run) ?? run());
  } finally {
    cancelToggle();
  }
  return dryRun?.exitCode ?? 0;
}

async function helpOf(
  isTokenAllowed: boolean,
  words: readonly string[],
  io: Io,
  tokenFolders: readonly string[],
): Promise<string> {
  const asked = isTokenAllowed ? ['--insecure-allow-token', ...words] : words;
  return (await runHelp(asked, io, tokenFolders)) ?? helpText(RUN);
}

/**
 * The text of `chancery run MODULE --help` for modules that declare arguments.
 *
 * @throws UnsafeSetupError `TOKEN_VISIBLE` in the same case as a run, before a module is loaded.
 */
export async function runHelp(
  args: readonly string[],
  { env }: Io,
  tokenFolders: readonly string[] = TOKEN_FOLDERS,
): Promise<string | undefined> {
  const { own: words } = splitAtDashes(args);
  const modules = words.filter((word) => !word.startsWith('-'));
  if (modules.length === 0) return undefined;
  const isAllowed =
    words.includes('--insecure-allow-token') || settingsFrom(env).insecureAllowToken;
  if (!isAllowed) await requireNoToken(tokenFolders);
  resolveToolkit();
  return moduleHelp(modules);
}

function notDry(): ConfigurationError {
  return new ConfigurationError(
    '--dry-run is for controllers, and these arguments ask the module for a command',
  );
}

function printDeclarations(
  {
    controllers,
    runnables,
    webhooks,
  }: Pick<LoadedModule, 'controllers' | 'runnables' | 'webhooks'>,
  { stdout }: Io,
): ExitCode {
  for (const each of controllers) stdout.write(`${declarationLine(each)}\n`);
  for (const each of runnables) stdout.write(`${runnableLine(each)}\n`);
  for (const each of webhooks) stdout.write(`${webhookLine(each)}\n`);
  return 0;
}

function dryRunOf(
  { check, dryRun, follow }: GivenTo<typeof RUN>['values'],
  io: Io,
): DryRun | undefined {
  if (!dryRun) {
    if (follow) throw new ConfigurationError('--follow is for --dry-run; got no --dry-run');
    return undefined;
  }
  if (check) throw new ConfigurationError('expected --check or --dry-run; got both');
  return new DryRun({ io, follow });
}

/** All modules merged into one. A failure is logged with its stack, at the level debug. */
async function loadAll(
  paths: readonly string[],
  args: readonly string[],
  io: Io,
): Promise<LoadedModule> {
  resolveToolkit();
  try {
    const modules = await loadModules(paths, { args, environment: io.env });
    requireOneEach(paths, modules);
    return merged(modules, paths);
  } catch (error) {
    const { cause } = error as ConfigurationError;
    if (cause instanceof Error) {
      const log = loggerOf(settingsFrom(io.env), io);
      log.debug({ paths, stack: cause.stack }, 'modules failed to load');
    }
    throw error;
  }
}

/**
 * The logger is created after the modules are loaded, because their settings may configure the log.
 */
function loggerOf({ logLevel, logFormat: format }: Settings, { stderr, env }: Io): Logger {
  return createLogger(logLevel, stderr, { format, environment: env });
}

/**
 * Checks that the names of controllers are unique.
 *
 * @throws ConfigurationError `CONFIG` with the places of two controllers of the same name.
 */
function requireOneEach(paths: readonly string[], modules: readonly LoadedModule[]): void {
  const places = new Map<string, string>();
  for (const [index, { controllers }] of modules.entries()) {
    const path = paths[index] ?? '';
    for (const [at, { name: controller }] of controllers.entries()) {
      const place = controllers.length === 1 ? path : `controller ${at + 1} of ${path}`;
      const first = places.get(controller);
      if (first !== undefined) {
        throw new ConfigurationError(
          `two controllers have the same name: ${first} and ${place}; rename one`,
          { context: { controller } },
        );
      }
      places.set(controller, place);
    }
  }
}

async function requireNoToken(folders: readonly string[]): Promise<void> {
  const path = await findVisibleToken(folders);
  if (path !== undefined) throw tokenVisible(path);
}

/** The declaration of a controller as one line of JSON: sources, permissions and options. */
export function declarationLine(controller: Controller): string {
  const { name, owns, watches, reads, permissions, finalizer } = controller;
  return JSON.stringify({
    controller: name,
    for: describeSource(controller.for),
    owns: owns.map(({ source }) => describeSource(source)),
    watches: watches.map(({ source }) => describeSource(source)),
    reads: reads.map(describeSource),
    permissions: permissions.map(({ resource, subresource, verbs }) => ({
      ...describeResource(resource),
      subresource,
      verbs,
    })),
    finalizer: finalizer?.name,
    maxConcurrentReconciles: controller.maxConcurrentReconciles,
    needsLeaderElection: controller.needsLeaderElection,
  });
}

/** The declaration of a runnable as one line of JSON. */
export function runnableLine({
  name,
  needsLeaderElection = true,
  stopPhase = 'others',
}: Runnable): string {
  return JSON.stringify({ runnable: name, needsLeaderElection, stopPhase });
}

/** The declaration of a webhook as one line of JSON. */
export function webhookLine(webhook: Webhook): string {
  const { name, type, rules, failurePolicy, timeoutSeconds, sources } = webhook;
  const reads = sources.map(describeSource);
  return JSON.stringify({ webhook: name, type, rules, failurePolicy, timeoutSeconds, reads });
}

function describeSource({
  resource,
  namespace,
  labelSelector,
  fieldSelector,
  optional,
}: Source): object {
  return {
    ...describeResource(resource),
    namespace,
    labelSelector,
    fieldSelector,
    optional: optional || undefined,
  };
}

function describeResource(resource: Resource): object {
  return { apiVersion: apiVersionOf(resource), plural: resource.plural, kind: resource.kind };
}
