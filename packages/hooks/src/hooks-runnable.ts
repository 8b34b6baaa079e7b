import {
  type Clock,
  type KubernetesObject,
  type Runnable,
  resourceName,
  runnable,
  type Webhook,
} from 'chancery';
import {
  aborted,
  type DefinedResource,
  type KnownKinds,
  type PlacedPermission,
  RunFolders,
  type RunnableContext,
  type YamlReader,
} from 'chancery/internal';
import type { HookProblem } from './discovery/find-hooks.ts';
import { type KindResolver, kindResolver } from './discovery/resolve-kind.ts';
import type { HooksStatus, HookTrouble } from './engine/engine-options.ts';
import { HookEngine } from './engine/hook-engine.ts';
import { HOOK_METRICS } from './engine/metric-names.ts';
import type { Hook, KubernetesBinding } from './hook.ts';
import type { Jq } from './jq/jq.ts';
import type { HookMetrics } from './metrics/hook-metrics.ts';
import { fieldManagersOf } from './patches/field-manager.ts';
import { hookConversions } from './reviews/hook-conversions.ts';
import { type HookReviews, shownBindings } from './reviews/hook-reviews.ts';
import { hookWebhooks } from './reviews/hook-webhooks.ts';
import { hooksAccess } from './rights/hooks-access.ts';
import { invokeHook } from './run/invoke-hook.ts';
import { askHook, type HookRunParts, newHookRun } from './run/new-hook-run.ts';
import { FilterFailures, type FilterReport } from './watch/filter-failures.ts';
import { FilterTimes } from './watch/filter-times.ts';
import { filteredSource } from './watch/filtered-source.ts';
import { watchBindings } from './watch/watch-bindings.ts';
import { WatchPlan } from './watch/watch-plan.ts';

/**
 * Time in milliseconds that active runs get when the process stops. A manager with the default stop
 * time of 25 s gives its reconciles the same time.
 */
const STOP_GRACE_MS = 10_000;

/** The options for running hooks. */
export interface HooksRunnableOptions {
  readonly hooks: readonly Hook[];
  /** Files that were excluded, because they cannot be used as hooks. */
  readonly problems: readonly HookProblem[];
  readonly known: KnownKinds;
  readonly jq: Jq;
  readonly yaml: YamlReader;
  readonly clock: Clock;
  readonly metrics: HookMetrics;
  /** The environment of every hook: see `hookEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
  /** Folder in which each run gets its files. */
  readonly tmpDir: string;
  /** Maximum number of concurrent runs, over all queues. */
  readonly maxProcesses: number;
  /** Time limit in milliseconds for hooks that set no time limit themselves; 0 for no limit. */
  readonly timeoutMs: number;
  /**
   * Number of attempts after which a task is given up and recorded. If undefined, tasks are never
   * given up.
   */
  readonly maxAttempts: number | undefined;
  /** Unknown fields in patches are errors. */
  readonly strictPatches: boolean;
  /** If a hook prints a line that is a JSON object, its members become fields of the log line. */
  readonly proxiesJsonLines: boolean;
  /** Parsed CustomResourceDefinitions. */
  readonly definitions: readonly unknown[];
  readonly reviews: HookReviews;
}

/** The runnables and webhooks with which a manager runs all hooks. */
export interface HooksParts {
  /** Watches the objects that hooks select, and runs the hooks while this process leads. */
  readonly runnable: Runnable;
  /**
   * Answers the API server in every replica. Undefined when no hook declares a webhook or a
   * conversion.
   */
  readonly answering: Runnable | undefined;
  readonly webhooks: readonly Webhook[];
  /** Returns the state of the engine. Undefined before the first run. */
  readonly status: () => HooksStatus | undefined;
}

/**
 * Creates the runnables and webhooks that run the hooks.
 *
 * @throws ConfigurationError `CONFIG` in the same cases as `hookWebhooks` and `hookConversions`.
 */
export function hooksRunnable(options: HooksRunnableOptions): HooksParts {
  const { hooks, problems, jq, known, clock } = options;
  const filters = new FilterFailures();
  const times = new FilterTimes();
  const plan = new WatchPlan(hooks, known, (resource, selection, wants) =>
    filteredSource(resource, selection, wants, {
      ...{ jq, clock, filterFailed: filters.add, filterTook: times.add },
    }),
  );
  let engine: HookEngine | undefined;
  const status = (): HooksStatus | undefined => engine?.status();
  const declared = runnable({
    name: 'hooks',
    stopPhase: 'controllers', // its runs get as much time to end as reconciles
    sources: plan.sources,
    permissions: hooksAccess(hooks, known).permissions satisfies readonly PlacedPermission[],
    fieldManagers: fieldManagersOf(hooks),
    idle: () => engine?.idle ?? false,
    status: () => ({ ...status(), leftOut: problems }),
    async run(signal, context) {
      await using folders = await RunFolders.open(options.tmpDir);
      for (const { hook } of problems) context.meter.gauge(HOOK_METRICS.leftOut, { hook }, 1);
      times.measureWith(context.meter);
      using _told = filters.listen(context.clock, (report) => reportFilter(hooks, report, context));
      engine = newEngine(options, plan, folders, context);
      await engine.run(signal);
    },
  });
  const { ask } = options.reviews;
  // A webhook is ready only when its sources are ready. Sources of kinds that are not served yet
  // are excluded, so that they do not delay the webhook.
  const sourcesOf = (binding: KubernetesBinding) =>
    plan.knownSourcesOf(binding).filter(({ optional }) => !optional);
  const webhooks = hooks.flatMap((hook) => hookWebhooks(hook, { known, ask, sourcesOf }));
  const conversions = hookConversions(hooks, options.definitions, ask);
  const isAsked = webhooks.length + conversions.length > 0;
  const answering = isAsked ? answeringRunnable(options, plan, conversions) : undefined;
  return { runnable: declared, answering, webhooks, status };
}

