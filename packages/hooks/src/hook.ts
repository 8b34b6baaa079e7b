import type { LabelSelector, Permission, Webhook } from 'chancery';
import type { AdmissionOperation } from 'chancery/internal';

/** The kinds of changes of an object, as the contract of hooks calls them. */
export type WatchEventType = 'Added' | 'Modified' | 'Deleted';

/** One executable of the hooks folder, and its configuration. */
export interface Hook {
  /**
   * Path below the hooks folder, with `/` as the separator. It is the name of the hook in logs,
   * metrics and Events.
   */
  readonly name: string;
  /** Absolute path with which the hook is started. Symbolic links are not resolved. */
  readonly path: string;
  readonly config: HookConfig;
  /** The rights in `HOOK.rights.yaml`. Undefined when there is no such file. */
  readonly rights: readonly HookRight[] | undefined;
}

/** A permission that a hook needs for its patches. */
export interface HookRight {
  readonly apiGroups: readonly string[];
  /** Plural names. A subresource is written with `/`. */
  readonly resources: readonly string[];
  readonly verbs: readonly Permission['verbs'][number][];
  /** The names of objects. If omitted, the rule covers every object. */
  readonly resourceNames?: readonly string[];
  /**
   * The namespaces of objects. Omitted if the rule covers every namespace, and for cluster-scoped
   * resources.
   */
  readonly namespaces?: readonly string[];
}

/** An answer to `--config`, checked and with every default filled in. */
export interface HookConfig {
  readonly version: 'v0' | 'v1';
  /** The limit for the rate of runs. If omitted, runs are not limited. */
  readonly rateLimit?: {
    /** Milliseconds after which one token is added. */
    readonly intervalMs: number;
    /** Size of the bucket. Default 1. */
    readonly burst: number;
  };
  /**
   * Time limit of one run in milliseconds; 0 means no limit. If omitted, the limit of the command
   * line is used.
   */
  readonly timeoutMs?: number;
  /** Position among the hooks that run at startup. If omitted, the hook does not run at startup. */
  readonly onStartup?: number;
  readonly schedules: readonly ScheduleBinding[];
  readonly kubernetes: readonly KubernetesBinding[];
  /** The bindings under the keys `kubernetesValidating` and `kubernetesMutating`. */
  readonly admission: readonly AdmissionBinding[];
  /** The bindings under the key `kubernetesCustomResourceConversion`. */
  readonly conversions: readonly ConversionBinding[];
}

interface CommonBinding {
  /** The value of `binding` in the context. */
  readonly name: string;
  /** The queue for the runs. Default `main`. */
  readonly queue: string;
  /** The group of the binding. If omitted, the binding has no group. */
  readonly group?: string;
  readonly allowFailure: boolean;
  /**
   * Names of Kubernetes bindings of the same hook, without duplicates. The hook lists them in its
   * configuration, or they belong to the group of this binding.
   */
  readonly includeSnapshotsFrom: readonly string[];
}

/** A binding that runs the hook at the times of a crontab. */
export interface ScheduleBinding extends CommonBinding {
  /** The schedule as the hook wrote it: 5 or 6 fields, or `@every 5m`, `@hourly` and so on. */
  readonly crontab: string;
}

/** A binding that runs the hook when objects change. */
export interface KubernetesBinding extends CommonBinding {
  /** The kind as the hook wrote it: a kind in upper or lower case, a plural, or a short name. */
  readonly kind: string;
  /** The version to watch. If omitted, the preferred version is watched. */
  readonly apiVersion?: string;
  /** The events that start a run. If empty, the binding only keeps a snapshot. */
  readonly events: ReadonlySet<WatchEventType>;
  readonly runsOnSynchronization: boolean;
  readonly waitsForSynchronization: boolean;
  readonly keepsFullObjects: boolean;
  /**
   * Interval in milliseconds at which objects are listed again, and compared with the cache. If
   * omitted, the value of the settings applies.
   */
  readonly resyncPeriodMs?: number;
  /** The names of objects to watch. If omitted, every name matches. */
  readonly names?: readonly string[];
  /** A label selector as text. If omitted, every object matches. */
  readonly labelSelector?: string;
  /** A field selector as text. If omitted, every object matches. */
  readonly fieldSelector?: string;
  /**
   * The namespaces to watch. If omitted, every namespace matches. If both `names` and
   * `labelSelector` are set, a namespace must match both.
   */
  readonly namespaces?: {
    readonly names?: readonly string[];
    readonly labelSelector?: string;
  };
  /** A jq program. If omitted, every change of the object is an event. */
  readonly jqFilter?: string;
}

/** Fields of bindings that answer requests of the API server. */
interface ReviewBinding {
  readonly name: string;
  /** Path in the configuration, for messages: `kubernetesValidating[0]`. */
  readonly path: string;
  /**
   * The group of the binding. For a review, the only effect of a group is that its snapshots are
   * included.
   */
  readonly group?: string;
  readonly includeSnapshotsFrom: readonly string[];
}

/** A binding with which the hook allows, denies or changes the writes of clients. */
export interface AdmissionBinding
  extends ReviewBinding,
    Pick<Webhook, 'type' | 'failurePolicy' | 'sideEffects' | 'matchConditions' | 'timeoutSeconds'> {
  /** The name of the webhook: at least three segments joined by dots. */
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** If omitted, every object matches. */
  readonly objectSelector?: LabelSelector;
  /** If omitted, every namespace matches. */
  readonly namespaceSelector?: LabelSelector;
}

/** A rule as the hook wrote it. */
export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Plural names. A subresource is written with `/`. */
  readonly resources: readonly string[];
  readonly operations: readonly (AdmissionOperation | '*')[];
  readonly scope: 'Cluster' | 'Namespaced' | '*';
}

/** A binding with which the hook converts objects between versions of a custom resource. */
export interface ConversionBinding extends ReviewBinding {
  /** The name of the CustomResourceDefinition: `crontabs.stable.example.com`. */
  readonly crdName: string;
  readonly steps: readonly {
    /** The version as the hook wrote it: `v1` or `stable.example.com/v1`. */
    readonly fromVersion: string;
    readonly toVersion: string;
  }[];
}
