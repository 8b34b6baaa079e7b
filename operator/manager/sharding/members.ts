import type { Lease } from '../../model/builtin.ts';
import { type Claim, holderOf, newLease, ObservedLease } from '../leader/lease-record.ts';
import { GENERATION_ANNOTATION, SET_LABEL } from './set.ts';

/**
 * Maximum number of members. It is higher than the number of replicas among which 64 groups can be divided.
 */
const MAX_MEMBERS = 256;

/**
 * A member's Lease with a longer duration is ignored, because it would count long after its holder is gone.
 * No replica requests such a duration.
 */
export const MAX_LEASE_SECONDS = 3_600;

/**
 * Maximum length of an identity and of a generation. An identity is a host name and a uuid; a generation is a
 * few words.
 */
const MAX_TEXT_CHARS = 512;

interface MembershipOptions {
  /** The value of `chancery.dev/shard-set`. */
  readonly set: string;
  readonly generation: string;
  /** Used for a Lease that contains no duration. */
  readonly leaseDurationMs: number;
}

/** A member, as this process last saw it. */
export interface SeenMember {
  readonly identity: string;
  readonly generation: string;
  readonly isFresh: boolean;
  /** Milliseconds since a change of the member's Lease was last observed. */
  readonly unchangedMs: number;
}

/** A Lease that does not count as the Lease of a member, and the reason. */
export interface IgnoredLease {
  readonly name: string;
  readonly reason: string;
}

/** The Pod of a member. */
export interface PodReference {
  readonly name: string;
  readonly uid: string;
}

/**
 * Creates the Lease of a member. `claim` is written into it as in the Lease of a leader, and is renewed in
 * the same way.
 */
export function memberLease(
  target: { readonly namespace: string; readonly name: string },
  claim: Claim,
  { set, generation }: Pick<MembershipOptions, 'set' | 'generation'>,
  pod?: PodReference,
): Lease {
  const lease = newLease(target, claim);
  const labels = { [SET_LABEL]: set };
  const annotations = { [GENERATION_ANNOTATION]: generation };
  // The garbage collector deletes the Lease together with its Pod. Otherwise each Pod would leave a Lease
  // behind.
  const owner = pod && { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', ...pod }] };
  return { ...lease, metadata: { ...lease.metadata, labels, annotations, ...owner } };
}

/**
 * The members of the set, as this process has observed them. A member is fresh until its Lease has been
 * unchanged for the duration that the member requested. This process measures that on its own clock, because
 * the clocks that wrote the times in a Lease may be hours off. A member that stops removes its name from its
 * own Lease.
 *
 * That a member is fresh matters only for the choice of the preferred member. The Leases of the groups decide
 * which member may act.
 */
export class Members {
  readonly #options: MembershipOptions;
  #known: ReadonlyMap<string, Member> = new Map();

  constructor(options: MembershipOptions) {
    this.#options = options;
  }

  /**
   * Replaces the known members with those in the listed Leases. A Lease that is no longer listed is
   * forgotten.
   *
   * @param atMs - `clock.monotonic()` after the list was read.
   * @returns the Leases that are not counted, with the reason.
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

  /** Every member that has not stopped, ordered by the names of the Leases. */
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
   * Sorts the Leases of fresh members first, so that unknown Leases and Leases of former replicas do not
   * displace them. The times in Leases come from other clocks. They only decide which Leases are considered
   * if there are more than 256.
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
