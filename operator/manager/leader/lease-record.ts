import type { Stored } from '../../client/client.ts';
import type { Lease } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** A Lease that was read: without its uid and its version, a PUT could be one of another. */
export type StoredLease = Stored<Lease>;

/** What a candidate writes into a Lease. */
export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Wall time: for people who read the record. No elector may judge by it. */
  readonly nowMs: number;
}

/** Who holds it; undefined when nobody does. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined;
}

/** The better holder that somebody names, who should have the Lease soon. */
export function preferredHolderOf(lease: Lease): string | undefined {
  return lease.spec?.preferredHolder || undefined;
}

/** How often the Lease has changed hands: another number in each term of leadership. */
export function transitionsOf(lease: Lease): number {
  return Number(lease.spec?.leaseTransitions ?? 0);
}

/** How long the holder's record is left alone while it does not change; undefined when unsaid. */
export function leaseDurationMsOf(lease: Lease): number | undefined {
  const seconds = Number(lease.spec?.leaseDurationSeconds ?? 0);
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** A Lease that nobody has created yet. */
export function newLease(target: { namespace: string; name: string }, claim: Claim): Lease {
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace: target.namespace, name: target.name },
    spec: {
      ...held(claim),
      acquireTime: rfc3339Micro(claim.nowMs),
      leaseTransitions: 0,
    },
  };
}

/** `lease` of nobody, or of a holder whose time is over, in the hands of another. */
export function takenOver(lease: StoredLease, claim: Claim): StoredLease {
  const spec = {
    ...lease.spec,
    ...held(claim),
    acquireTime: rfc3339Micro(claim.nowMs),
    leaseTransitions: transitionsOf(lease) + 1,
  };
  return { ...lease, spec };
}

/** `lease` of ours, held on to. */
export function renewed(lease: StoredLease, claim: Claim): StoredLease {
  return { ...lease, spec: { ...lease.spec, ...held(claim) } };
}

/** `lease` of ours, given up: free at once, and for electors that wait anyway after a second. */
export function released(lease: StoredLease, nowMs: number): StoredLease {
  const time = rfc3339Micro(nowMs);
  const spec = {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: 1,
    acquireTime: time,
    renewTime: time,
  };
  return { ...lease, spec };
}

function held({ identity, leaseDurationMs, nowMs }: Claim): {
  holderIdentity: string;
  leaseDurationSeconds: number;
  renewTime: string;
} {
  return {
    holderIdentity: identity,
    leaseDurationSeconds: leaseDurationMs / 1_000,
    renewTime: rfc3339Micro(nowMs),
  };
}
