import type { Stored } from '../../client/client.ts';
import type { Clock } from '../../core/clock.ts';
import type { Lease } from '../../model/builtin.ts';
import { rfc3339Micro } from '../../model/condition.ts';

/** A Lease that was read, with the uid and resourceVersion that bind a PUT to exactly this Lease. */
export type StoredLease = Stored<Lease>;

/** The values that a candidate writes into a Lease. */
export interface Claim {
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** Wall time, for people who read the Lease. No elector may rely on it. */
  readonly nowMs: number;
}

/** One moment on the monotonic clock and on the wall clock, in milliseconds. */
export interface Moment {
  readonly monotonicMs: number;
  readonly wallMs: number;
}

export function momentOf(clock: Clock): Moment {
  return { monotonicMs: clock.monotonic(), wallMs: clock.now() };
}

/** A Lease whose holder is this process, and the moment when the request that wrote it began. */
export interface OwnLease {
  readonly lease: StoredLease;
  readonly since: Moment;
}

/** What the next term of this process needs to know about a lost term. */
export interface LostTerm {
  /** `leaseTransitions` of the Lease in the lost term. The next term has a different number. */
  readonly transitions: number;
  /** A time on the monotonic clock. No process may lead before this time. */
  readonly expiresAt: number;
}

/**
 * Why a Lease is lost: another process holds it, no process holds it, or another process is its preferred
 * holder.
 */
export interface LostLease {
  readonly by: string | undefined;
  readonly how: 'taken' | 'preferred';
}

/** Undefined when no process holds the Lease. */
export function holderOf(lease: Lease): string | undefined {
  return lease.spec?.holderIdentity || undefined;
}

/**
 * The process to which the Lease should soon pass, because a client has marked it as the preferred holder.
 */
export function preferredHolderOf(lease: Lease): string | undefined {
  return lease.spec?.preferredHolder || undefined;
}

/** How many times the Lease has changed its holder. Each term of leadership has a different number. */
export function transitionsOf(lease: Lease): number {
  return Number(lease.spec?.leaseTransitions ?? 0);
}

/**
 * Milliseconds that other processes wait before they take over a Lease that does not change; undefined when
 * the Lease contains no duration.
 */
function leaseDurationMsOf(lease: Lease): number | undefined {
  const seconds = Number(lease.spec?.leaseDurationSeconds ?? 0);
  return seconds > 0 ? seconds * 1_000 : undefined;
}

/** A Lease by its namespace and name. */
export interface LeaseTarget {
  readonly namespace: string;
  readonly name: string;
  /** Labels for a Lease that is created. Default: none. */
  readonly labels?: Readonly<Record<string, string>>;
}

/** Adds to `lease` the labels that `target` should have, because a client may have removed them. */
export function labelled(lease: StoredLease, { labels }: LeaseTarget): StoredLease {
  if (labels === undefined) return lease;
  const { metadata } = lease;
  return { ...lease, metadata: { ...metadata, labels: { ...metadata.labels, ...labels } } };
}

/** The first content of a Lease that does not exist yet. */
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

/**
 * A Lease without a holder. It has a duration, and candidates may take it when it has existed for that long.
 */
export function emptyLease(target: LeaseTarget, claim: Claim): Lease {
  const { apiVersion, kind, metadata } = newLease(target, claim);
  return {
    ...{ apiVersion, kind, metadata },
    spec: { leaseDurationSeconds: claim.leaseDurationMs / 1_000, leaseTransitions: 0 },
  };
}

/**
 * The content of `lease` when the process of `claim` takes the Lease over from a holder that is gone or has
 * expired.
 */
export function takenOver(lease: StoredLease, claim: Claim): StoredLease {
  const spec = {
    ...lease.spec,
    ...claimed(claim),
    acquireTime: rfc3339Micro(claim.nowMs),
    leaseTransitions: transitionsOf(lease) + 1,
  };
  return { ...lease, spec };
}

