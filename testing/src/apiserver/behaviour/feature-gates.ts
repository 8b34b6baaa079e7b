import { ConfigurationError } from 'chancery/internal-objects';
import { isFrom, type ServerGeneration } from './server-generation.ts';

/** What an administrator can switch on with `--feature-gates` of kube-apiserver, and the embedded server knows. */
export interface FeatureGates {
  /**
   * The server answers `shardSelector` of lists and watches; else it ignores the parameter. Alpha in 1.36, and not
   * known by earlier releases. Default false.
   */
  readonly ShardedListAndWatch?: boolean;
  /**
   * A list of the latest state is answered with 429 when the watch cache has not come as far in the time that a read
   * may wait; else it is read from etcd. Alpha in 1.37, and not known by earlier releases. Default false.
   */
  readonly ConsistentListFromCacheSkipTimeoutFallback?: boolean;
  /**
   * Objects are sent without `metadata.managedFields` to a client whose Accept header has the parameter
   * `drop=metadata.managedFields`; else the server ignores the parameter. Alpha in 1.38, and not known by earlier
   * releases. Default false.
   */
  readonly ManagedFieldsOptOut?: boolean;
}

/** The release that is the first to have a gate, and the enhancement or the change that brought it. */
export const GATES: Readonly<
  Record<keyof FeatureGates, { readonly since: string; readonly source: string }>
> = {
  ShardedListAndWatch: { since: '1.36', source: 'KEP-5866' },
  ConsistentListFromCacheSkipTimeoutFallback: { since: '1.37', source: '#138701' },
  ManagedFieldsOptOut: { since: '1.38', source: '#139561' },
};

/**
 * Every gate, on or off.
 *
 * @throws ConfigurationError `CONFIG` for a gate that the server or the release does not have.
 */
export function featureGatesOf(
  given: FeatureGates,
  generation: ServerGeneration,
): Required<FeatureGates> {
  for (const [name, on] of Object.entries(given)) {
    if (!Object.hasOwn(GATES, name)) {
      throw new ConfigurationError(
        `the embedded API server has no feature gate ${name}, but ${Object.keys(GATES).join(', ')}`,
      );
    }
    const { since } = GATES[name as keyof FeatureGates];
    if (on && !isFrom(generation, since)) {
      throw new ConfigurationError(
        `Kubernetes ${generation} has no feature gate ${name}: choose ${since} or later`,
      );
    }
  }
  return {
    ShardedListAndWatch: false,
    ConsistentListFromCacheSkipTimeoutFallback: false,
    ManagedFieldsOptOut: false,
    ...given,
  };
}
