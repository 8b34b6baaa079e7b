/** The annotations of the contract, under the keys that the flags have given them. */
import type { ResourceType } from './resource-type.ts';

/** Annotations of a workload, Pod template or resource. */
export type Annotations = Readonly<Record<string, string>>;

/** The key of each annotation. Flags replace those that the original lets them replace. */
export interface AnnotationNames {
  /** On workloads: true to reload on changes of every referenced resource. */
  readonly auto: string;
  /** On workloads: the same for one type. */
  readonly typedAuto: Readonly<Record<ResourceType, string>>;
  /** On workloads: names of resources, as a list of patterns. */
  readonly reload: Readonly<Record<ResourceType, string>>;
  /** On workloads: names that never restart them. */
  readonly exclude: Readonly<Record<ResourceType, string>>;
  /** On workloads: `true` to reload for referenced resources with `match`. */
  readonly search: string;
  /** On resources: `true` for workloads with `search`. */
  readonly match: string;
  /** On resources: `true` for never. */
  readonly ignore: string;
  /** On Deployments: how long they are paused after a restart. */
  readonly pausePeriod: string;
  /** On Deployments, written: since when. */
  readonly pausedAt: string;
  /** On Argo Rollouts: `restart` or `rollout`. */
  readonly rolloutStrategy: string;
  /** On Pod templates, written: the last resource that caused a restart. */
  readonly lastReloadedFrom: string;
}

/** The keys of the original without any flag. */
export const DEFAULT_ANNOTATIONS: AnnotationNames = {
  auto: 'reloader.stakater.com/auto',
  typedAuto: {
    CONFIGMAP: 'configmap.reloader.stakater.com/auto',
    SECRET: 'secret.reloader.stakater.com/auto',
    SECRETPROVIDERCLASS: 'secretproviderclass.reloader.stakater.com/auto',
  },
  reload: {
    CONFIGMAP: 'configmap.reloader.stakater.com/reload',
    SECRET: 'secret.reloader.stakater.com/reload',
    SECRETPROVIDERCLASS: 'secretproviderclass.reloader.stakater.com/reload',
  },
  exclude: {
    CONFIGMAP: 'configmaps.exclude.reloader.stakater.com/reload',
    SECRET: 'secrets.exclude.reloader.stakater.com/reload',
    SECRETPROVIDERCLASS: 'secretproviderclasses.exclude.reloader.stakater.com/reload',
  },
  search: 'reloader.stakater.com/search',
  match: 'reloader.stakater.com/match',
  ignore: 'reloader.stakater.com/ignore',
  pausePeriod: 'deployment.reloader.stakater.com/pause-period',
  pausedAt: 'deployment.reloader.stakater.com/paused-at',
  rolloutStrategy: 'reloader.stakater.com/rollout-strategy',
  lastReloadedFrom: 'reloader.stakater.com/last-reloaded-from',
};

/** A value of an annotation that cannot be used. The other rules of the workload still count. */
export interface Problem {
  /** Key of the annotation. */
  readonly annotation: string;
  /** A sentence for people. It quotes the annotation and never the content of a resource. */
  readonly message: string;
}

/** The value of an annotation; undefined when absent. Inherited names such as `constructor` are absent. */
export function annotationOf(annotations: Annotations, key: string): string | undefined {
  return Object.hasOwn(annotations, key) ? annotations[key] : undefined;
}
