/**
 * The namespace of the Pod. The kubelet replaces this text in the arguments of a container (Downward API).
 * Roles for this namespace have no `metadata.namespace`, so that they are created in the namespace in which
 * they are applied.
 */
export const POD_NAMESPACE: string = '$(POD_NAMESPACE)';

/** The namespaces of sources with `namespace: 'configured'`, and other settings that require rights. */
export interface Placement {
  /** Names or `POD_NAMESPACE`, at least one. If undefined, the sources cover every namespace. */
  readonly namespaces: readonly string[] | undefined;
  /** The settings of the election. If omitted, every replica works without an election. */
  readonly leaderElection?: {
    /** The namespace of the Lease: a name or `POD_NAMESPACE`. */
    readonly namespace: string;
    /** Default: the name that the manager uses, `leaseNameOf(controllers)`. */
    readonly leaseName?: string;
    /**
     * True if replicas share the work, with one Lease for each group of keys and one Lease for each replica.
     * Default false.
     */
    readonly sharded?: boolean;
  };
  /** True if the operator installs the definitions of its resources. Default false. */
  readonly installCrds?: boolean;
}
