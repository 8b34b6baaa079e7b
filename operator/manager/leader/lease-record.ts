import type { Stored } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import type { Lease } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** A Lease that was read, with the uid and version that make a PUT one of this very Lease. */
export type StoredLease = Stored<Lease>;

/** What a candidate writes into a Lease. */
export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Wall time: for people who read the record. No elector may judge by it. */
  readonly nowMs: number;
}

/** Both readings of a clock at one moment, in milliseconds. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/** A Lease that names this process, and when the request began that wrote it. */
export interface OwnLease {
  readonly lease: StoredLease;
  readonly since: Moment;
}

/** A term of leadership that this process has lost, as far as its next term must know it. */
export interface LostTerm {
  /** `leaseTransitions` of its Lease: the next term has another number. */
  readonly transitions: number;
  /** On the monotonic clock. No other process could lead earlier, and nor may this one. */
  readonly expiresAt: number;
}

/** The Lease has another holder or none, or names another that should hold it soon. */
export interface LostLease {
  readonly by: string | undefined;
  readonly how: 'taken' | 'preferred';
}

/** Undefined when nobody holds it. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined;
}

/** The holder that somebody prefers, and that should have the Lease soon. */
export function preferredHolderOf(lease: Lease): string | undefined {
  return lease.spec?.preferredHolder || undefined;
}

/** How often the Lease has changed hands: another number in each term of leadership. */
export function transitionsOf(lease: Lease): number {
  return Number(lease.spec?.leaseTransitions ?? 0);
}

