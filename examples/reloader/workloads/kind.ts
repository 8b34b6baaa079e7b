import type {
  GoneContext,
  KubernetesObject,
  Mapping,
  ObjectKey,
  Permission,
  ReconcileContext,
  Resource,
  Source,
} from 'chancery';
import type { coreV1 } from 'chancery/kubernetes';
import type { Problem } from '../contract/annotations.ts';
import type { WorkloadKindName } from '../contract/decide.ts';
import type { ResourceType } from '../contract/resource-type.ts';
import type { HashTarget } from '../read/hash-reader.ts';
import type { RestartPlan } from '../record/plan-types.ts';

export type { Problem, WorkloadKindName };

/** The Pod template of a workload. */
export type PodTemplate = coreV1.PodTemplateSpec;

/**
 * One kind of workload: where its Pod template is, and how it is restarted. The engine makes one controller of
 * each; everything before the restart (rules, records, debounce, gates) is the engine's and the same for all.
 *
 * An object of this interface has no state that must survive the process.
 */
export interface WorkloadKind<T extends KubernetesObject = KubernetesObject> {
  readonly kind: WorkloadKindName;
  readonly resource: Resource<T>;
  /**
   * Rights beyond list and watch of `resource`: what `restart`, `upkeep` and `absent` call. `patch` of
   * `resource` is needed for the baseline and is added by the engine.
   */
  readonly permissions: readonly Permission[];
  /** More sources whose changes enqueue workloads of this kind. Default: none. */
  readonly watches?: readonly Mapping[];
  /** More sources that `restart`, `upkeep` and `absent` read from `context.store`. Default: none. */
  readonly reads?: readonly Source[];
  /**
   * The Pod template, with the annotations that the decision reads if the metadata has none; for a CronJob
   * `jobTemplate.spec.template`. Undefined: this object has none, and the engine leaves it alone.
   *
   * Also called for index entries, on every change of an object: it must be cheap and pure.
   */
  templateOf(workload: T): PodTemplate | undefined;
  /**
   * True for an object that is never restarted, whatever changes: a finished Job. The engine then neither
   * reads resources for it nor writes its baseline. Default: false for every object.
   */
  isDone?(workload: T): boolean;
  /**
   * True when `restart` leaves the Pod template of this workload as it is, so that the baseline alone records what
   * was restarted for. Default: false for every object.
   */
  keepsTemplate?(workload: T): boolean;
  /**
   * Carries the plan out. The engine has decided that it is time: debounce and gates have passed.
   *
   * It is called again with the same plan after an error, after a crash, and after `wait`, until the records of
   * the workload show the changes: it must find out itself how far an earlier call came. Writes name the uid
   * and resourceVersion of `workload` as preconditions, so that a late cache answers 409 and restarts nothing
   * twice.
   *
   * @throws ApiError and the like: the engine records `ReloadFail` and the key is retried with back-off.
   */
  restart(workload: T, plan: RestartPlan, context: RestartContext<T>): Promise<RestartOutcome>;
  /**
   * What is due apart from a restart, such as the end of a pause. Called at each reconcile of an object,
   * before its resources are looked at. Answers in how many milliseconds it wants to be called again;
   * undefined: not before something changes. Default: nothing.
   */
  upkeep?(workload: T, context: RestartContext<T>): Promise<UpkeepOutcome>;
  /**
   * Called for a key whose object does not exist: to finish a replacement that a crash has
   * interrupted. Default: nothing.
   */
  absent?(key: ObjectKey, context: GoneContext): Promise<UpkeepOutcome>;
}

/** What `restart` did. */
export type RestartOutcome =
  /** The workload restarts: Event `Reloaded`, metrics, alerts. All of `plan` was written. */
  | { readonly outcome: 'restarted' }
  /**
   * Nothing restarts, and that is final: only `plan.annotations` was written. `reason` is a constant text, such
   * as `suspended`, for the log.
   */
  | { readonly outcome: 'recorded'; readonly reason: string }
  /** Under way: `restart` is called again after `waitMs`, or when something changes. */
  | { readonly outcome: 'waiting'; readonly waitMs: number }
  /** A value in the configuration of the workload forbids the restart. The engine tells it, and waits for a change. */
  | { readonly outcome: 'blocked'; readonly problem: Problem };

