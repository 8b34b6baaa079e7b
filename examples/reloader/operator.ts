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
  withArguments,
} from 'chancery';
import { ARGUMENTS, ENVIRONMENT } from './contract/arguments.ts';
import { type Options, optionsOf } from './contract/options.ts';
import { createEngine, type Engine, type EngineParts, sharedReads } from './engine.ts';
import { resourceMappings } from './mappings.ts';
import { configurationKinds } from './read/configuration.ts';
import { createReconciler } from './reconcile.ts';
import { workloadSource } from './sources.ts';
import { eventObserver } from './tell/events.ts';
import type { WorkloadKind } from './workloads/kind.ts';
import { pausingDeploymentKind } from './workloads/pause.ts';
import { daemonSetKind, statefulSetKind } from './workloads/rolling.ts';

/** Workloads that are compared and restarted at a time, for each kind. A restart is one patch. */
const CONCURRENT_RECONCILES = 8;

/** What the operator consists of, for its options. */
export interface Reloader {
  readonly controllers: readonly Controller[];
}

/** Parts in addition to those that the options ask for. */
export type MoreParts = Partial<Pick<EngineParts, 'gates' | 'observers'>>;

/** Restarts workloads when their ConfigMaps and Secrets change: one controller for each kind of workload. */
export function reloader(
  options: Options,
  { gates = [], observers = [] }: MoreParts = {},
): Reloader {
  const engine = createEngine({
    options,
    workloads: workloadKinds(options),
    resources: configurationKinds(options),
    gates,
    observers: [eventObserver, ...observers],
  });
  return {
    controllers: engine.workloads.map((kind, position) =>
      workloadController(kind, engine, position),
    ),
  };
}

function workloadKinds(options: Options): readonly WorkloadKind[] {
  const kinds: readonly WorkloadKind[] = [
    pausingDeploymentKind(options.annotations),
    daemonSetKind,
    statefulSetKind,
  ];
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
    reads: [...sharedReads(engine), ...(kind.reads ?? [])],
    permissions: [
      own,
      ...engine.resources.flatMap(({ permissions }) => permissions),
      ...kind.permissions,
    ],
    maxConcurrentReconciles: CONCURRENT_RECONCILES,
    reconcile: createReconciler(kind, engine),
  });
}

/** `chancery run examples/reloader/operator.ts -- --auto-reload-all`: see `--help` for the arguments. */
const program: Program = withArguments({
  arguments: ARGUMENTS,
  environment: ENVIRONMENT,
  create({ values, environment }) {
    const options = optionsOf(values, environment);
    return { ...reloader(options), settings: options.settings };
  },
});

export default program;
