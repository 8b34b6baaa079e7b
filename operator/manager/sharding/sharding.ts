import type { Client } from '../../client/client.ts';
import type { Log } from '../../controller/reconciler.ts';
import { withTimeout } from '../../core/abort.ts';
import { type Clock, sleep } from '../../core/clock.ts';
import { type Meter, noMeter } from '../../core/metrics.ts';
import { type Lease, leases } from '../../model/builtin.ts';
import type { ElectionTiming } from '../leader/election-timing.ts';
import { LeaderElector } from '../leader/leader-elector.ts';
import { ObservedLease } from '../leader/lease-record.ts';
import { GroupEvents, type PodNote } from './group-events.ts';
import { type GroupObservation, PHASES, type Phase } from './group-machine.ts';
import { MemberLease } from './member-lease.ts';
import {
  type IgnoredLease,
  MAX_LEASE_SECONDS,
  Members,
  type PodReference,
  type SeenMember,
} from './members.ts';
import { preferredMembers } from './preference.ts';
import { groupPrefix, memberPrefix, SET_LABEL } from './set.ts';
import { type ShardedWork, ShardGroup } from './shard-group.ts';

export interface ShardingOptions {
  /** The client for Leases. It must not retry. */
  readonly client: Pick<Client, 'find' | 'create' | 'update' | 'list'>;
  readonly clock: Clock;
  /** The identity of this process. It is new in every process, see `leaderIdentity`. */
  readonly identity: string;
  /** The name of the Pod, or another name that no other replica has at the same time. */
  readonly member: string;
  readonly namespace: string;
  /**
   * The name of the Lease that a leader would hold. It also identifies the set of replicas that share the
   * work.
   */
  readonly set: string;
  readonly groups: number;
  readonly by: ShardField;
  readonly timing: ElectionTiming;
  readonly drainMs: number;
  readonly work: ShardedWork;
  /** The Pod of this process, if it is in `namespace` and its uid is known. */
  readonly pod?: PodReference | undefined;
  /** Records an Event about the Pod of this process. Default: no Events. */
  readonly record?: ((note: PodNote) => void) | undefined;
  readonly log: Log;
  readonly meter?: Meter;
  readonly random?: () => number;
}

/** The groups and members of a set, as one process has observed them. */
export interface SharingStatus {
  /** `namespace/name` of the Lease that all members hold together. */
  readonly lease: string;
  /** How keys are divided, as written in the Lease. */
  readonly division: string;
  /**
   * Ordered by number. `phase` is the phase in this process; `holder` is the last observed holder of the
   * group's Lease.
   */
  readonly groups: readonly {
    readonly group: number;
    readonly phase: Phase;
    readonly holder: string | undefined;
  }[];
  readonly members: readonly SeenMember[];
}

/** The field that decides the group of an object. */
export type ShardField = 'uid' | 'namespace';

/** Milliseconds that listing the Leases may take. After that the next round tries again. */
const MAX_REQUEST_MS = 5_000;

/** Maximum number of ignored Leases that the log mentions at the same time. */
const MAX_REPORTED = 20;

/**
 * Shares the groups of an operator between its replicas. Each group has a Lease. A replica works on the keys
 * of a group while it holds that Lease and the Lease of the generation.
 *
 * A generation is one way to divide keys: into how many groups, and by which field. Its Lease is the Lease
 * that a leader would hold. The holder in that Lease is the generation, and each replica renews the Lease for
 * itself. So a release that does not shard, or divides keys in another way, waits until no replica of this
 * generation can write, and vice versa.
 */
export class Sharding {
  readonly #options: ShardingOptions;
  readonly #members: Members;
  readonly #member: MemberLease;
  readonly #observed: readonly ObservedLease[];
  readonly #groups: readonly ShardGroup[];
  readonly #events: GroupEvents;
  /** The groups whose Lease was missing in the last list. */
  readonly #missing = new Set<number>();
  /** The log messages about ignored Leases. */
  #reported: ReadonlySet<string> = new Set();
  #generation: LeaderElector;
  /** True when the log has already reported that there are too many members for the number of groups. */
  #isCrowded = false;

