import { ConfigurationError } from 'chancery';
import { gatesOf, type ServerGeneration } from './server-generation.ts';

/** What an administrator can switch on with `--feature-gates` of kube-apiserver, and the embedded server knows. */
export interface FeatureGates {
  /**
   * The server answers `shardSelector` of lists and watches; else it ignores the parameter. Alpha in 1.36, and not
   * known by earlier releases. Default false.
   */
  readonly ShardedListAndWatch?: boolean;
}

const KNOWN: readonly string[] = ['ShardedListAndWatch'] satisfies (keyof FeatureGates)[];

/**
 * Every gate, on or off.
 *
 * @throws ConfigurationError `CONFIG` for a gate that the server or the release does not have.
 */
export function featureGatesOf(
  given: FeatureGates,
  generation: ServerGeneration,
): Required<FeatureGates> {
  const unknown = Object.keys(given).find((name) => !KNOWN.includes(name));
  if (unknown !== undefined) {
    throw new ConfigurationError(
      `the embedded API server has no feature gate ${unknown}, but ${KNOWN.join(', ')}`,
    );
  }
  const { ShardedListAndWatch = false } = given;
  if (ShardedListAndWatch && !gatesOf(generation).shardSelectors) {
    throw new ConfigurationError(
      `Kubernetes ${generation} has no feature gate ShardedListAndWatch: choose 1.36 or later`,
    );
  }
  return { ShardedListAndWatch };
}