/** How long others leave a record alone that does not change; undefined when it does not say. */
function leaseDurationMsOf(lease: Lease): number | undefined {
  const seconds = Number(lease.spec?.leaseDurationSeconds ?? 0);
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** Names a Lease. */
export interface LeaseTarget {
  readonly namespace: string;
  readonly name: string;
  /** Of a Lease that is created. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** `lease`, with the labels that `target` should have: somebody may have taken them away. */
export function labelled(lease: StoredLease, { labels }: LeaseTarget): StoredLease {
  if (labels === undefined) return lease;
  const { metadata } = lease;
  return { ...lease, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

/** A Lease that nobody has created yet. */
export function newLease(target: LeaseTarget, claim: Claim): Lease {
  const { namespace, name, labels } = target;
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { namespace, name, ...(labels && { labels }) },
    spec: {
      ...claimed(claim),
      acquireTime: rfc3339Micro(claim.nowMs),
      leaseTransitions: 0,
    },
  };
}

/** A Lease without a holder. Candidates may take it when it has existed for its duration. */
export function emptyLease(target: LeaseTarget, claim: Claim): Lease {
  const { apiVersion, kind, metadata } = newLease(target, claim);
  return {
    ...{ apiVersion, kind, metadata },
    spec: { leaseDurationSeconds: claim.leaseDurationMs / 1_000, leaseTransitions: 0 },
  };
}

/** `lease` without a holder, or with one that has expired, taken by `claim`. */
export function takenOver(lease: StoredLease, claim: Claim): StoredLease {
  const spec = {
    ...lease.spec,
    ...claimed(claim),
    acquireTime: rfc3339Micro(claim.nowMs),
    leaseTransitions: transitionsOf(lease) + 1,
  };
  return { ...lease, spec };
}

/** An own `lease`, renewed. */
export function renewed(lease: StoredLease, claim: Claim): StoredLease {
  return { ...lease, spec: { ...lease.spec, ...claimed(claim) } };
}

/** The duration of a released Lease, as client-go writes it, too. */
const RELEASED_SECONDS = 1;

/** An own `lease`, released: free at once, or after a second for electors that wait in any case. */
export function released(lease: StoredLease, nowMs: number): StoredLease {
  const time = rfc3339Micro(nowMs);
  const spec = {
    ...lease.spec,
    holderIdentity: '',
    leaseDurationSeconds: RELEASED_SECONDS,
    acquireTime: time,
    renewTime: time,
  };
  return { ...lease, spec };
}

function claimed({ identity, leaseDurationMs, nowMs }: Claim): {
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

/**
 * A Lease as a candidate sees it: whether its holder is alive is checked by whether the record changes,
 * on the candidate's own clock. The times in the record are of clocks that may be hours off.
 *
 * Somebody may write another holder into a Lease, or none. The holder before learns of that when it renews, so it keeps
 * the time that it has asked for. Only a record that says that it was released is free at once.
 */
export class ObservedLease {
  /** For a record without a duration. */
  readonly #defaultDurationMs: number;
  readonly #maxDurationMs: number;
  #fingerprint: string | undefined;
  #changedAt = Number.POSITIVE_INFINITY;
  #expiresAt = Number.POSITIVE_INFINITY;
  /** Until then a holder may act that is not in the record any more. */
  #contestedUntil = Number.NEGATIVE_INFINITY;
  /** What the holder has asked for. */
  #durationMs = 0;
  #holder: string | undefined;

  /** @param maxDurationMs - a record that asks for more counts as one without a duration. */
  constructor(defaultDurationMs: number, maxDurationMs: number = Number.POSITIVE_INFINITY) {
    this.#defaultDurationMs = defaultDurationMs;
    this.#maxDurationMs = maxDurationMs;
  }

  /** The holder that was seen last; undefined for none. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /** @param atMs - `clock.monotonic()` after the Lease was read: the later, the longer it is left alone. */
  see(lease: Lease, atMs: number): void {
    const { metadata, spec } = lease;
    const fingerprint = JSON.stringify([
      metadata.uid,
      metadata.resourceVersion,
      spec?.holderIdentity,
      spec?.renewTime,
      spec?.acquireTime,
      Number(spec?.leaseTransitions ?? 0),
    ]);
    if (fingerprint === this.#fingerprint) return;
    this.#fingerprint = fingerprint;
    this.#changedAt = atMs;
    const [before, beforeMs] = [this.#holder, this.#durationMs];
    this.#holder = holderOf(lease);
    const asksMs = this.#durationOf(lease);
    // The same holder cannot ask for less: a process has one setting, and the replicas of a generation may have several.
    this.#durationMs = before === this.#holder ? Math.max(beforeMs, asksMs) : asksMs;
    if (isReleased(lease)) {
      this.#contestedUntil = Number.NEGATIVE_INFINITY;
      this.#expiresAt = atMs;
      return;
    }
    if (before !== undefined && before !== this.#holder && !this.isExpired(atMs)) {
      // It may have renewed just before.
      this.#contestedUntil = Math.max(this.#contestedUntil, atMs + beforeMs);
    }
    this.#expiresAt = atMs + this.#durationMs;
  }

  /** Since the record was last seen to change, in milliseconds; 0 when it was never seen. */
  unchangedMs(nowMs: number): number {
    return Math.max(nowMs - this.#changedAt, 0);
  }

  /** True when the holder has had all the time that it asked for. */
  isExpired(nowMs: number): boolean {
    return nowMs >= Math.max(this.#expiresAt, this.#contestedUntil);
  }

  /** True while a process other than `identity` may act by what was seen. */
  isOfAnother(identity: string, nowMs: number): boolean {
    if (this.#fingerprint === undefined) return false;
    return this.#holder === identity ? nowMs < this.#contestedUntil : !this.isExpired(nowMs);
  }

  #durationOf(lease: Lease): number {
    const asked = leaseDurationMsOf(lease);
    if (asked !== undefined && asked <= this.#maxDurationMs) return asked;
    // A record without holder and duration never had a holder, so no process acts by it.
    return holderOf(lease) === undefined && asked === undefined ? 0 : this.#defaultDurationMs;
  }
}

/** True for a Lease whose last holder has written that it gives it up. */
export function isReleased(lease: Lease): boolean {
  return holderOf(lease) === undefined && leaseDurationMsOf(lease) === RELEASED_SECONDS * 1_000;
}
