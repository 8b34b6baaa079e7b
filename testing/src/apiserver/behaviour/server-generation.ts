/** A release of Kubernetes whose API server is imitated, where clients notice a difference. */
export type ServerGeneration = '1.24' | '1.30' | '1.33' | '1.36' | '1.38';

/** What differs between the generations. */
export interface ServerGates {
  /**
   * What the server does with `sendInitialEvents` of a watch. `on`: it sends them. `off`: it knows the field and
   * answers 422. `unknown`: it ignores the field, and answers 422 to every watch with `resourceVersionMatch`.
   */
  readonly watchList: 'on' | 'off' | 'unknown';
  /** Lists of the latest state wait for the watch cache; else they are read from etcd at once. */
  readonly consistentListFromCache: boolean;
  /** A watch cache that is being filled refuses requests with 429; else they wait for it. */
  readonly refusesUnreadyCache: boolean;
  /** `/api` and `/apis` answer with all of discovery, if the client accepts that form. */
  readonly aggregatedDiscovery: boolean;
  /** Bookmarks say `creationTimestamp: null`, which Go wrote of a time that is not set. */
  readonly nullCreationTimestamps: boolean;
  /** Has the feature gate `ShardedListAndWatch`, which is off by default. */
  readonly shardSelectors: boolean;
  /** A 404 for a path that is not served is a Status without `details`; else it is a line of text. */
  readonly statusOfUnknownPaths: boolean;
  /** The body of `/version`. */
  readonly version: Readonly<Record<string, string>>;
}

/** What `/version` says of every release alike. */
const BUILD = { compiler: 'gc', platform: 'linux/amd64' } as const;

/**
 * The table of generations. WatchList: alpha in 1.27, on since 1.34 (and in 1.32 alone before);
 * ConsistentListFromCache and ResilientWatchCacheInitialization: on since 1.31; aggregated
 * discovery: since 1.27; null timestamps: gone since 1.34; ShardedListAndWatch: alpha since 1.36; a Status for unknown paths: since 1.38
 * (kubernetes/kubernetes#138219). The versions are those of the first release, of 1.36 the one that was
 * recorded. 1.38 is not released yet, so its build has the values of a build from source.
 */
const GENERATIONS: Readonly<Record<ServerGeneration, ServerGates>> = {
  '1.24': {
    watchList: 'unknown',
    consistentListFromCache: false,
    refusesUnreadyCache: false,
    aggregatedDiscovery: false,
    nullCreationTimestamps: true,
    shardSelectors: false,
    statusOfUnknownPaths: false,
    version: {
      major: '1',
      minor: '24',
      gitVersion: 'v1.24.0',
      gitCommit: '4ce5a8954017644c5420bae81d72b09b735c21f0',
      gitTreeState: 'clean',
      buildDate: '2022-05-03T13:38:19Z',
      goVersion: 'go1.18.1',
      ...BUILD,
    },
  },
  '1.30': {
    watchList: 'off',
    consistentListFromCache: false,
    refusesUnreadyCache: false,
    aggregatedDiscovery: true,
    nullCreationTimestamps: true,
    shardSelectors: false,
    statusOfUnknownPaths: false,
    version: {
      major: '1',
      minor: '30',
      gitVersion: 'v1.30.0',
      gitCommit: '7c48c2bd72b9bf5c44d21d7338cc7bea77d0ad2a',
      gitTreeState: 'clean',
      buildDate: '2024-04-17T17:27:03Z',
      goVersion: 'go1.22.2',
      ...BUILD,
    },
  },
  '1.33': {
    watchList: 'off',
    consistentListFromCache: true,
    refusesUnreadyCache: true,
    aggregatedDiscovery: true,
    nullCreationTimestamps: true,
    shardSelectors: false,
    statusOfUnknownPaths: false,
    version: {
      major: '1',
      minor: '33',
      emulationMajor: '1',
      emulationMinor: '33',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '32',
      gitVersion: 'v1.33.0',
      gitCommit: '60a317eadfcb839692a68eab88b2096f4d708f4f',
      gitTreeState: 'clean',
      buildDate: '2025-04-23T13:00:14Z',
      goVersion: 'go1.24.2',
      ...BUILD,
    },
  },
  '1.36': {
    watchList: 'on',
    consistentListFromCache: true,
    refusesUnreadyCache: true,
    aggregatedDiscovery: true,
    nullCreationTimestamps: false,
    shardSelectors: true,
    statusOfUnknownPaths: false,
    version: {
      major: '1',
      minor: '36',
      emulationMajor: '1',
      emulationMinor: '36',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '35',
      gitVersion: 'v1.36.2',
      gitCommit: '98b35193b2ac7a23a673325f5e9b830ecd5ba406',
      gitTreeState: 'clean',
      buildDate: '2026-08-21T11:29:11Z',
      goVersion: 'go1.26.10',
      ...BUILD,
    },
  },
  '1.38': {
    watchList: 'on',
    consistentListFromCache: true,
    refusesUnreadyCache: true,
    aggregatedDiscovery: true,
    nullCreationTimestamps: false,
    shardSelectors: true,
    statusOfUnknownPaths: true,
    version: {
      major: '1',
      minor: '38',
      emulationMajor: '1',
      emulationMinor: '38',
      minCompatibilityMajor: '1',
      minCompatibilityMinor: '37',
      gitVersion: 'v1.38.0',
      gitCommit: '0000000000000000000000000000000000000000',
      gitTreeState: 'clean',
      buildDate: '1970-01-01T00:00:00Z',
      goVersion: 'go1.26.10',
      ...BUILD,
    },
  },
};

export const DEFAULT_GENERATION: ServerGeneration = '1.36';

export function gatesOf(generation: ServerGeneration): ServerGates {
  return GENERATIONS[generation];
}
