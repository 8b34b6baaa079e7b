import type { LabelSelector, Permission, Webhook } from 'chancery';
import type { AdmissionOperation } from 'chancery/internal';

/** A change of an object, in the words of the contract. */
export type WatchEventType = 'Added' | 'Modified' | 'Deleted';

/** One executable of the hooks folder, and what its `--config` says. */
export interface Hook {
  /** Its path below the hooks folder, with `/`. Names it in logs, metrics and Events. */
  readonly name: string;
  /** Its absolute path, as it is started. Links are not resolved. */
  readonly path: string;
  readonly config: HookConfig;
  /** What `HOOK.rights.yaml` declares. Undefined: there is no such file. */
  readonly rights: readonly HookRight[] | undefined;
}

/** A right that a hook needs for its patches. */
export interface HookRight {
  readonly apiGroups: readonly string[];
  /** Plural names, with `/` and a subresource where one is meant. */
  readonly resources: readonly string[];
  readonly verbs: readonly Permission['verbs'][number][];
  /** Left out: every object. */
  readonly resourceNames?: readonly string[];
  /** Left out: every namespace, or a cluster-scoped resource. */
  readonly namespaces?: readonly string[];
}

/** An answer to `--config`, checked and with every default filled in. */
export interface HookConfig {
  readonly version: 'v0' | 'v1';
  /** Left out: runs are not limited. */
  readonly rateLimit?: {
    /** One token in each interval, in milliseconds. */
    readonly intervalMs: number;
    /** Size of the bucket. Default 1. */
    readonly burst: number;
  };
  /** Time limit of one run in milliseconds, 0 for none. Left out: that of the command line. */
  readonly timeoutMs?: number;
  /** Place among the hooks that run at the start. Left out: it does not run at the start. */
  readonly onStartup?: number;
  readonly schedules: readonly ScheduleBinding[];
  readonly kubernetes: readonly KubernetesBinding[];
  /** `kubernetesValidating` and `kubernetesMutating`. */
  readonly admission: readonly AdmissionBinding[];
  /** `kubernetesCustomResourceConversion`. */
  readonly conversions: readonly ConversionBinding[];
}

interface CommonBinding {
  /** `binding` in the context. */
  readonly name: string;
  /** Default `main`. */
  readonly queue: string;
  /** Left out: none. */
  readonly group?: string;
  readonly allowFailure: boolean;
  /** Names of Kubernetes bindings of the hook, given or by the group, without duplicates. */
  readonly includeSnapshotsFrom: readonly string[];
}

/** Runs by the clock. */
export interface ScheduleBinding extends CommonBinding {
  /** As the hook wrote it: 5 or 6 fields, or `@every 5m`, `@hourly` and so on. */
  readonly crontab: string;
}

/** Runs because objects change. */
export interface KubernetesBinding extends CommonBinding {
  /** As the hook wrote it: any case, plural or short name. */
  readonly kind: string;
  /** Left out: the preferred version. */
  readonly apiVersion?: string;
  /** The events that start a run. Empty: only the snapshot is kept. */
  readonly events: ReadonlySet<WatchEventType>;
  readonly runsOnSynchronization: boolean;
  readonly waitsForSynchronization: boolean;
  readonly keepsFullObjects: boolean;
  /** Milliseconds between lists that are compared with the cache. Left out: those of the settings. */
  readonly resyncPeriodMs?: number;
  /** Left out: every name. */
  readonly names?: readonly string[];
  /** In text form. Left out: every object. */
  readonly labelSelector?: string;
  /** In text form. Left out: every object. */
  readonly fieldSelector?: string;
  /** Left out: every namespace. With both, an object must be in a namespace that both select. */
  readonly namespaces?: {
    readonly names?: readonly string[];
    readonly labelSelector?: string;
  };
  /** Left out: the whole object counts. */
  readonly jqFilter?: string;
}

/** What bindings have that answer a question of the API server. */
interface ReviewBinding {
  readonly name: string;
  /** Its place in the configuration, for messages: `kubernetesValidating[0]`. */
  readonly path: string;
  /** As in the other bindings. A group only adds its snapshots. */
  readonly group?: string;
  readonly includeSnapshotsFrom: readonly string[];
}

/** Allows, denies or changes what clients write. */
export interface AdmissionBinding
  extends ReviewBinding,
    Pick<Webhook, 'type' | 'failurePolicy' | 'sideEffects' | 'matchConditions' | 'timeoutSeconds'> {
  /** The name of the webhook: at least three words joined by dots. */
  readonly name: string;
  readonly rules: readonly AdmissionRule[];
  /** Left out: every object. */
  readonly objectSelector?: LabelSelector;
  /** Left out: every namespace. */
  readonly namespaceSelector?: LabelSelector;
}

/** As the hook wrote it. */
export interface AdmissionRule {
  readonly apiGroups: readonly string[];
  readonly apiVersions: readonly string[];
  /** Plural names, with `/` and a subresource where one is meant. */
  readonly resources: readonly string[];
  readonly operations: readonly (AdmissionOperation | '*')[];
  readonly scope: 'Cluster' | 'Namespaced' | '*';
}

/** Converts objects between versions of a custom resource. */
export interface ConversionBinding extends ReviewBinding {
  /** The name of the definition: `crontabs.stable.example.com`. */
  readonly crdName: string;
  readonly steps: readonly {
    /** As the hook wrote it: `v1` or `stable.example.com/v1`. */
    readonly fromVersion: string;
    readonly toVersion: string;
  }[];
}
