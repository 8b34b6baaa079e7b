import {
  annotationChanged,
  type Controller,
  controller,
  generationChanged,
  type KubernetesObject,
  labelChanged,
  or,
  type Permission,
  type Program,
  type Runnable,
  withArguments,
} from 'chancery';
import { ARGUMENTS, ENVIRONMENT, type Environment } from './contract/arguments.ts';
import { type Options, optionsOf } from './contract/options.ts';
import { createEngine, type Engine, sharedReads } from './engine.ts';
import { resourceMappings } from './mappings.ts';
import { gatesOf, tellingParts } from './parts.ts';
import { configurationKinds } from './read/configuration.ts';
import { createReconciler } from './reconcile.ts';
import { peerSources } from './restart/order-peers.ts';
import { workloadSource } from './sources.ts';
import { eventObserver } from './tell/events.ts';
import {
  EXPLAIN_WORDS,
  type ExplainContext,
  explainCommand,
  explainRequest,
} from './tell/explain-command.ts';
import type { ReloadMetrics } from './tell/metrics.ts';
import { startWarnings } from './tell/warnings.ts';
import { webhookControllers } from './tell/webhook.ts';
import { cronJobKind } from './workloads/cron-job.ts';
import { jobKind } from './workloads/job.ts';
import type { ResourceKind, WorkloadKind } from './workloads/kind.ts';
import { pausingDeploymentKind } from './workloads/pause.ts';
import { providerClassKind } from './workloads/provider-class.ts';
import { daemonSetKind, statefulSetKind } from './workloads/rolling.ts';
import { rolloutKind } from './workloads/rollout.ts';

/** Workloads that are compared and restarted at a time, for each kind. A restart is one patch. */
const CONCURRENT_RECONCILES = 8;

/** What the operator consists of, for its options. */
export interface Reloader {
  readonly controllers: readonly Controller[];
  readonly runnables: readonly Runnable[];
  /** For `/metrics`. */
  readonly metrics: ReloadMetrics['registry'];
}

/**
 * Restarts workloads when their ConfigMaps and Secrets change: one controller for each kind of workload. With
 * `--webhook-url` changes are sent there instead, by one controller for each type of resource.
 */
export function reloader(options: Options, environment: Environment = {}): Reloader {
  const parts = { workloads: workloadKinds(options), resources: resourceKinds(options) };
  const telling = tellingParts(options, environment);
  const engine = createEngine({
    ...parts,
    options,
    gates: gatesOf(options, parts),
    observers: [eventObserver, ...telling.observers],
  });
  const { metrics } = telling;
  const runnables = [...telling.runnables, ...startWarnings(options.warnings)];
  const { webhookUrl: url } = options;
  const lost = (): void => metrics.lost('webhook');
  const own =
    url === undefined
      ? engine.workloads.map((kind, position) => workloadController(kind, engine, position))
      : webhookControllers({ ...engine, url, lost });
  return { controllers: [...own, ...telling.controllers], runnables, metrics: metrics.registry };
}

function resourceKinds(options: Options): readonly ResourceKind[] {
  const csi = options.resourceTypes.has('SECRETPROVIDERCLASS');
  return [...configurationKinds(options), ...(csi ? [providerClassKind(options)] : [])];
}

function workloadKinds(options: Options): readonly WorkloadKind[] {
  const kinds: readonly WorkloadKind[] = [
    pausingDeploymentKind(options.annotations),
    cronJobKind(options.cronJobMode),
    jobKind,
    daemonSetKind,
    statefulSetKind,
    rolloutKind(options.annotations),
  ] as readonly WorkloadKind[];
  return kinds.filter(({ kind }) => options.workloadKinds.includes(kind));
}

function workloadController<T extends KubernetesObject>(
  kind: WorkloadKind<T>,
  engine: Engine,
  position: number,
): Controller {
  const workloads = workloadSource(kind, engine.options);
  const own: Permission = { resource: kind.resource, verbs: ['patch'] };
  return controller({
    name: `reloader-${kind.resource.plural}`,
    for: workloads,
    predicate: or(generationChanged, annotationChanged, labelChanged),
    watches: [...resourceMappings(workloads, engine, position === 0), ...(kind.watches ?? [])],
    reads: [...sharedReads(engine), ...peerSources(kind, engine), ...(kind.reads ?? [])],
    permissions: [
      own,
      ...engine.resources.flatMap(({ permissions }) => permissions),
      ...kind.permissions,
    ],
    maxConcurrentReconciles: CONCURRENT_RECONCILES,
    ...createReconciler(kind, engine),
  });
}

/** Every kind, also one that a flag ignores: its rule is explained. */
function explainContext(options: Options): ExplainContext {
  const all = { ...options, workloadKinds: WORKLOAD_KINDS };
  return { options, workloads: workloadKinds(all), resources: resourceKinds(options) };
}

const WORKLOAD_KINDS: Options['workloadKinds'] = [
  'Deployment',
  'CronJob',
  'Job',
  'DaemonSet',
  'StatefulSet',
  'Rollout',
];

/** `chancery run examples/reloader/operator.ts -- --auto-reload-all`: see `--help` for the arguments. */
const program: Program = withArguments({
  arguments: ARGUMENTS,
  environment: ENVIRONMENT,
  positionals: EXPLAIN_WORDS,
  create({ values, positionals, environment }) {
    const options = optionsOf(values, environment);
    const request = explainRequest(positionals, values, options);
    const parts = reloader(options, environment);
    const { settings } = options;
    if (request === undefined) return { ...parts, settings };
    // The controllers stay: `generate` and the checks look at what the module declares.
    return { ...parts, settings, command: explainCommand(request, explainContext(options)) };
  },
});

export default program;
