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

/** Settings that a real server has, too, and states that a real server can get into. */
export interface BehaviourOptions extends Omit<StorageOptions, 'clock'> {
  /** The release whose answers it gives, where releases differ. Default 1.36. */
  readonly generation?: ServerGeneration;
  /** `--feature-gates`. Default: those of the release, which are all off. */
  readonly featureGates?: FeatureGates;
  /** Default 60,000, which is what kube-apiserver takes. */
  readonly bookmarkIntervalMs?: number;
  /**
   * How often etcd reports its revision to the watch caches of idle resources; until then their
   * watches get no bookmark. Default 600,000, as etcd; kubeadm sets 5,000. 0: never.
   */
  readonly progressIntervalMs?: number;
  /**
   * How long a watch without `timeoutSeconds` lasts. Default 1,800, as
   * `--min-request-timeout`; a real server takes a random time between it and twice as long.
   */
  readonly minRequestTimeoutSeconds?: number;
  /** How long a read waits for a resourceVersion in the future. Default 3,000, as kube-apiserver. */
  readonly futureVersionWaitMs?: number;
  /**
   * Events that a client may leave unread, beyond what the sockets hold, before its watch is ended.
   * Default 1,000, the largest channel of a real watch.
   */
  readonly watchBufferEvents?: number;
  /** The same in bytes. Default 16 MiB. */
  readonly watchBufferBytes?: number;
  /**
   * How long the watch caches are filled after the server has begun to listen, each time: a request that needs one is
   * answered with 429 until then, before 1.31 it waits. From 1.36 on the health endpoints answer 500 meanwhile.
   * Default 0.
   */
  readonly cacheFillMs?: number;
  /**
   * `consistent`: all pages of a list show the state of the first. `moving`: each shows what is
   * there, with a resourceVersion of its own, as some servers that are not kube-apiserver do.
   * Default `consistent`.
   */
  readonly pages?: 'consistent' | 'moving';
  /**
   * Resources without a watch cache: no bookmarks, another text of 410, resourceVersion 0 is no
   * licence to answer with old state. Default `events`, as kube-apiserver.
   */
  readonly uncached?: readonly ResourceName[];
  /**
   * How long one object of a deleted collection takes before the next. Default 0. A real server takes
   * about 2 ms, so that controllers have begun to act before the last object is deleted.
   */
  readonly collectionDeleteMs?: number;
  /**
   * Serves `storagemigration.k8s.io`, and carries out StorageVersionMigrations. Default: as the release, which is
   * `v1` from 1.37 on, and nothing before. True serves `v1beta1`, too, as an administrator can switch it on from
   * 1.35 on. False serves neither.
   */
  readonly storageMigrations?: boolean;
  /**
   * `--disable-admission-plugins`, of those that can be. Without `ServiceAccount` a new Pod gets no account and no token,
   * without `DefaultTolerationSeconds` no tolerations. Default: none is disabled.
   */
  readonly disableAdmissionPlugins?: readonly AdmissionPlugin[];
}

/** An admission plugin that a server can do without. */
export type AdmissionPlugin = 'ServiceAccount' | 'DefaultTolerationSeconds';

export interface Behaviour {
  readonly generation: ServerGeneration;
  readonly gates: ServerGates;
  /** The body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
  /** What a request meets: a test may change it while the server runs. */
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
  /** The versions of StorageVersionMigrations that are served. */
  readonly storageMigrations: readonly string[];
  /** See `unservedIn`. */
  readonly unserved: ReadonlySet<string>;
  /** See `warningsIn`. */
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
