/** Replicas that come, go, die and lose their Leases in any order, while objects change. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { configMaps, secrets } from '../../../operator/kubernetes.ts';
import { ownersIn } from '../../../operator/model/object.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { OUTAGE, Place, type Replica } from '../leader/replica.ts';
import {
  GROUPS,
  groupsOf,
  mirrored,
  parent,
  pass,
  sharer,
  writtenWithoutLease,
} from './sharded-place.ts';

const PARENTS = 16;
const MOST_REPLICAS = 4;

type Step =
  | { readonly kind: 'join' | 'stop' | 'crash' | 'outage' | 'outage ends' | 'deletes all Leases' }
  | { readonly kind: 'deletes' | 'empties' | 'change' | 'recreate'; readonly which: number }
  | { readonly kind: 'passes'; readonly ms: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constantFrom('join', 'stop', 'crash', 'outage', 'outage ends', 'deletes all Leases'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('deletes', 'empties', 'change', 'change', 'recreate'),
      which: fc.nat({ max: 1_000 }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ kind: fc.constant('passes'), ms: fc.integer({ min: 200, max: 9_000 }) }),
  },
);

/** What a sequence of steps does to a set of replicas. */
class World {
  readonly place: Place;
  readonly running: Replica[] = [];
  readonly texts = new Map<string, string>();
  #joined = 0;
  #changes = 0;

  constructor(place: Place) {
    this.place = place;
  }

  async do(each: Step): Promise<void> {
    const { env, namespace } = this.place;
    const [first] = this.running;
    switch (each.kind) {
      case 'join':
        if (this.running.length < MOST_REPLICAS) await this.join();
        return;
      case 'stop':
        if (this.running.length < 2 || first === undefined) return;
        first.gate = {};
        this.running.shift();
        await Promise.all([first.operator.stop(), pass(this.place, 12_000)]);
        return;
      case 'crash':
        if (this.running.length < 2 || first === undefined) return;
        this.running.shift();
        await first.operator.kill();
        return;
      case 'outage':
        if (first !== undefined) first.gate = OUTAGE;
        return;
      case 'outage ends':
        for (const replica of this.running) replica.gate = {};
        return;
      case 'passes':
        await this.collect();
        await pass(this.place, each.ms);
        return;
      case 'change':
        await this.#change(each.which % PARENTS);
        return;
      case 'recreate':
        await env.delete('v1', 'ConfigMap', namespace, nameOf(each.which % PARENTS));
        await this.#change(each.which % PARENTS);
        return;
      default:
        for (const name of await this.#leases(each)) {
          if (each.kind === 'empties') {
            await env.patch(...LEASE, namespace, name, { spec: { holderIdentity: null } });
          } else await env.delete(...LEASE, namespace, name);
        }
    }
  }

  async join(): Promise<void> {
    this.running.push(await sharer(this.place, `r${this.#joined++}`));
  }

  /** What the garbage collector does. */
  async collect(): Promise<void> {
    const { env, namespace } = this.place;
    const uids = (await env.list(configMaps, namespace)).map(({ metadata: { uid } }) => uid);
    for (const { metadata } of await env.list(secrets, namespace)) {
      if (uids.includes(ownersIn(metadata)[0]?.uid)) continue;
      await env.delete('v1', 'Secret', namespace, metadata.name ?? '');
    }
  }

  async #leases(each: Step): Promise<readonly string[]> {
    const found = await this.place.env.list(...LEASE, this.place.namespace);
    const names = found.map(({ metadata: { name = '' } }) => name);
    const one = names['which' in each ? each.which % names.length : 0];
    return 'which' in each ? [one ?? []].flat() : names;
  }

  async #change(index: number): Promise<void> {
    const change = String(this.#changes++);
    this.texts.set(nameOf(index), JSON.stringify({ change }));
    await this.place.env.apply(parent(this.place, nameOf(index), { change }));
  }
}

const LEASE = ['coordination.k8s.io/v1', 'Lease'] as const;
const nameOf = (index: number): string => `parent-${index}`;

test("after random events each child is up to date, and only replicas that hold the group's Lease have written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 24 }), async (steps) => {
      const world = new World(await Place.start());
      const { place, running, texts } = world;
      for (let index = 0; index < PARENTS; index++) {
        await place.env.create(parent(place, nameOf(index)));
        texts.set(nameOf(index), '{}');
      }
      await world.join();
      await world.join();
      await pass(place, 20_000);

      for (const each of steps) await world.do(each);
      await world.do({ kind: 'outage ends' });
      const isLevel = (): boolean => {
        const held = running.map((each) => groupsOf(each));
        const isAll = held.reduce((sum, each) => sum + each, 0) === GROUPS;
        return isAll && Math.max(...held) - Math.min(...held) <= 1;
      };
      expect(await place.until(isLevel, 90_000)).toBe(true);
      await world.collect();
      // A replica that learns only after an outage that its Leases are gone takes them again later than 30 s.
      await pass(place, 120_000);

      expect(writtenWithoutLease(place)).toEqual([]);
      const found = [...(await mirrored(place))].map(([name, { of }]) => [name, of]);
      expect(new Map(found as [string, string][])).toEqual(texts);
      for (const { operator } of running) await operator.kill();
    }),
    propertyRuns(0.01),
  );
});
