import { type Controller, leaseNameOf } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import { isLabelValue } from '../../model/selector.ts';
import type { ShardingSettings } from '../settings/sharding.ts';

/** Label of every Lease of a set. A set consists of the replicas that share the keys of one operator. */
export const SET_LABEL = 'chancery.dev/shard-set';

/**
 * Annotation of a member's Lease that says how the member divides keys. Members of two generations never act
 * together.
 */
export const GENERATION_ANNOTATION = 'chancery.dev/shard-generation';

/** The prefix of the name of a member's Lease. The name of its Pod follows. */
export function memberPrefix(set: string): string {
  return `${set}-member-`;
}

/** The prefix of the name of a group's Lease. The number of the group follows. */
export function groupPrefix(set: string): string {
  return `${set}-group-`;
}

/**
 * The name of the set of replicas that share the keys of `declared`. It is the name of the Lease that the
 * replicas hold together, and the label value of all their Leases.
 *
 * @throws ConfigurationError `CONFIG` when the name is not a valid label value.
 */
export function setNameOf(
  { leaseName }: Pick<ShardingSettings, 'leaseName'>,
  declared: Parameters<typeof leaseNameOf>[0],
): string {
  const name = leaseName ?? leaseNameOf(declared);
  if (isLabelValue(name)) return name;
  throw new ConfigurationError(
    'with CHANCERY_SHARDS the name of the Lease is also the value of a label, which has at most 63 characters: set ' +
      'CHANCERY_LEASE_NAME to a shorter name',
    { context: { leaseName: name } },
  );
}

/**
 * A cluster-scoped object has no namespace. If keys were divided by namespace, one replica would have all
 * such objects.
 *
 * @throws ConfigurationError `CONFIG` for a controller of cluster-scoped objects when keys are
 * divided by namespace.
 */
export function requireDivisible(
  controllers: readonly Controller[],
  { by }: Pick<ShardingSettings, 'by'>,
): void {
  const unfit = controllers.find(
    ({ for: { resource }, needsLeaderElection }) => needsLeaderElection && !resource.namespaced,
  );
  if (by === 'uid' || unfit === undefined) return;
  throw new ConfigurationError(
    `CHANCERY_SHARD_BY=namespace does not divide ${resourceName(unfit.for.resource)}: they have no namespace, and one ` +
      'replica would have all of them; use CHANCERY_SHARD_BY=uid',
    { context: { controller: unfit.name } },
  );
}

/** Returns the Pod of a process, as an object about which an Event can be recorded. */
export function podOf(name: string, namespace: string, uid: string | undefined): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(uid !== undefined && { uid }) },
  };
}
