import type { ResourceName } from '../objects/stored-object.ts';
import type { StorageOptions } from '../storage/storage.ts';
import type { ServerGates } from './differences.ts';
import { type FeatureGates, featureGatesOf } from './feature-gates.ts';
import { migrationVersions } from './migration-versions.ts';
import {
  DEFAULT_GENERATION,
  gatesOf,
  type ServerGeneration,
  unservedIn,
  versionOf,
  warningsIn,
} from './server-generation.ts';

/** Settings and states that a real server can also have. */
export interface BehaviourOptions extends Omit<StorageOptions, 'clock'> {
  /** The release of Kubernetes that the server imitates where releases differ. Default 1.36. */
  readonly generation?: ServerGeneration;
  /** The feature gates, like `--feature-gates`. Default: the defaults of the release, which are all off. */
  readonly featureGates?: FeatureGates;
  /** The interval of bookmarks in milliseconds. Default 60,000, as in kube-apiserver. */
  readonly bookmarkIntervalMs?: number;
  /**
   * The interval in milliseconds at which etcd reports its revision to the watch caches of idle resources.
   * Before such a report, watches of idle resources get no bookmark. Default 600,000, as in etcd. kubeadm
   * sets 5,000. With 0, etcd never reports.
   */
  readonly progressIntervalMs?: number;
  /**
   * The duration of a watch without `timeoutSeconds`, in seconds. Default 1,800, like
   * `--min-request-timeout`. A real server uses a random time between this value and twice the value.
   */
  readonly minRequestTimeoutSeconds?: number;
  /**
   * How long a read waits for a future resourceVersion, in milliseconds. Default 3,000, as in
   * kube-apiserver.
   */
  readonly futureVersionWaitMs?: number;
  /**
   * The maximum number of events that wait because a client does not read them. If there are more, the server
   * ends the watch. Events in socket buffers do not count. Default 1,000, the size of the largest channel of
   * a real watch.
   */
  readonly watchBufferEvents?: number;
  /** The limit for unread events in bytes. Default 16 MiB. */
  readonly watchBufferBytes?: number;
  /**
   * The time in milliseconds that the server needs to fill its watch caches each time it begins to listen.
   * Until they are filled, a request that needs a cache is answered with 429 (before 1.31 it waits), and from
   * 1.36 on the health endpoints answer 500. Default 0.
   */
  readonly cacheFillMs?: number;
  /**
   * `consistent`: all pages of a list have the state of the first page. `moving`: each page has the state at
   * the time of its request, with its own resourceVersion, as some servers other than kube-apiserver do.
   * Default `consistent`.
   */
  readonly pages?: 'consistent' | 'moving';
  /**
   * Resources without a watch cache. Their watches get no bookmarks, and the error 410 has a different
   * message. Reads with resourceVersion 0 return the latest state. Default `events`, as in kube-apiserver.
   */
  readonly uncached?: readonly ResourceName[];
  /**
   * The time between the deletions of two objects when a collection is deleted, in milliseconds. Default 0. A
   * real server takes about 2 ms, so its controllers react before the last object is deleted.
   */
  readonly collectionDeleteMs?: number;
  /**
   * Whether the server serves `storagemigration.k8s.io`, and carries out StorageVersionMigrations. If
   * omitted, `v1` is served from 1.37 on, like in the release. With true, `v1beta1` is also served.
   * Administrators can enable this version from 1.35 on. With false, neither version is served.
   */
  readonly storageMigrations?: boolean;
  /**
   * The disabled admission plugins, like `--disable-admission-plugins`. Without `ServiceAccount`, a new Pod
   * gets no account and no token. Without `DefaultTolerationSeconds`, it gets no tolerations. Default: none
   * is disabled.
   */
  readonly disableAdmissionPlugins?: readonly AdmissionPlugin[];
}

/** An admission plugin that can be disabled. */
export type AdmissionPlugin = 'ServiceAccount' | 'DefaultTolerationSeconds';

export interface Behaviour {
  readonly generation: ServerGeneration;
  readonly gates: ServerGates;
  /** The body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  /** The current feature gates. A test may change them while the server runs. */
  featureGates: Required<FeatureGates>;
  readonly bookmarkIntervalMs: number;
  readonly progressIntervalMs: number;
  readonly minRequestTimeoutMs: number;
  readonly futureVersionWaitMs: number;
  readonly watchBufferEvents: number;
  readonly watchBufferBytes: number;
  readonly cacheFillMs: number;
  readonly pages: 'consistent' | 'moving';
  readonly uncached: readonly ResourceName[];
  readonly collectionDeleteMs: number;
  readonly disabledAdmissionPlugins: readonly AdmissionPlugin[];
  /** The served versions of StorageVersionMigrations. */
  readonly storageMigrations: readonly string[];
  /** The resources that the release does not serve; see `unservedIn`. */
  readonly unserved: ReadonlySet<string>;
  /** The warnings of the release about resources; see `warningsIn`. */
  readonly warnings: ReadonlyMap<string, string>;
}

/** The options with their defaults. */
export function behaviourOf(options: BehaviourOptions = {}): Behaviour {
  const { generation = DEFAULT_GENERATION, featureGates = {} } = options;
  const gates = gatesOf(generation);
  return {
    generation,
    gates,
    version: versionOf(generation),
    featureGates: featureGatesOf(featureGates, generation),
    bookmarkIntervalMs: options.bookmarkIntervalMs ?? 60_000,
    progressIntervalMs: options.progressIntervalMs ?? 600_000,
    minRequestTimeoutMs: (options.minRequestTimeoutSeconds ?? 1_800) * 1_000,
    futureVersionWaitMs: options.futureVersionWaitMs ?? 3_000,
    watchBufferEvents: options.watchBufferEvents ?? 1_000,
    watchBufferBytes: options.watchBufferBytes ?? 16 * 1024 * 1024,
    cacheFillMs: options.cacheFillMs ?? 0,
    pages: options.pages ?? 'consistent',
    uncached: options.uncached ?? ['events'],
    collectionDeleteMs: options.collectionDeleteMs ?? 0,
    disabledAdmissionPlugins: options.disableAdmissionPlugins ?? [],
    storageMigrations: migrationVersions(options.storageMigrations, generation, gates),
    unserved: unservedIn(generation),
    warnings: warningsIn(generation, gates),
  };
}
