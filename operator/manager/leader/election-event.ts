import { events, type KubernetesEvent, type Lease } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** Room for the suffix: the name of an Event is a DNS subdomain of at most 253 characters. */
const MAX_NAME_PREFIX = 253 - 1 - 16;

/** `reportingInstance` takes no more. */
const MAX_INSTANCE = 128;

/** The Event that tells people of a change of leadership, about the Lease that it is about. */
export function electionEvent(
  lease: Lease,
  {
    identity,
    what,
    nowMs,
    unique,
  }: {
    readonly identity: string;
    readonly what: 'became leader' | 'stopped leading';
    readonly nowMs: number;
    /** Uniform in [0, 1): two processes may speak of one Lease at one time. */
    readonly unique: number;
  },
): KubernetesEvent {
  const { namespace, name, uid, resourceVersion } = lease.metadata;
  const suffix = BigInt(Math.floor(nowMs)) * 1_000_000n + BigInt(Math.floor(unique * 1_000_000));
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: events.kind,
    metadata: {
      name: `${name.slice(0, MAX_NAME_PREFIX)}.${suffix.toString(16)}`,
      ...(namespace !== undefined && { namespace }),
    },
    eventTime: rfc3339Micro(nowMs),
    reportingController: 'chancery.dev/leader-election',
    reportingInstance: identity.slice(0, MAX_INSTANCE),
    type: 'Normal',
    reason: 'LeaderElection',
    action: what === 'became leader' ? 'Acquire' : 'Release',
    note: `${identity} ${what}`,
    regarding: {
      apiVersion: lease.apiVersion,
      kind: lease.kind,
      name,
      ...(namespace !== undefined && { namespace }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    },
  };
}