  constructor(options: ShardingOptions) {
    this.#options = options;
    const { groups, set, timing } = options;
    const { leaseDurationMs } = timing;
    const membership = { set, generation: generationOf(options), leaseDurationMs };
    this.#members = new Members(membership);
    this.#member = new MemberLease({
      ...options,
      ...membership,
      pod: options.pod,
      name: `${memberPrefix(set)}${options.member}`,
    });
    const { clock, log, record = () => {} } = options;
    const gatherMs = timing.retryPeriodMs;
    this.#events = new GroupEvents({ clock, log, gatherMs, groups, record });
    const observed = newObserved(leaseDurationMs);
    this.#generation = this.#newElector(set, generationOf(options), observed);
    this.#observed = Array.from({ length: groups }, () => newObserved(leaseDurationMs));
    this.#groups = this.#observed.map((observed, group) => this.#newGroup(group, observed));
  }

  /** The groups and the members, as this process last observed them. */
  get status(): SharingStatus {
    const { clock, namespace, set } = this.#options;
    return {
      lease: `${namespace}/${set}`,
      division: generationOf(this.#options),
      groups: this.#groups.map(({ phase }, group) => ({
        ...{ group, phase },
        holder: this.#observed[group]?.holder,
      })),
      members: this.#members.seen(clock.monotonic()),
    };
  }

  /** False when this process lost a Lease, should have ended at least 20 s ago, and still runs. */
  get healthy(): boolean {
    return this.#generation.healthy && this.#groups.every((group) => group.healthy);
  }

  /** Shares the work until `signal` aborts. Then its groups are drained and released. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    // Reconciles that are running when the stop begins may write until their group is released.
    const released = new AbortController();
    const holding = this.#holdGeneration(released.signal);
    try {
      for (;;) {
        await this.#round(signal);
        const { clock, random = Math.random, timing } = this.#options;
        await sleep(clock, timing.retryPeriodMs * (0.9 + 0.2 * random()), signal);
      }
    } catch (err) {
      if (!signal.aborted) throw err;
    }
    await this.#member.release(); // first, so that the other replicas share all groups
    for (const group of this.#groups) group.send({ kind: 'shutdown' });
    await Promise.all(this.#groups.map((group) => group.untilForeign()));
    released.abort(signal.reason);
    this.#events.flush();
    await holding;
  }

  /** Holds the Lease of the generation, for this process. Other replicas do the same. */
  async #holdGeneration(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const elector = this.#generation;
      try {
        await elector.acquire(signal);
        await elector.renew(signal);
      } catch {
        if (signal.aborted) return;
        for (const group of this.#groups) group.send({ kind: 'generation-lost' });
        this.#generation = elector.nextCandidacy();
      }
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    let found: readonly Lease[];
    try {
      await this.#member.renew(signal);
      found = await this.#list(signal);
    } catch (err) {
      signal.throwIfAborted();
      log.warn({ err }, 'the Leases of groups and members were not read, what is held is kept');
      return;
    }
    const now = clock.monotonic();
    const { set } = this.#options;
    const isOurs = (name = ''): boolean => name === set || name.startsWith(groupPrefix(set));
    const others = found.filter(({ metadata: { name } }) => !isOurs(name));
    const own = found.filter(({ metadata: { name } }) => isOurs(name));
    this.#report([...this.#members.see(others, now), ...tooLong(own)]);
    const byName = new Map(found.map((lease) => [lease.metadata.name, lease]));
    for (const [group, observed] of this.#observed.entries()) {
      const lease = byName.get(this.#leaseName(group));
      if (lease === undefined) {
        this.#missing.add(group);
        continue;
      }
      this.#missing.delete(group);
      observed.see(lease, now);
    }
    this.#judge(now);
  }

  /** Logs each ignored Lease once, for as long as it is ignored. */
  #report(ignored: readonly IgnoredLease[]): void {
    const before = this.#reported;
    const reported = ignored.slice(0, MAX_REPORTED).map(({ name, reason }) => ({
      text: `${name}: ${reason}`,
      facts: { lease: name, reason },
    }));
    this.#reported = new Set(reported.map(({ text }) => text));
    for (const { text, facts } of reported) {
      if (before.has(text)) continue;
      this.#options.log.warn(facts, 'what a Lease with the label of this operator says is ignored');
    }
  }

  #judge(now: number): void {
    const { identity, meter = noMeter, set } = this.#options;
    const fresh = this.#members.fresh(now);
    meter.gauge('chancery_shard_members', { name: set }, fresh.length);
    this.#noteCrowd(fresh.length);
    const holders = this.#observed.map((observed) => observed.holder);
    const preferred = preferredMembers(holders, fresh);
    for (const [index, group] of this.#groups.entries()) {
      const wanted = preferred[index];
      group.send({
        kind: 'observed',
        observation: {
          generationHeld: this.#generation.isLeader,
          ...this.#holderOf(index, now),
          preferred: wanted === undefined ? 'nobody' : wanted === identity ? 'self' : 'other',
        },
      });
    }
  }

  /**
   * With fewer than two groups per replica, some replicas have twice as much work as others, or no groups at
   * all.
   */
  #noteCrowd(members: number): void {
    const { groups, log } = this.#options;
    const isCrowded = members > 1 && members > groups / 2;
    if (isCrowded && !this.#isCrowded) {
      log.warn(
        { members, groups },
        'there are fewer than two groups for each replica, raise CHANCERY_SHARDS',
      );
    }
    this.#isCrowded = isCrowded;
  }

  /**
   * Returns who holds the Lease of a group. A missing Lease counts as free: the first claim only creates it
   * without a holder, see `createsEmpty`.
   */
  #holderOf(group: number, now: number): Pick<GroupObservation, 'holder' | 'stale'> {
    const { identity } = this.#options;
    const observed = this.#observed[group];
    if (observed === undefined || this.#missing.has(group)) return { holder: 'none', stale: true };
    const is = observed.holder === identity ? 'self' : 'none';
    const isOther = observed.isOfAnother(identity, now);
    return { holder: isOther ? 'other' : is, stale: observed.isExpired(now) };
  }

  #list(signal: AbortSignal): Promise<readonly Lease[]> {
    const { client, clock, namespace, set } = this.#options;
    return withTimeout({ clock, signal, timeoutMs: MAX_REQUEST_MS }, (limited) =>
      client.list(leases, { namespace, labelSelector: `${SET_LABEL}=${set}`, signal: limited }),
    );
  }

  #newGroup(group: number, observed: ObservedLease): ShardGroup {
    const { clock, drainMs, log, meter = noMeter, set, work } = this.#options;
    return new ShardGroup({
      ...{ group, work, observed, clock, log, drainMs },
      newElector: (seen) => this.#newElector(this.#leaseName(group), this.#options.identity, seen),
      generation: { writeDeadlineAt: () => this.#generation.writeDeadlineAt() },
      changed: (from, to) => {
        this.#measure();
        this.#events.changed(group, from, to);
      },
      handedOver: (ms) =>
        meter.observe('chancery_shard_handover_seconds', { name: set }, ms / 1_000),
    });
  }

  #measure(): void {
    const { meter = noMeter, set: name } = this.#options;
    for (const phase of PHASES) {
      const count = this.#groups.filter((group) => group.phase === phase).length;
      meter.gauge('chancery_shard_groups', { name, phase }, count);
    }
  }

  #newElector(name: string, identity: string, observed?: ObservedLease): LeaderElector {
    const { client, clock, log, meter, namespace, random, set, timing } = this.#options;
    return new LeaderElector({
      ...{ client, clock, identity, log, ...timing },
      lease: { namespace, name, labels: { [SET_LABEL]: set } },
      onLost: 'standby',
      isShared: name === set,
      recordsEvents: false, // `GroupEvents` records them for all groups
      createsEmpty: name !== set,
      ...(observed && { observed }),
      ...(meter && { meter }),
      ...(random && { random }),
    });
  }

  #leaseName(group: number): string {
    return `${groupPrefix(this.#options.set)}${group}`;
  }
}

/** A Lease with a duration of more than an hour was not written by a replica: see `shardingFrom`. */
function newObserved(leaseDurationMs: number): ObservedLease {
  return new ObservedLease(leaseDurationMs, MAX_LEASE_SECONDS * 1_000);
}

function tooLong(leases: readonly Lease[]): readonly IgnoredLease[] {
  return leases
    .filter(({ spec }) => Number(spec?.leaseDurationSeconds ?? 0) > MAX_LEASE_SECONDS)
    .map(({ metadata: { name = '' } }) => ({ name, reason: 'its duration is over an hour' }));
}

/** How keys are divided, as written in the Lease. */
function generationOf({ groups, by }: Pick<ShardingOptions, 'groups' | 'by'>): string {
  return `sharded/${groups}/${by}`;
}
