import { ConfigurationError } from 'chancery/internal-objects';
import { isFrom, type ServerGeneration } from './server-generation.ts';

/** The gates of kube-apiserver's `--feature-gates` that the embedded server supports. */
export interface FeatureGates {
  /**
   * If true, the server evaluates `shardSelector` of lists and watches; otherwise it ignores this parameter.
   * The gate is alpha in 1.36, and unknown to earlier releases. Default false.
   */
  readonly ShardedListAndWatch?: boolean;
  /**
   * If true, a list of the latest state is answered with 429 when the watch cache does not catch up in time;
   * otherwise the list is then read from etcd. The gate is alpha in 1.37, and unknown to earlier releases.
   * Default false.
   */
  readonly ConsistentListFromCacheSkipTimeoutFallback?: boolean;
  /**
   * If true, objects are sent without `metadata.managedFields` to a client whose Accept header has the
   * parameter `drop=metadata.managedFields`; otherwise the server ignores this parameter. The gate is alpha
   * in 1.38, and unknown to earlier releases. Default false.
   */
  readonly ManagedFieldsOptOut?: boolean;
}

/** The first release that has a gate, and the enhancement or change that introduced it. */
export const GATES: Readonly<
  Record<keyof FeatureGates, { readonly since: string; readonly source: string }>
> = {
  ShardedListAndWatch: { since: '1.36', source: 'KEP-5866' },
  ConsistentListFromCacheSkipTimeoutFallback: { since: '1.37', source: '#138701' },
  ManagedFieldsOptOut: { since: '1.38', source: '#139561' },
};

/**
 * The state of every gate.
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
