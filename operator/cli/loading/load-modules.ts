import { type Controller, isController } from '../../controller/controller.ts';
import { requireNames } from '../../controller/known-options.ts';
import { ConfigurationError, OperatorError } from '../../core/errors.ts';
import { argumentWords, positionalRefused } from '../../manager/argument-values.ts';
import type { HealthChecks } from '../../manager/http/health-server.ts';
import type { MetricsRegistry } from '../../manager/metrics/registry.ts';
import { isRunnable, type Runnable } from '../../manager/runnable.ts';
import { type Settings, settingsFrom } from '../../manager/settings/settings.ts';
import type { Program, ProgramParts } from '../../manager/with-arguments.ts';
import { isWebhook, type Webhook } from '../../webhook/webhook.ts';
import {
  isDeclared,
  kindOf,
  loadModule,
  type ModuleExports,
  reasonOf,
  requireHealthChecks,
  requireRegistry,
} from './load-module.ts';
import { asksForModuleHelp } from './module-help.ts';

/** Everything that a module exports, or that it creates from its arguments. */
export interface LoadedModule {
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  readonly webhooks: readonly Webhook[];
  readonly healthChecks: HealthChecks;
  readonly settings: Partial<Settings>;
  readonly metrics: readonly MetricsRegistry[];
  readonly command?: ProgramParts['command'];
}

