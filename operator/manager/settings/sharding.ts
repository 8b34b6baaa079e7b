import { ConfigurationError } from '../../core/errors.ts';
import { JITTER, leaseTimesFrom } from './leader-election.ts';
import { flag, oneOf, type ReadSetting, unusable, wholeNumber } from './text.ts';

/** How the replicas of an operator share its work. */
export interface ShardingSettings {
  /** The number of groups into which keys are divided: a power of two from 1 to 64. */
  readonly groups: number;
  /** The field that decides the group of an object. Default `uid`. */
  readonly by: 'uid' | 'namespace';
  /** Namespace of the Leases. */
  readonly leaseNamespace: string;
  /**
   * The name that all replicas of the operator share. If undefined, it is made from the names of the
   * controllers.
   */
  readonly leaseName: string | undefined;
  /**
   * Milliseconds that other replicas wait for a silent holder before they take its group. Whole seconds.
   * Default 15 s.
   */
  readonly leaseDurationMs: number;
  /** How many milliseconds a holder continues to work if it cannot renew the Lease. Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Milliseconds between two renewals. Default 5 s. */
  readonly retryPeriodMs: number;
  /** Milliseconds that running reconciles may take when a group is handed over. Default 8 s. */
  readonly drainMs: number;
  /**
   * From `POD_UID`. If it is set, the Lease of a replica is deleted together with the replica's Pod. If
   * undefined, the Lease stays.
   */
  readonly podUid: string | undefined;
}

const MAX_GROUPS = 64;
const BY = ['uid', 'namespace'] as const;
const DRAIN_MS = 8_000;
const RETRY_PERIOD = 'CHANCERY_SHARD_RETRY_PERIOD';
const DEFAULT_PERIOD_SECONDS = 5;
const MAX_PERIOD_SECONDS = 3_600;

export const SHARDING_ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['CHANCERY_SHARDS', 'groups that replicas share: 1, 2, 4, … 64; default: one replica works'],
  [RETRY_PERIOD, 'seconds between renewals of the Leases of groups; default 5'],
  ['CHANCERY_SHARD_BY', 'uid (default) or namespace: what decides the group of an object'],
  [
    'POD_UID',
    'uid of our own Pod (Downward API): with CHANCERY_SHARDS, its Lease is deleted with it',
  ],
];

/**
 * Undefined without `CHANCERY_SHARDS`. The times and the name of the Lease come from the settings of the
 * election, which need not be enabled.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable, the expected and the found value.
 */
export function shardingFrom(read: ReadSetting): ShardingSettings | undefined {
  const groups = wholeNumber(read, 'CHANCERY_SHARDS', { min: 1, max: MAX_GROUPS });
  const by = oneOf(read, 'CHANCERY_SHARD_BY', BY) ?? 'uid';
  const period =
    wholeNumber(read, RETRY_PERIOD, { min: 1, max: MAX_PERIOD_SECONDS }) ?? DEFAULT_PERIOD_SECONDS;
  const podUid = read('POD_UID');
  if (groups === undefined) return undefined;
  if (!Number.isInteger(Math.log2(groups))) {
    throw unusable('CHANCERY_SHARDS', 'a power of two from 1 to 64', `${groups}`);
  }
  if (!flag(read, 'CHANCERY_LEADER_ELECTION', true)) {
    throw new ConfigurationError(
      'CHANCERY_SHARDS divides keys by the Leases of the election, which CHANCERY_LEADER_ELECTION=false switches off: unset one of the two',
    );
  }
  const { leaseDurationMs, renewDeadlineMs } = leaseTimesFrom(read);
  if (leaseDurationMs > MAX_PERIOD_SECONDS * 1_000) {
    const wanted = `at most ${MAX_PERIOD_SECONDS} with CHANCERY_SHARDS`;
    throw unusable('CHANCERY_LEASE_DURATION', wanted, `${leaseDurationMs / 1_000}`);
  }
  const retryPeriodMs = period * 1_000;
  if (renewDeadlineMs <= JITTER * retryPeriodMs) {
    const deadline = renewDeadlineMs / 1_000;
    const wanted = `less than the ${deadline} of CHANCERY_LEASE_RENEW_DEADLINE divided by ${JITTER}`;
    throw unusable(RETRY_PERIOD, wanted, `${period}`);
  }
  const leaseNamespace = read('CHANCERY_LEASE_NAMESPACE') ?? read('POD_NAMESPACE');
  if (leaseNamespace === undefined) {
    throw new ConfigurationError(
      'CHANCERY_SHARDS needs a namespace for its Leases: set CHANCERY_LEASE_NAMESPACE, or ' +
        'POD_NAMESPACE by the Downward API (metadata.namespace)',
    );
  }
  return {
    ...{ groups, by, leaseNamespace },
    leaseName: read('CHANCERY_LEASE_NAME'),
    ...{ leaseDurationMs, renewDeadlineMs, retryPeriodMs },
    drainMs: DRAIN_MS,
    podUid,
  };
}
