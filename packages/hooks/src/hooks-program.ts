import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, ConfigurationError, messageOf } from 'chancery';
import { knownKinds, type YamlReader } from 'chancery/internal';
import { runProgram } from 'chancery/low-level';
import { type HookProblem, loadHooks } from './discovery/load-hooks.ts';
import type { Hook } from './hook.ts';
import { type HooksParts, type HooksRunnableOptions, hooksRunnable } from './hooks-runnable.ts';
import type { Jq } from './jq/jq.ts';
import { HookMetrics } from './metrics/hook-metrics.ts';
import { requireConvertible } from './reviews/hook-conversions.ts';
import { HookReviews } from './reviews/hook-reviews.ts';
import { hookWebhooks } from './reviews/hook-webhooks.ts';
import { hookEnvironment } from './run/hook-environment.ts';

/** The options of `chancery hooks`. */
export interface HooksProgramOptions
  extends Pick<
    HooksRunnableOptions,
    'tmpDir' | 'maxProcesses' | 'timeoutMs' | 'maxAttempts' | 'strictPatches' | 'proxiesJsonLines'
  > {
  /**
   * The environment of this process. Hooks get only the variables on the allow-list, and the
   * variables in `hookEnv`.
   */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** The URL of the ambassador. Hooks get the URL as `CHANCERY_API_URL`. */
  readonly apiUrl: string;
  /** Names of additional variables that hooks get. */
  readonly hookEnv: readonly string[];
  /** If true, broken hooks are reported as problems. If false, the first broken hook causes an error. */
  readonly skipBroken: boolean;
  /** Parsed CustomResourceDefinitions. Their kinds need no discovery. */
  readonly definitions: readonly unknown[];
  /**
   * If this process has a metric with the given name in a scrape, returns the metric's name. Hooks
   * cannot use such names.
   */
  readonly ownMetric: (name: string) => string | undefined;
  readonly jq: Jq;
  readonly yaml: YamlReader;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** A loaded folder of hooks, with the runnables and webhooks for a manager. */
export interface HooksProgram extends HooksParts {
  /** The hooks, sorted by path. */
  readonly hooks: readonly Hook[];
  /** The broken hooks. Empty unless `skipBroken` is set. */
  readonly problems: readonly HookProblem[];
  /**
   * Files of the folder that are not hooks, because they have neither an execute bit nor a `#!`
   * line.
   */
  readonly helpers: readonly string[];
  /** The metrics that hooks write. */
  readonly metrics: HookMetrics;
}

/** Default settings of the runner. */
export const HOOKS_DEFAULTS: Pick<
  HooksProgramOptions,
  | 'tmpDir'
  | 'maxProcesses'
  | 'timeoutMs'
  | 'maxAttempts'
  | 'strictPatches'
  | 'proxiesJsonLines'
  | 'hookEnv'
  | 'skipBroken'
> = {
  tmpDir: join(tmpdir(), 'chancery-hooks'),
  maxProcesses: 4,
  timeoutMs: 60_000,
  maxAttempts: undefined,
  strictPatches: false,
  proxiesJsonLines: false,
  hookEnv: [],
  skipBroken: false,
};

/**
 * Loads the hooks of a folder. Nothing is watched yet.
 *
 * @throws ConfigurationError `CONFIG` when the folder has no hooks, when a hook is broken, or when
 * jq cannot compile a filter; `signal.reason` when aborted.
 */
export async function loadHooksProgram(
  dir: string,
  options: HooksProgramOptions,
): Promise<HooksProgram> {
  const { apiUrl, clock, definitions, environment, hookEnv, jq, signal, skipBroken, yaml } =
    options;
  const env = hookEnvironment(environment, apiUrl, hookEnv);
  const loaded = await loadHooks(dir, { env, runProgram, skipBroken, yaml, clock, signal });
  const known = knownKinds(definitions);
  const reviews = new HookReviews();
  const hooks: Hook[] = [];
  const problems: HookProblem[] = [...loaded.problems];
  for (const hook of loaded.hooks) {
    const message = await problemOf(hook, { jq, known, definitions, reviews });
    if (message === undefined) hooks.push(hook);
    else if (skipBroken) problems.push({ hook: hook.name, message });
    else throw new ConfigurationError(`${hook.name}: ${message}`, { context: { hook: hook.name } });
  }
  const metrics = new HookMetrics(options.ownMetric);
  const parts = hooksRunnable({ ...options, hooks, problems, known, metrics, env, reviews });
  return { hooks, problems, helpers: loaded.helpers, ...parts, metrics };
}

/** The first problem in the configuration of a hook. Undefined when there is none. */
async function problemOf(
  hook: Hook,
  {
    jq,
    known,
    definitions,
    reviews,
  }: Pick<HooksRunnableOptions, 'jq' | 'known' | 'definitions' | 'reviews'>,
): Promise<string | undefined> {
  const { config } = hook;
  try {
    hookWebhooks(hook, { known, ask: reviews.ask });
    for (const binding of config.conversions) requireConvertible(binding, definitions);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return messageOf(error);
  }
  for (const [at, { jqFilter }] of config.kubernetes.entries()) {
    if (jqFilter === undefined) continue;
    try {
      await jq.check(jqFilter);
    } catch (error) {
      if (!(error instanceof ConfigurationError)) throw error;
      return `kubernetes[${at}].jqFilter: ${messageOf(error)}`;
    }
  }
  return undefined;
}