/** What a command line passes to modules. */
export interface ModuleInput {
  /** The arguments after `--`. */
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads the modules at `paths`, and passes to each module the arguments that it declares. An
 * argument that several modules declare is passed to all of them. Positional arguments are passed
 * to every module that accepts some.
 *
 * @throws ConfigurationError `CONFIG` when a module cannot be loaded, when an argument is declared
 * by no module, and when a module creates something that cannot be used.
 */
export async function loadModules(
  paths: readonly string[],
  { args, environment }: ModuleInput,
): Promise<readonly LoadedModule[]> {
  if (asksForModuleHelp(args)) {
    throw new ConfigurationError(
      `the arguments of a module are explained by "chancery run ${paths.join(' ')} --help"`,
    );
  }
  const modules: { readonly path: string; readonly exports: ModuleExports }[] = [];
  for (const path of paths) modules.push({ path, exports: await loadModule(path) });
  const programs = modules.flatMap(({ exports }) => exports.program ?? []);
  const argsOf = argumentsByProgram(programs, args, paths);
  const loaded: LoadedModule[] = [];
  for (const { path, exports } of modules) {
    const { program, controllers, runnables, webhooks, healthChecks } = exports;
    const metrics = exports.metrics === undefined ? [] : [exports.metrics];
    const own = { controllers, runnables, webhooks, healthChecks, metrics, settings: {} };
    if (program === undefined) loaded.push(own);
    else {
      const parts = await partsOf(program, path, { args: argsOf(program), environment });
      loaded.push(withParts(own, parts, path));
    }
  }
  return loaded;
}

/** True when one of the modules at `paths` declares arguments. */
export async function takeArguments(paths: readonly string[]): Promise<boolean> {
  for (const path of paths) {
    if ((await loadModule(path)).program !== undefined) return true;
  }
  return false;
}

/**
 * The arguments for each program. If there is only one program, it gets all arguments, and reports
 * the invalid ones itself.
 */
function argumentsByProgram(
  programs: readonly Program[],
  args: readonly string[],
  paths: readonly string[],
): (program: Program) => readonly string[] {
  if (programs.length === 0 && args.length > 0) {
    throw new ConfigurationError(
      `${paths.join(', ')} ${paths.length === 1 ? 'takes' : 'take'} no arguments; got ` +
        `${JSON.stringify(args[0])} after --: a module takes what it declares with withArguments({...})`,
    );
  }
  if (programs.length <= 1) return () => args;
  // This object has no prototype, because an argument may have the same name as a member of the
  // prototype.
  const all: Record<string, Program['arguments'][string]> = Object.create(null);
  for (const program of programs) {
    for (const [name, argument] of Object.entries(program.arguments)) {
      if ((all[name] ?? argument).type !== argument.type) {
        throw new ConfigurationError(
          `--${name} is a ${all[name]?.type} of one module and a ${argument.type} of another`,
        );
      }
      all[name] = argument;
    }
  }
  const words = argumentWords(args, all);
  const positionals = words.filter((word) => word.type === 'positional');
  const [first] = positionals;
  if (first !== undefined && programs.every((each) => each.positionals === undefined)) {
    throw positionalRefused(first);
  }
  return (program) => [
    ...words.flatMap((word) =>
      word.type === 'flag' && Object.hasOwn(program.arguments, word.name)
        ? [`--${word.name}=${word.value}`]
        : [],
    ),
    ...(program.positionals === undefined || first === undefined
      ? []
      : ['--', ...positionals.map(({ value }) => value)]),
  ];
}

async function partsOf(program: Program, path: string, input: ModuleInput): Promise<ProgramParts> {
  try {
    return await program.create(input);
  } catch (error) {
    if (error instanceof OperatorError) throw error;
    throw new ConfigurationError(`cannot create ${path}: ${reasonOf(error)}`, { cause: error });
  }
}

const PARTS: Readonly<Record<keyof ProgramParts, true>> = {
  controllers: true,
  runnables: true,
  webhooks: true,
  healthChecks: true,
  settings: true,
  metrics: true,
  command: true,
};

/**
 * The module with the controllers, runnables and webhooks that its function `create` returned.
 *
 * @throws ConfigurationError `CONFIG` in one line with the part that is unusable.
 */
function withParts(own: LoadedModule, parts: ProgramParts | undefined, path: string): LoadedModule {
  if (typeof parts !== 'object' || parts === null) {
    throw new ConfigurationError(
      `create of ${path} must return { controllers, ... }, got ${kindOf(parts)}`,
    );
  }
  requireNames(`what create of ${path} returns`, parts, PARTS);
  const {
    controllers = [],
    runnables = [],
    webhooks = [],
    healthChecks = {},
    settings = {},
  } = parts;
  const { command, metrics } = parts;
  const declared: readonly unknown[] = [controllers, runnables, webhooks].flat();
  if (!declared.every(isDeclared) || (declared.length === 0 && command === undefined)) {
    throw new ConfigurationError(
      `create of ${path} makes no controller: expected { controllers: [controller({...})] }, got ` +
        kindOf(declared),
    );
  }
  requireHealthChecks(healthChecks, path);
  const registries = [metrics ?? []].flat();
  for (const each of registries) requireRegistry(each, path);
  requireNames(`settings of ${path}`, settings, { ...settingsFrom({}) });
  return {
    controllers: declared.filter(isController),
    runnables: declared.filter(isRunnable),
    webhooks: declared.filter(isWebhook),
    healthChecks: mergedChecks([own.healthChecks, healthChecks]),
    settings,
    metrics: [...own.metrics, ...registries],
    ...(command !== undefined && { command }),
  };
}

/** All modules merged into one. */
export function merged(modules: readonly LoadedModule[], paths: readonly string[]): LoadedModule {
  const commands = modules.flatMap(({ command }) => command ?? []);
  if (commands.length > 1) {
    throw new ConfigurationError(
      'these arguments ask several modules for a command; name one module',
    );
  }
  const [command] = commands;
  return {
    controllers: modules.flatMap(({ controllers }) => controllers),
    runnables: modules.flatMap(({ runnables }) => runnables),
    webhooks: modules.flatMap(({ webhooks }) => webhooks),
    healthChecks: mergedChecks(modules.map(({ healthChecks }) => healthChecks)),
    settings: mergedSettings(modules, paths),
    // Modules may share a registry, which must not be read twice.
    metrics: [...new Set(modules.flatMap(({ metrics }) => metrics))],
    ...(command !== undefined && { command }),
  };
}

function mergedChecks(all: readonly HealthChecks[]): HealthChecks {
  return {
    live: all.flatMap(({ live = [] }) => live),
    ready: all.flatMap(({ ready = [] }) => ready),
  };
}

/**
 * The settings of all modules.
 *
 * @throws ConfigurationError `CONFIG` when two modules set different values.
 */
function mergedSettings(
  modules: readonly LoadedModule[],
  paths: readonly string[],
): Partial<Settings> {
  const places = new Map<string, { readonly path: string; readonly text: string }>();
  for (const [index, { settings }] of modules.entries()) {
    const path = paths[index] ?? '';
    for (const [name, value] of Object.entries(settings)) {
      const text = JSON.stringify(value) ?? 'undefined';
      const first = places.get(name);
      if (first !== undefined && first.text !== text) {
        throw new ConfigurationError(
          `${first.path} and ${path} want different settings: ${name} is ${first.text} and ${text}`,
        );
      }
      places.set(name, { path, text });
    }
  }
  return Object.assign({}, ...modules.map(({ settings }) => settings));
}
