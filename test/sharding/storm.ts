/** Replicas that share the work, as processes, while faults come and objects change. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { KubernetesObject } from '../../operator/model/object.ts';
import type { Random } from '../convergence/random.ts';
import { type Replica, Replicas } from '../leadership/replicas.ts';
import { judge, mirroring, type Verdict } from './judge.ts';
import { Recorder } from './server-log.ts';

export interface StormOptions {
  readonly replicas: number;
  readonly objects: number;
  readonly groups: number;
  readonly seconds: number;
  /** A fault comes so often. */
  readonly everySeconds: number;
  readonly random: Random;
  readonly progress?: (line: string) => void;
}

export interface StormReport extends Verdict {
  readonly faults: Readonly<Record<Fault, number>>;
  readonly changes: number;
  readonly writes: number;
  /** How often a group got another holder. */
  readonly handOvers: number;
  /** Replicas that ended by themselves. */
  readonly ended: readonly string[];
  /** How long the process of the API server did not run at most: a machine with too much work. */
  readonly stalledMs: number;
}

/**
 * - `kill`: SIGKILL; another process of that name starts after 2 s, or after 20 s.
 * - `freeze`: SIGSTOP, and SIGCONT after half a lease to two leases.
 * - `silent proxy`: its requests are not answered for two leases.
 * - `dead proxy`: its connections break, and new ones are refused, for two leases.
 */
export const FAULTS = ['kill', 'freeze', 'silent proxy', 'dead proxy'] as const;
export type Fault = (typeof FAULTS)[number];

/** Of the Leases of groups. Eight processes on two cores are late at times. */
export const TIMING = { leaseSeconds: 10, renewDeadlineSeconds: 6, retryPeriodSeconds: 2 } as const;

/**
 * How long a group may be without an owner after one failure: a lease, five looks at the Leases, each a tenth later
 * than the period says (the last renewal is seen, the Lease is seen to be old, and a replica that is not preferred waits
 * for three more), and two seconds for the requests of these looks and the claim.
 */
export const UNOWNED_BOUND_MS =
  (TIMING.leaseSeconds + 5 * 1.1 * TIMING.retryPeriodSeconds + 2) * 1_000;

const LEASE_MS = TIMING.leaseSeconds * 1_000;
const RESTART_MS = [2_000, 20_000];
const CHANGE_EVERY_MS = 50;
const SETTLED_WITHIN_MS = 240_000;
/** Of the objects, one in so many changes once more when all is quiet. */
const AT_REST = 10;
const LOOK_MS = 500;
/** So many replicas always work. */
const LEFT = 2;
/** A replica that takes no group for so long after its fault is left alone, because the others have them all. */
const BACK_WITHIN_MS = 4 * LEASE_MS;

export async function storm(options: StormOptions): Promise<StormReport> {
  await using place = await Replicas.start(settings(options.groups));
  return await new Storm(place, options).run();
}

/** The module of the replicas and their variables. */
export function settings(groups: number): {
  readonly module: string;
  readonly environment: Readonly<Record<string, string>>;
} {
  return {
    module: '../../sharding/modules/mirror.ts',
    environment: {
      CHANCERY_SHARDS: String(groups),

      CHANCERY_SHARD_RETRY_PERIOD: String(TIMING.retryPeriodSeconds),
      CHANCERY_LEASE_DURATION: String(TIMING.leaseSeconds),
      CHANCERY_LEASE_RENEW_DEADLINE: String(TIMING.renewDeadlineSeconds),
    },
  };
}

/** An object that the replicas mirror. */
export function mirrored(name: string, text: string): KubernetesObject & { readonly data: object } {
  const labels = { app: 'mirrored' };
  const metadata = { namespace: 'demo', name, labels };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { text } };
}