/** What `upkeep` and `absent` did. */
export interface UpkeepOutcome {
  /** Milliseconds until the next call. Left out: when something changes. */
  readonly waitMs?: number;
  /** A value of an annotation that cannot be used. The engine records it once as `ReloadConfigInvalid`. */
  readonly problems?: readonly Problem[];
  /** True: `upkeep` has written the workload. The engine ends this reconcile; the echo of the write begins the next. */
  readonly written?: boolean;
}

/** What a kind works with. */
export interface RestartContext<T extends KubernetesObject = KubernetesObject> {
  /** Client, stores, clock, signal, log and `dryRun` of this attempt. */
  readonly reconcile: ReconcileContext<T>;
  /** Wall time in milliseconds, from the clock of the process. */
  readonly nowMs: number;
  /**
   * Writes `plan.annotations` to the metadata of `workload` by a merge patch with uid and resourceVersion as
   * preconditions: for kinds whose restart does not write the workload itself. Answers the stored object.
   *
   * @throws ApiError 409 when the workload has changed since: the key is reconciled again.
   */
  record(workload: T, plan: Pick<RestartPlan, 'annotations'>): Promise<T>;
}

/**
 * One type of resource: where it is watched, and how its hash is found. ConfigMaps and Secrets are in
 * `read/configuration.ts`, SecretProviderClasses in `workloads/provider-class.ts`.
 */
export interface ResourceKind {
  readonly type: ResourceType;
  /** The plural that metrics and reporters have: `configmaps`, `secrets`, `secretproviderclasspodstatuses`. */
  readonly plural: string;
  /** Rights beyond list and watch of the sources: the GETs. */
  readonly permissions: readonly Permission[];
  /** Sources whose changes concern resources of this type. The first one counts as events received. */
  readonly watches: readonly ResourceWatch[];
  /** More sources that `find` reads. Default: none. */
  readonly reads?: readonly Source[];
  /**
   * The resource as the caches show it; undefined when there is none. It makes no request.
   */
  find(
    target: { readonly namespace: string; readonly name: string },
    context: Pick<ReconcileContext, 'store'>,
  ): FoundResource | undefined;
  /** Names of all resources of this type in a namespace, for lists of patterns. It makes no request. */
  names(namespace: string, context: Pick<ReconcileContext, 'store'>): readonly string[];
  /**
   * The hash of the content, or of its keys that are named; undefined when the resource is gone meanwhile.
   *
   * @throws ApiError and the like: the key is retried. A failure is never the same as an absent resource.
   */
  hash(target: HashTarget, found: FoundResource, context: GoneContext): Promise<string | undefined>;
  /** Called when no workload of any kind wants the resource any more: forget its hash. Default: nothing. */
  forget?(target: { readonly namespace: string; readonly name: string }): void;
}

/** A source that tells of resources of one type. */
export interface ResourceWatch {
  readonly source: Source;
  /** The name of the resource that a changed object of `source` concerns; undefined: none. */
  nameOf(object: KubernetesObject): string | undefined;
}

/** What is known of a resource without its content. */
export interface FoundResource {
  readonly annotations: Readonly<Record<string, string>>;
  /** Changes whenever the content may have changed: uid and resourceVersion. */
  readonly version: string;
  /**
   * What it means that the hash is not the recorded one. `restart`: the content has changed. `record`: the hash is
   * recorded, and nothing restarts. `keep`: the record stays as it is; without any record, the hash becomes one.
   * With `record` and `keep`, a missing hash is no deletion. Default `restart`.
   */
  readonly difference?: 'restart' | 'record' | 'keep';
}
