/**
 * The namespace of the Pod. The kubelet replaces this text in the arguments of a container (Downward API).
 * Roles for it name no namespace: they belong to the namespace in which they are applied.
 */
export const POD_NAMESPACE: string = '$(POD_NAMESPACE)';

/** The namespaces of sources that leave them to the settings, and other settings that require rights. */
export interface Placement {
  /** Names or `POD_NAMESPACE`, at least one; undefined for every namespace. */
  readonly namespaces: readonly string[] | undefined;
  /** Left out: the settings say that every replica works. */
  readonly leaderElection?: {
    /** The namespace of the Lease: a name or `POD_NAMESPACE`. */
    readonly namespace: string;
    /** Default: the name that the manager uses, `leaseNameOf(controllers)`. */
    readonly leaseName?: string;
    /** Replicas share the work, with a Lease for each group of keys and for each replica. Default false. */
    readonly sharded?: boolean;
  };
  /** The operator installs the definitions of its resources. Default false. */
  readonly installCrds?: boolean;
}