/**
 * A runnable through which hooks answer the API server until the process ends. A Pod that is
 * stopping still gets requests for a while.
 */
function answeringRunnable(
  options: HooksRunnableOptions,
  plan: WatchPlan,
  definitions: readonly DefinedResource[],
): Runnable {
  const { hooks, maxProcesses, reviews } = options;
  const sources = hooks.flatMap(shownBindings).flatMap((binding) => plan.knownSourcesOf(binding));
  return runnable({
    name: 'hook-reviews',
    needsLeaderElection: false,
    ...{ definitions, sources },
    async run(signal, context) {
      // The folder is removed when the process exits.
      const folders = await RunFolders.open(options.tmpDir);
      const ask = askHook(runParts(options, folders, context));
      const watchBinding = watchBindings({ plan, kinds: kindsFor(options, context), context });
      reviews.begin({ hooks, ask, watchBinding, maxProcesses, context });
      await aborted(signal);
    },
  });
}

function kindsFor({ known }: HooksRunnableOptions, context: RunnableContext): KindResolver {
  return kindResolver(known, (name, signal) => context.discover(name, signal));
}

function runParts(
  options: HooksRunnableOptions,
  folders: RunFolders,
  context: RunnableContext,
): HookRunParts {
  const { client, clock, log, meter } = context;
  const kinds = kindsFor(options, context);
  const { env, jq, metrics, proxiesJsonLines, strictPatches, timeoutMs, yaml } = options;
  return {
    invoke: (hook, facts, contexts, signal) => {
      const invocation = { folders, env, timeoutMs, proxiesJsonLines, clock, log, ...facts };
      return invokeHook(hook, contexts, invocation, signal);
    },
    resolve: (kind, apiVersion, signal) => kinds.resolve(kind, apiVersion, signal),
    ...{ client, jq, yaml, metrics, strictPatches, clock, log, meter, dryRun: context.dryRun },
  };
}

function newEngine(
  options: HooksRunnableOptions,
  plan: WatchPlan,
  folders: RunFolders,
  context: RunnableContext,
): HookEngine {
  const { clock, log, meter } = context;
  const { hooks, maxAttempts, maxProcesses } = options;
  const newRun = newHookRun(runParts(options, folders, context));
  return new HookEngine({
    ...{ hooks, newRun, maxProcesses, maxAttempts, clock, log, meter },
    watchBinding: watchBindings({ plan, kinds: kindsFor(options, context), context }),
    stopGraceMs: STOP_GRACE_MS,
    onTrouble: (hook, trouble) => recordTrouble(hook, trouble, context),
  });
}

/**
 * Reports a failed filter for every binding that uses it. The event is still delivered, but without
 * the result of the filter.
 */
function reportFilter(
  hooks: readonly Hook[],
  { resource, key, filter, failure, count }: FilterReport,
  context: RunnableContext,
): void {
  for (const hook of hooks) {
    for (const { name: binding, jqFilter } of hook.config.kubernetes) {
      if (jqFilter !== filter) continue;
      const facts = { hook: hook.name, binding, resource: resourceName(resource), key, count };
      context.log.error({ ...facts, failure }, 'a filter failed, its result is null');
      context.meter.count(HOOK_METRICS.filterErrors, { hook: hook.name, binding }, count);
      const why = failure === 'limit' ? 'took too long or too much memory' : 'failed';
      const note = `jqFilter of ${binding} ${why} for ${key}: filterResult is null`;
      recordTrouble(hook, { reason: 'FilterFailed', note }, context);
    }
  }
}

/** Records an Event about the Pod of this process, because users look for Events there. */
function recordTrouble(
  { name }: Hook,
  { reason, note }: HookTrouble,
  { events, self: { namespace, podName } }: Pick<RunnableContext, 'events' | 'self'>,
): void {
  if (namespace === undefined || podName === undefined) return;
  const regarding: KubernetesObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: podName, namespace },
  };
  events.record({
    regarding,
    type: 'Warning',
    reason,
    action: 'RunHook',
    note: `${name}: ${note}`,
  });
}
