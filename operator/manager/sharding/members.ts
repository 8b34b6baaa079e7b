import type { Lease } from '../../model/builtin.ts';
import { type Claim, holderOf, newLease, ObservedLease } from '../leader/lease-record.ts';
import { GENERATION_ANNOTATION, SET_LABEL } from './set.ts';

/** More than a Deployment has that shares at most 64 groups. */
const MAX_MEMBERS = 256;

/** A Lease that asks for more would count long after its holder is gone. No replica asks for more. */
export const MAX_LEASE_SECONDS = 3_600;

/** An identity is the name of a host and a uuid; a generation is some words. */
const MAX_TEXT_CHARS = 512;

interface MembershipOptions {
  /** The value of `chancery.dev/shard-set`. */
  readonly set: string;
  readonly generation: string;
  /** For a record that does not say how long it lasts. */
  readonly leaseDurationMs: number;
}

/** A member as this process has seen it last. */
export interface SeenMember {
  readonly identity: string;
  readonly generation: string;
  readonly isFresh: boolean;
  /** Since its Lease was last seen to change. */
  readonly unchangedMs: number;
}

/** Why a Lease is not counted as that of a member. */
export interface IgnoredLease {
  readonly name: string;
  readonly reason: string;
}

/** The Pod of a member. */
export interface PodReference {
  readonly name: string;
  readonly uid: string;
}

/** The Lease of a member, before it is created. Its `claim` is renewed as that of a leader is. */
export function memberLease(
  target: { readonly namespace: string; readonly name: string },
  claim: Claim,
  { set, generation }: Pick<MembershipOptions, 'set' | 'generation'>,
  pod?: PodReference,
): Lease {
  const lease = newLease(target, claim);
  const labels = { [SET_LABEL]: set };
  const annotations = { [GENERATION_ANNOTATION]: generation };
  // The garbage collector deletes the Lease with its Pod. Otherwise each Pod would leave one behind.
  const owner = pod && { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...pod }] };
  return { ...lease, metadata: { ...lease.metadata, labels, annotations, ...owner } };
}

/**
 * What this process knows of the members of its set. A member is fresh until its Lease has not changed for
 * as long as it asked for, by the clock of this process since it saw the last change. The times in a
 * Lease are of clocks that may be hours off. A member that has stopped takes its name out of its Lease.
 *
 * It decides only which member is preferred. Which member may act, the Leases of groups decide.
 */
export class Members {
  readonly #options: MembershipOptions;
  #known: ReadonlyMap<string, Member> = new Map();

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /**
   * Takes over what was listed; a Lease that is not in it any more is forgotten.
   *
   * @param atMs - `clock.monotonic()` after the list was read.
   * @returns the Leases that do not count, and why.
   */
  see(leases: readonly Lease[], atMs: number): readonly IgnoredLease[] {
    const known = new Map<string, Member>();
    const ignored: IgnoredLease[] = [];
    for (const lease of this.#likeliestFirst(leases, atMs)) {
      const name = lease.metadata.name ?? '';
      const read = this.#read(lease);
      if ('reason' in read) ignored.push({ name, reason: read.reason });
      else if (known.size >= MAX_MEMBERS) {
        ignored.push({ name, reason: `there are more than ${MAX_MEMBERS} members` });
      } else {
        const { record = new ObservedLease(this.#options.leaseDurationMs) } =
          this.#known.get(name) ?? {};
        record.see(lease, atMs);
        known.set(name, { generation: read.generation, record });
      }
    }
    this.#known = known;
    return ignored;
  }

  /** The identities of fresh members of this process's generation, sorted. */
  fresh(nowMs: number): readonly string[] {
    const ours = this.seen(nowMs).filter(
      ({ generation, isFresh }) => isFresh && generation === this.#options.generation,
    );
    return [...new Set(ours.map(({ identity }) => identity))].sort();
  }

  /** Every member that has not said that it stops, in the order of the names of their Leases. */
  seen(nowMs: number): readonly SeenMember[] {
    const seen = [...this.#known.entries()].sort(([a], [b]) => (a < b ? -1 : 1));
    return seen.flatMap(([, { generation, record }]) => {
      const { holder: identity } = record;
      if (identity === undefined) return [];
      const isFresh = !record.isExpired(nowMs);
      return [{ identity, generation, isFresh, unchangedMs: record.unchangedMs(nowMs) }];
    });
  }

  /**
   * Neither strangers nor the Leases of former replicas must crowd out members. The times in Leases are of other clocks,
   * but they only decide which of more than 256 Leases are looked at.
   */
  #likeliestFirst(leases: readonly Lease[], nowMs: number): readonly Lease[] {
    const isFresh = ({ metadata }: Lease): boolean =>
      this.#known.get(metadata.name ?? '')?.record.isExpired(nowMs) === false;
    const { fresh = [], others = [] } = Object.groupBy(leases, (lease) =>
      isFresh(lease) ? 'fresh' : 'others',
    );
    const renewedAt = ({ spec }: Lease): string => (spec?.holderIdentity && spec.renewTime) || '';
    return [...fresh, ...others.sort((a, b) => (renewedAt(a) < renewedAt(b) ? 1 : -1))];
  }

  #read(lease: Lease): { readonly generation: string } | { readonly reason: string } {
    const { name, labels, annotations } = lease.metadata;
    if (!name) return { reason: 'it has no name' };
    const set = labels?.[SET_LABEL];
    if (set !== this.#options.set) return { reason: `its label ${SET_LABEL} names another set` };
    const generation = annotations?.[GENERATION_ANNOTATION];
    if (!generation) return { reason: `it has no annotation ${GENERATION_ANNOTATION}` };
    if (Math.max(generation.length, holderOf(lease)?.length ?? 0) > MAX_TEXT_CHARS) {
      return { reason: `its holder or its generation has over ${MAX_TEXT_CHARS} characters` };
    }
    if (Number(lease.spec?.leaseDurationSeconds ?? 0) > MAX_LEASE_SECONDS) {
      return { reason: 'its duration is over an hour' };
    }
    return { generation };
  }
}

interface Member {
  readonly generation: string;
  readonly record: ObservedLease;
}
