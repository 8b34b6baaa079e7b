import type { Client } from '../../client/client.ts';
import { isController } from '../../controller/controller.ts';
import type { Clock } from '../../core/clock.ts';
import type { Settings } from '../../manager/settings/settings.ts';
import {
  groupPrefix,
  memberPrefix,
  requireDivisible,
  SET_LABEL,
  setNameOf,
} from '../../manager/sharding/set.ts';
import { type Lease, leases } from '../../model/builtin.ts';
import type { Declarations } from '../declarations/load-declarations.ts';

/** How the replicas of an operator share its keys. */
export interface SharedWork {
  readonly groups: number;
  readonly by: 'uid' | 'namespace';
  /** Namespace and name of the Lease that the replicas share. */
  readonly lease: string;
  /**
   * Number of replicas that have renewed their Leases recently. Undefined when they could not be
   * listed.
   */
  readonly replicas: number | undefined;
}

/** Tolerance for the times in Leases, because the clocks of other machines may differ. */
const CLOCK_SKEW_MS = 60_000;

/**
 * How the replicas share the work. Undefined when they do not share it.
 *
 * @param client - lists the Leases of the replicas. If undefined, no request is sent, and the number of
 * replicas is unknown.
 * @throws ConfigurationError `CONFIG` when the settings divide the keys in a way that a controller
 * does not allow.
 */
export async function sharedWork(
  { declared, electing }: Pick<Declarations, 'declared' | 'electing'>,
  { sharding }: Pick<Settings, 'sharding'>,
  {
    client,
    clock,
    signal,
  }: {
    readonly client: Pick<Client, 'list'> | undefined;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  },
): Promise<SharedWork | undefined> {
  if (sharding === undefined) return undefined;
  const { groups, by, leaseNamespace: namespace, leaseDurationMs } = sharding;
  requireDivisible(declared.filter(isController), sharding);
  const set = setNameOf(sharding, electing);
  const isAtWork = ({ metadata, spec }: Lease): boolean =>
    metadata.name?.startsWith(memberPrefix(set)) === true &&
    Boolean(spec?.holderIdentity) &&
    Date.parse(spec?.renewTime ?? '') > clock.now() - leaseDurationMs - CLOCK_SKEW_MS;
  const found = await client
    ?.list(leases, { namespace, labelSelector: `${SET_LABEL}=${set}`, signal })
    .catch(() => undefined); // a missing right is reported as such
  signal.throwIfAborted();
  return { groups, by, lease: `${namespace}/${set}`, replicas: found?.filter(isAtWork).length };
}

/** A log line about the work that replicas share. */
export function sharedWorkText({ groups, by, lease, replicas }: SharedWork): string {
  const divided = `${groups} groups by ${by}, Leases ${groupPrefix(lease)}0 to -${groups - 1}`;
  if (replicas === undefined) return `${divided}, and replicas that are not known`;
  const shared = `${divided}, ${replicas} ${replicas === 1 ? 'replica' : 'replicas'} at work`;
  if (replicas < 2 || groups >= 2 * replicas) return shared;
  return `${shared}: too many, some have twice the work of others or none; set CHANCERY_SHARDS to at least ${2 * replicas}`;
}
