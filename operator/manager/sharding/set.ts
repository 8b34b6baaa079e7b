import { type Controller, leaseNameOf } from '../../controller/controller.ts';
import { ConfigurationError } from '../../core/errors.ts';
import type { KubernetesObject } from '../../model/object.ts';
import { resourceName } from '../../model/resource.ts';
import { isLabelValue } from '../../model/selector.ts';
import type { ShardingSettings } from '../settings/sharding.ts';

/** Label of every Lease of a set: the replicas that share the keys of one operator. */
export const SET_LABEL = 'chancery.dev/shard-set';

/** Annotation of a member's Lease: how it shards. Members of two generations never act together. */
export const GENERATION_ANNOTATION = 'chancery.dev/shard-generation';

/** With what the name of a member's Lease begins. The name of its Pod follows. */
export function memberPrefix(set: string): string {
  return `${set}-member-`;
}

/** With what the name of a group's Lease begins. Its number follows. */
export function groupPrefix(set: string): string {
  return `${set}-group-`;
}

/**
 * The name of the replicas that share the keys of `declared`: that of the Lease which they hold together, and the value of the label of all their Leases.
 *
 * @throws ConfigurationError `CONFIG` when it is no value of a label.
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
 * A cluster-scoped object has no namespace: one replica would have all of them.
 *
 * @throws ConfigurationError `CONFIG` for a controller of such objects when namespaces decide.
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

/** The Pod of a process, as an Event refers to it. */
export function podOf(name: string, namespace: string, uid: string | undefined): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace, ...(uid !== undefined && { uid }) },
  };
}