class Storm {
  readonly #place: Replicas;
  readonly #options: StormOptions;
  readonly #recorder: Recorder;
  readonly #well = new Map<string, Replica>();
  readonly #killed = new Set<Replica>();
  readonly #ended: string[] = [];
  readonly #faults: Record<Fault, number> = {
    kill: 0,
    freeze: 0,
    'silent proxy': 0,
    'dead proxy': 0,
  };
  #changes = 0;

  constructor(place: Replicas, options: StormOptions) {
    this.#place = place;
    this.#options = options;
    this.#recorder = new Recorder(place, options.groups);
  }

  async run(): Promise<StormReport> {
    const { objects, replicas, seconds } = this.#options;
    for (let index = 0; index < objects; index++) {
      this.#place.server.create(mirrored(`p${index}`, 'new'));
    }
    const names = Array.from({ length: replicas }, (_, index) => `r${index}`);
    for (const [name, replica] of await Promise.all(
      names.map(async (each) => [each, await this.#start(each)] as const),
    )) {
      this.#well.set(name, replica);
    }
    const unseen = await this.#settled();
    if (unseen > 0) throw new Error(`before any fault, ${unseen} objects had no mirror`);

    const fromMs = performance.now();
    const untilMs = fromMs + seconds * 1_000;
    const delay = monitorEventLoopDelay({ resolution: 10 });
    delay.enable();
    await Promise.all([this.#change(untilMs), this.#break(untilMs)]);
    await this.#settled();
    // A watch that has missed a change may have been mended by a hand-over. Now there are none.
    for (let index = 0; index < objects; index += AT_REST) this.#changeOne(`p${index}`);
    await this.#settled();
    delay.disable();
    const log = this.#recorder.log(fromMs);
    return {
      faults: this.#faults,
      changes: this.#changes,
      writes: log.writings.length,
      handOvers: handOvers(log.commits),
      ended: [...this.#ended],
      stalledMs: Math.round(delay.max / 1e6),
      ...judge(log),
    };
  }

  async #start(name: string): Promise<Replica> {
    const replica = await this.#place.replica(name);
    void replica.exit.then((exit) => {
      if (!this.#killed.has(replica)) this.#ended.push(`${name}: ${exit}`);
    });
    return replica;
  }

  /** Resolves when every mirror shows the last change, or not within four minutes; to how many do not. */
  async #settled(): Promise<number> {
    const untilMs = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const { missed } = mirroring({ commits: this.#recorder.commits, fromMs: 0, toMs: 0 });
      if (missed.length === 0 || performance.now() > untilMs) return missed.length;
      await pause(LOOK_MS);
    }
  }

  async #change(untilMs: number): Promise<void> {
    const { objects, random } = this.#options;
    while (performance.now() < untilMs) {
      this.#changeOne(`p${random.between(0, objects)}`);
      await pause(CHANGE_EVERY_MS);
    }
  }

  #changeOne(name: string): void {
    const text = `change ${++this.#changes}`;
    this.#place.server.patch('v1', 'ConfigMap', 'demo', name, { data: { text } });
  }

  /** Resolves when the last fault is healed. */
  async #break(untilMs: number): Promise<void> {
    const { everySeconds, progress, random } = this.#options;
    const healing: Promise<void>[] = [];
    while (performance.now() < untilMs) {
      const name = random.pick([...this.#well.keys()]);
      const fault = random.pick(FAULTS);
      const replica = this.#well.get(name);
      if (replica !== undefined && this.#well.size > LEFT) {
        this.#faults[fault] += 1;
        this.#well.delete(name);
        healing.push(this.#suffer(fault, name, replica).then((back) => this.#recover(name, back)));
        progress?.(`${fault} ${name}: ${this.#well.size} replicas are left`);
      }
      await pause(everySeconds * 1_000);
    }
    await Promise.all(healing);
  }

  /**
   * A replica counts as well when it has a group again: until then it may not have watched the Leases for as long as they
   * last, and the others need somebody who has.
   */
  async #recover(name: string, replica: Replica): Promise<void> {
    const untilMs = performance.now() + BACK_WITHIN_MS;
    while (!this.#recorder.holders.has(name) && performance.now() < untilMs) await pause(LOOK_MS);
    this.#well.set(name, replica);
  }

  /** Resolves to the replica after the fault, which another process may be. */
  async #suffer(fault: Fault, name: string, replica: Replica): Promise<Replica> {
    const { random } = this.#options;
    if (fault === 'kill') {
      this.#killed.add(replica);
      replica.kill('SIGKILL');
      await replica.exit;
      await pause(random.pick(RESTART_MS));
      return this.#start(name);
    }
    if (fault === 'freeze') {
      replica.kill('SIGSTOP');
      await pause(random.between(LEASE_MS / 2, 2 * LEASE_MS));
      replica.kill('SIGCONT');
    } else if (fault === 'silent proxy') {
      replica.gate = { before: () => 'hold' };
      await pause(2 * LEASE_MS);
      replica.gate = {};
    } else {
      await replica.disconnect();
      await pause(2 * LEASE_MS);
      await replica.connect();
    }
    return replica;
  }
}

function handOvers(commits: Recorder['commits']): number {
  const holders = new Map<number, string>();
  let count = 0;
  for (const commit of commits) {
    if (commit.kind !== 'lease' || commit.holder === undefined) continue;
    const before = holders.get(commit.group);
    if (before !== undefined && before !== commit.holder) count++;
    holders.set(commit.group, commit.holder);
  }
  return count;
}
