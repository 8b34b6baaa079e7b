/** The properties in which the releases differ. `DIFFERENCES` describes each of them. */
export interface ServerGates {
  /**
   * How the server reacts to `sendInitialEvents` of a watch. With `on`, it sends the initial events. With
   * `off`, it knows the field and answers 422. With `unknown`, it ignores the field, and answers 422 to every
   * watch that has a `resourceVersionMatch`.
   */
  readonly watchList: 'on' | 'off' | 'unknown';
  readonly consistentListFromCache: boolean;
  readonly refusesUnreadyCache: boolean;
  readonly aggregatedDiscovery: boolean;
  readonly nullCreationTimestamps: boolean;
  readonly warnsOfEndpoints: boolean;
  readonly startsFilled: boolean;
  /**
   * The version of StorageVersionMigrations that can be served. `v1` is served by default, `v1beta1` only if
   * the option `storageMigrations` is true.
   */
  readonly storageMigrations: 'v1' | 'v1beta1' | 'none';
  readonly definitionColumns: boolean;
  /**
   * True if the server answers an unknown path with a Status without `details`, and false if it answers with
   * a line of text.
   */
  readonly statusOfUnknownPaths: boolean;
  readonly deletedObjectVersions: boolean;
  readonly deletionVersions: boolean;
}

/**
 * A difference between releases: the behaviour of the earliest releases, and each change with the release
 * that made it.
 */
export interface Difference<Value> {
  readonly before: Value;
  readonly steps: readonly {
    /** The first release with this behaviour, such as `1.27`. */
    readonly since: string;
    readonly value: Value;
    /** The effect that a client sees, in the wording of docs/guides/test/with-history.md. */
    readonly seen: string;
  }[];
  /** The enhancement (KEP) or the change of kubernetes/kubernetes (#) that introduced the difference. */
  readonly source: string;
}

/**
 * The table of differences. Releases that are not imitated may have behaved differently from the releases
 * around them. For example, 1.32 sent initial events, and 1.33 did not.
 */
export const DIFFERENCES: { readonly [Gate in keyof ServerGates]: Difference<ServerGates[Gate]> } =
  {
    aggregatedDiscovery: {
      before: false,
      steps: [
        {
          since: '1.27',
          value: true,
          seen: '`/api` and `/apis` answer with all of discovery, if the client accepts that format',
        },
      ],
      source: 'KEP-3352',
    },
    watchList: {
      before: 'unknown',
      steps: [
        {
          since: '1.27',
          value: 'off',
          seen: 'a watch with `sendInitialEvents` is answered 422; before, the field was ignored and a watch with `resourceVersionMatch` was answered 422',
        },
        {
          since: '1.34',
          value: 'on',
          seen: 'a watch with `sendInitialEvents` first sends the current objects, and then a bookmark',
        },
      ],
      source: 'KEP-3157',
    },
    consistentListFromCache: {
      before: false,
      steps: [
        {
          since: '1.31',
          value: true,
          seen: 'a list of the latest state waits for the watch cache; before, it was read from etcd at once',
        },
      ],
      source: 'KEP-2340',
    },
    refusesUnreadyCache: {
      before: false,
      steps: [
        {
          since: '1.31',
          value: true,
          seen: 'while a watch cache is being filled, requests that need it are answered 429; before, they waited',
        },
      ],
      source: 'KEP-4568',
    },
    warnsOfEndpoints: {
      before: false,
      steps: [
        { since: '1.33', value: true, seen: 'a request for Endpoints is answered with a warning' },
      ],
      source: 'KEP-4974',
    },
    nullCreationTimestamps: {
      before: true,
      steps: [
        { since: '1.34', value: false, seen: 'bookmarks do not say `creationTimestamp: null`' },
      ],
      source: '#130989',
    },
    startsFilled: {
      before: false,
      steps: [
        {
          since: '1.36',
          value: true,
          seen: 'while the watch caches are filled after a start, the health endpoints answer 500',
        },
      ],
      source: 'KEP-4568',
    },
    storageMigrations: {
      before: 'none',
      steps: [
        {
          since: '1.35',
          value: 'v1beta1',
          seen: 'with the option `storageMigrations` StorageVersionMigrations are served as `v1beta1`',
        },
        {
          since: '1.37',
          value: 'v1',
          seen: 'StorageVersionMigrations are served as `v1` and carried out, without an option',
        },
      ],
      source: 'KEP-4192',
    },
    definitionColumns: {
      before: false,
      steps: [
        {
          since: '1.37',
          value: true,
          seen: '`kubectl get crd` shows scope and versions, with `-o wide` also group, kind, short names and whether it is established',
        },
      ],
      source: '#131599',
    },
    statusOfUnknownPaths: {
      before: false,
      steps: [
        {
          since: '1.38',
          value: true,
          seen: 'a path that is not served is answered 404 with a Status; before, with a line of text',
        },
      ],
      source: '#138219',
    },
    deletedObjectVersions: {
      before: false,
      steps: [
        {
          since: '1.26',
          value: true,
          seen: 'the deleted object in an answer has the resourceVersion of its deletion; before, of its last change',
        },
      ],
      source: '#113369',
    },
    deletionVersions: {
      before: false,
      steps: [
        {
          since: '1.38',
          value: true,
          seen: 'the Status that answers a deletion, an eviction or a binding has the resourceVersion of that change',
        },
      ],
      source: '#138724, #142197, #142327',
    },
  };

/**
 * The resources and subresources that are served by default only from a certain release on. Each resource is
 * written as `group/version/plural`.
 */
export interface Addition {
  readonly since: string;
  readonly resources: readonly string[];
  readonly source: string;
}

/**
 * Resources that not every imitated release serves. All other resources of v1 and `autoscaling/v2`
 * are served by every imitated release.
 */
export const ADDITIONS: readonly Addition[] = [
  {
    since: '1.28',
    resources: ['authentication.k8s.io/v1/selfsubjectreviews'],
    source: 'KEP-3325',
  },
  {
    since: '1.29',
    resources: [
      'flowcontrol.apiserver.k8s.io/v1/flowschemas',
      'flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations',
    ],
    source: 'KEP-1040',
  },
  {
    since: '1.30',
    resources: [
      'admissionregistration.k8s.io/v1/validatingadmissionpolicies',
      'admissionregistration.k8s.io/v1/validatingadmissionpolicybindings',
    ],
    source: 'KEP-3488',
  },
  {
    since: '1.33',
    resources: ['networking.k8s.io/v1/ipaddresses', 'networking.k8s.io/v1/servicecidrs'],
    source: 'KEP-1880',
  },
  { since: '1.33', resources: ['v1/pods/resize'], source: 'KEP-1287' },
  {
    since: '1.34',
    resources: [
      'resource.k8s.io/v1/deviceclasses',
      'resource.k8s.io/v1/resourceclaims',
      'resource.k8s.io/v1/resourceclaimtemplates',
      'resource.k8s.io/v1/resourceslices',
    ],
    source: 'KEP-4381',
  },
  {
    since: '1.34',
    resources: ['storage.k8s.io/v1/volumeattributesclasses'],
    source: 'KEP-3751',
  },
  {
    since: '1.36',
    resources: [
      'admissionregistration.k8s.io/v1/mutatingadmissionpolicies',
      'admissionregistration.k8s.io/v1/mutatingadmissionpolicybindings',
    ],
    source: 'KEP-3962',
  },
];
