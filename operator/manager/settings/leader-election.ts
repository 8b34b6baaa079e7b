import { ConfigurationError } from '../../core/errors.ts';
import { isDnsSubdomain } from '../../model/dns-name.ts';
import { flag, oneOf, type ReadSetting, unusable, wholeNumber } from './text.ts';

/** How the replicas of an operator elect their leader. */
export interface LeaderElectionSettings {
  /** The name of the Lease. If undefined, it is made from the names of the controllers, see `leaseNameOf`. */
  readonly leaseName: string | undefined;
  /** Namespace of the Lease. */
  readonly leaseNamespace: string;
  /**
   * Milliseconds that other processes wait for a silent holder before they take the Lease. Whole seconds.
   * Default 15 s.
   */
  readonly leaseDurationMs: number;
  /** How many milliseconds a holder continues to work if it cannot renew the Lease. Default 10 s. */
  readonly renewDeadlineMs: number;
  /** Milliseconds between two attempts to acquire or renew. Default 2 s. */
  readonly retryPeriodMs: number;
  /**
   * If true, the process releases the Lease at the end, after all guarded work has ended. Default
   * true.
   */
  readonly releaseOnStop: boolean;
  /** Whether a process that has lost its leadership exits or stands by. Default `exit`. */
  readonly onLost: OnLeadershipLost;
}

/**
 * - `exit`: the process stops gracefully and exits with code 3, before another process may lead.
 * - `standby`: the process ends the work that needs leadership, stays alive, and becomes a
 *   candidate again.
 */
export type OnLeadershipLost = 'exit' | 'standby';

const ON_LOST = ['exit', 'standby'] as const;

export const LEADER_ELECTION_ENVIRONMENT: readonly (readonly [name: string, meaning: string])[] = [
  ['CHANCERY_LEADER_ELECTION', 'true: one replica at a time works, by a Lease; default false'],
  [
    'CHANCERY_LEASE_NAME',
    'name of the Lease; default: that of the first controller, and "-leader"',
  ],
  ['CHANCERY_LEASE_NAMESPACE', 'namespace of the Lease; default POD_NAMESPACE'],
  ['CHANCERY_LEASE_DURATION', 'seconds that others wait for a silent leader; default 15'],
  ['CHANCERY_LEASE_RENEW_DEADLINE', 'seconds that a leader works on unrenewed; default 10'],
  ['CHANCERY_LEASE_RETRY_PERIOD', 'seconds between attempts to get or to keep it; default 2'],
  ['CHANCERY_RELEASE_ON_STOP', 'false: the Lease is left to expire at the end; default true'],
  [
    'CHANCERY_ON_LEADERSHIP_LOST',
    'exit (default): a process that loses leadership ends with 3; standby: it stands for it again',
  ],
];

const DAY_SECONDS = 86_400;

/**
 * client-go extends a wait randomly by up to this multiple of the period, so that replicas do not send
 * requests at the same time.
 */
export const JITTER = 1.2;

/**
 * Undefined without an election. The variables are read and checked even then.
 *
 * @throws ConfigurationError `CONFIG` with the name of the variable, the expected and the found value.
 */
export function leaderElectionFrom(read: ReadSetting): LeaderElectionSettings | undefined {
  const isOn = flag(read, 'CHANCERY_LEADER_ELECTION', false);
  const times = leaseTimesFrom(read);
  const leaseName = dnsName(read, 'CHANCERY_LEASE_NAME');
  const leaseNamespace = dnsName(read, 'CHANCERY_LEASE_NAMESPACE') ?? read('POD_NAMESPACE');
  const releaseOnStop = flag(read, 'CHANCERY_RELEASE_ON_STOP', true);
  const onLost = oneOf(read, 'CHANCERY_ON_LEADERSHIP_LOST', ON_LOST) ?? 'exit';
  if (!isOn) return undefined;
  if (leaseNamespace === undefined) {
    throw new ConfigurationError(
      'CHANCERY_LEADER_ELECTION needs a namespace for its Lease: set CHANCERY_LEASE_NAMESPACE, or ' +
        'POD_NAMESPACE by the Downward API (metadata.namespace)',
    );
  }
  return { leaseName, leaseNamespace, ...times, releaseOnStop, onLost };
}

/**
 * The durations of a Lease, with or without an election.
 *
 * @throws ConfigurationError `CONFIG` for durations that contradict each other.
 */
export function leaseTimesFrom(
  read: ReadSetting,
): Pick<LeaderElectionSettings, 'leaseDurationMs' | 'renewDeadlineMs' | 'retryPeriodMs'> {
  const seconds = { min: 1, max: DAY_SECONDS };
  const duration = wholeNumber(read, 'CHANCERY_LEASE_DURATION', seconds) ?? 15;
  const deadline = wholeNumber(read, 'CHANCERY_LEASE_RENEW_DEADLINE', seconds) ?? 10;
  const period = wholeNumber(read, 'CHANCERY_LEASE_RETRY_PERIOD', seconds) ?? 2;
  if (duration <= deadline) {
    const wanted = `more than the ${deadline} of CHANCERY_LEASE_RENEW_DEADLINE`;
    throw unusable('CHANCERY_LEASE_DURATION', wanted, `${duration}`);
  }
  if (deadline <= JITTER * period) {
    const wanted = `more than ${JITTER} times the ${period} of CHANCERY_LEASE_RETRY_PERIOD`;
    throw unusable('CHANCERY_LEASE_RENEW_DEADLINE', wanted, `${deadline}`);
  }
  return {
    leaseDurationMs: duration * 1_000,
    renewDeadlineMs: deadline * 1_000,
    retryPeriodMs: period * 1_000,
  };
}

function dnsName(read: ReadSetting, name: string): string | undefined {
  const text = read(name);
  if (text === undefined || isDnsSubdomain(text)) return text;
  throw unusable(name, 'at most 253 of a-z, 0-9, "-" and "."', text);
}