/** The content of `lease` with which its holder renews it. */
export function renewed(lease: StoredLease, claim: Claim): StoredLease {
  return { ...lease, spec: { ...lease.spec, ...claimed(claim) } };
}

/** The duration of a released Lease. client-go writes the same value. */
const RELEASED_SECONDS = 1;

/**
 * The content of `lease` with which its holder releases it. Other processes may then take it at once;
 * electors that always wait may take it after a second.
 */
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
 * A Lease as a candidate observes it. The candidate treats the holder as alive while the Lease keeps
 * changing, and measures that on its own clock. The times in the Lease come from clocks that may be hours
 * off.
 *
 * A client may write another holder into a Lease, or remove the holder. The previous holder notices that only
 * when it renews, so it is still treated as alive for the duration that it has requested. Only a Lease that
 * is marked as released is free at once.
 */
export class ObservedLease {
  /** Used for a Lease that contains no duration. */
  readonly #defaultDurationMs: number;
  readonly #maxDurationMs: number;
  #fingerprint: string | undefined;
  #changedAt = Number.POSITIVE_INFINITY;
  #expiresAt = Number.POSITIVE_INFINITY;
  /** Until this time a previous holder may still act, although the Lease no longer contains its name. */
  #contestedUntil = Number.NEGATIVE_INFINITY;
  /** The duration that the holder has requested. */
  #durationMs = 0;
  #holder: string | undefined;

  /** @param maxDurationMs - a Lease with a longer duration is treated as one without a duration. */
  constructor(defaultDurationMs: number, maxDurationMs: number = Number.POSITIVE_INFINITY) {
    this.#defaultDurationMs = defaultDurationMs;
    this.#maxDurationMs = maxDurationMs;
  }

  /** The last observed holder; undefined if there was none. */
  get holder(): string | undefined {
    return this.#holder;
  }

  /**
   * @param atMs - `clock.monotonic()` after the Lease was read. If the value is later, this process waits
   *   longer before it takes the Lease.
   */
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
    // The same holder cannot reduce its duration: a process has one setting, but the replicas of a generation
    // may have different ones.
    this.#durationMs = before === this.#holder ? Math.max(beforeMs, asksMs) : asksMs;
    if (isReleased(lease)) {
      this.#contestedUntil = Number.NEGATIVE_INFINITY;
      this.#expiresAt = atMs;
      return;
    }
    if (before !== undefined && before !== this.#holder && !this.isExpired(atMs)) {
      // The previous holder may have renewed just before the change.
      this.#contestedUntil = Math.max(this.#contestedUntil, atMs + beforeMs);
    }
    this.#expiresAt = atMs + this.#durationMs;
  }

  /** Milliseconds since a change of the Lease was last observed; 0 if the Lease was never observed. */
  unchangedMs(nowMs: number): number {
    return Math.max(nowMs - this.#changedAt, 0);
  }

  /** True when the duration that the holder has requested is over. */
  isExpired(nowMs: number): boolean {
    return nowMs >= Math.max(this.#expiresAt, this.#contestedUntil);
  }

  /** True while a process other than `identity` may act according to the observed Leases. */
  isOfAnother(identity: string, nowMs: number): boolean {
    if (this.#fingerprint === undefined) return false;
    return this.#holder === identity ? nowMs < this.#contestedUntil : !this.isExpired(nowMs);
  }

  #durationOf(lease: Lease): number {
    const asked = leaseDurationMsOf(lease);
    if (asked !== undefined && asked <= this.#maxDurationMs) return asked;
    // A Lease without holder and duration never had a holder, so no process acts because of it.
    return holderOf(lease) === undefined && asked === undefined ? 0 : this.#defaultDurationMs;
  }
}

/** True for a Lease that its last holder has released. */
export function isReleased(lease: Lease): boolean {
  return holderOf(lease) === undefined && leaseDurationMsOf(lease) === RELEASED_SECONDS * 1_000;
}
