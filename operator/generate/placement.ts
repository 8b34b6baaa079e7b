/**
 * The namespace of the Pod, as the kubelet writes it into a container's arguments (Downward API).
 * Roles for it name no namespace: they live where they are applied.
 */
export const POD_NAMESPACE: string = '$(POD_NAMESPACE)';

/** Where sources are that leave their namespace to the settings, and what else the settings bring. */
export interface Placement {
  /** Names or `POD_NAMESPACE`, at least one; undefined for every namespace. */
  readonly namespaces: readonly string[] | undefined;
  /** Left out: the settings say that every replica works. */
  readonly leaderElection?: {
    /** Where the Lease is: a name or `POD_NAMESPACE`. */
    readonly namespace: string;
    /** Default: that of the manager, `leaseNameOf(controllers)`. */
    readonly leaseName?: string;
  };
  /** The operator installs the definitions that its resources bring. Default false. */
  readonly installCrds?: boolean;
}
