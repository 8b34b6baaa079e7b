/** Keys that wait for a name which somebody else's object has. */

import { FakeClock, startOperator } from '@chancery/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Stored } from '../../operator/client/client.ts';
import { clientOf } from '../../operator/client/client-of.ts';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { type ControllerOptions, controller } from '../../operator/controller/controller.ts';
import { TakenNames } from '../../operator/controller/policies/taken-names.ts';
import { source } from '../../operator/controller/source.ts';
import { type ConfigMap, configMaps, deployments } from '../../operator/model/builtin.ts';
import { Entry } from '../../operator/model/entry.ts';
import {
  controllerOf,
  type KubernetesObject,
  type ObjectKey,
  objectKey,
} from '../../operator/model/object.ts';
import { ApiError } from '../../operator/model/status.ts';
import { Added, type Change, Deleted } from '../../operator/store/change.ts';
import type { SharedInformer } from '../../operator/store/shared-informer.ts';
import { ControllerBench, others, things } from '../support/controller-bench.ts';
import type { Thing } from '../support/fake-collection.ts';
import { type Site, type SitesTest, sites, startSites } from '../support/sites.ts';

const OTHER = { apiVersion: 'v1', kind: 'Node', name: 'other' };

function ownedBy(uid: string): Partial<KubernetesObject['metadata']> {
  return { ownerReferences: [{ ...OTHER, uid, controller: true }] };
}

describe('a Site whose child has the name of another object', () => {
  /** Sites that make a ConfigMap of their name, and are content when they may not. */
  async function start(more: Partial<ControllerOptions<Site>> = {}) {
    const place = await startSites();
    const { env, namespace } = place;
    const outcomes: string[] = [];
    const operate = () =>
      place.operate(async (site, { applyOwned }) => {
        try {
          await applyOwned(configMaps, {
            metadata: { name: 'a', labels: { ours: 'yes' } },
            data: { of: site.metadata.name },
          });
          const has = `${site.metadata.name} has it`;
          if (!outcomes.includes(has)) outcomes.push(has); // its own child wakes it as well
        } catch (error) {
          outcomes.push(`${site.metadata.name}: ${(error as Error).name}`);
        }
      }, more);
    const foreign = (metadata: object = {}): Promise<ConfigMap> =>
      env.create({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'a', namespace, ...metadata },
      });
    const patch = (metadata: object): Promise<unknown> =>
      env.patch('v1', 'ConfigMap', namespace, 'a', { metadata });
    const remove = (): Promise<unknown> => env.delete('v1', 'ConfigMap', namespace, 'a');
    return { ...place, outcomes, operate, foreign, patch, remove };
  }

  const settled = ({ env }: SitesTest) => env.advance(1_000);

  test.each([
    ['no controller', {}],
    ['another controller', ownedBy('u9')],
  ])("[K-45] if an object of %s has the child's name, the child is created when the object is deleted", async (_, metadata) => {
    const place = await start();
    await place.foreign(metadata);
    await place.createSite('one');
    await place.operate();
    await place.patch({ labels: { busy: 'yes' } });
    await settled(place);
    const before = [...place.outcomes];

    await place.remove();
    await settled(place);

    expect(before).toEqual(['one: AlreadyOwnedError']);
    expect(place.outcomes).toEqual([...before, 'one has it']);
  });

  test("[K-45] if an object with the child's name is being deleted, the child is created afterwards", async () => {
    const place = await start();
    await place.foreign({ finalizers: ['example.dev/held'] });
    await place.remove();
    await place.createSite('one');
    await place.operate();

    await place.patch({ finalizers: null });
    await settled(place);

    expect(place.outcomes).toEqual(['one: BeingDeletedError', 'one has it']);
  });

  test("[K-45] a taken name is reported again only if the other object's controller changes", async () => {
    const place = await start();
    await place.foreign(ownedBy('u9'));
    const one = await place.createSite('one');
    await place.operate();

    await place.patch(ownedBy('u10'));
    await settled(place);
    const between = [...place.outcomes];
    const { name, uid = '' } = one.metadata;
    const reference = { apiVersion: 'example.dev/v1', kind: 'Site', name, uid, controller: true };
    await place.patch({ ownerReferences: [reference] });
    await place.env.advance(60_000);

    expect(between).toEqual(['one: AlreadyOwnedError', 'one: AlreadyOwnedError']);
    expect(place.outcomes).toEqual([...between, 'one has it']);
  });

  test('[K-45] if several owners wait for a name, one owner gets it, and each of the other owners is reported once', async () => {
    const place = await start();
    await place.foreign();
    for (const name of ['one', 'two', 'three']) await place.createSite(name);
    await place.operate();
    place.outcomes.length = 0;

    await place.remove();
    await place.env.advance(60_000);

    expect(place.outcomes.filter((each) => each.endsWith('has it'))).toHaveLength(1);
    expect(place.outcomes.filter((each) => each.endsWith('Error'))).toHaveLength(2);
  });

  test("[K-45] when the name of a composite's child becomes free, no back-off delays the creation of the child", async () => {
    const place = await start();
    const { clock, env, namespace } = place;
    await place.foreign();
    await place.createSite('one');
    const declared = composite<Site>({
      name: 'sites',
      parent: sites,
      children: [configMaps],
      sync: () => ({ children: [child(configMaps, { metadata: { name: 'a' } })] }),
    });
    const operator = startOperator({ url: env.url, namespace, clock, controllers: [declared] });
    onTestFinished(() => operator.stop());
    await env.advance(10 * 60_000);

    await place.remove();
    await settled(place);

    const made = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
    expect(made && controllerOf(made)).toMatchObject({ kind: 'Site', name: 'one' });
  });

  test("[K-45] when a child's name becomes free, the child is created, even if a predicate drops every change", async () => {
    const owns = [{ source: source(configMaps), predicate: () => false }];
    const place = await start({ owns });
    await place.foreign();
    await place.createSite('one');
    await place.operate();

    await place.remove();
    await settled(place);

    expect(place.outcomes).toEqual(['one: AlreadyOwnedError', 'one has it']);
  });

  test("[K-45] if no source selects the object with the child's name, that object is read again at growing intervals", async () => {
    const owns = [source(configMaps, { labelSelector: 'ours=yes' })];
    const place = await start({ owns });
    await place.foreign();
    await place.createSite('one');
    await place.operate();
    await place.env.advance(10 * 60_000);
    const looks = place.outcomes.length;

    await place.remove();
    await place.env.advance(10 * 60_000);

    expect(looks).toBeGreaterThan(2); // at once, and after 60, 120, 240 s
    expect(looks).toBeLessThan(7);
    expect(place.outcomes.at(-1)).toBe('one has it');
  });
});

test('when a controller ends, its keys no longer wait for taken names', async () => {
  const theirs: Thing = {
    apiVersion: 'example.dev/v1',
    kind: 'Thing',
    metadata: { name: 'a', namespace: 'demo', uid: 'u1', resourceVersion: '500' },
    value: 0,
  };
  const client = clientOf(async ({ verb }) => {
    if (verb === 'create') throw new ApiError({ code: 409, reason: 'AlreadyExists' });
    return theirs as Stored<Thing>;
  });
  const refused: string[] = [];
  const bench = new ControllerBench(
    {
      owns: [others],
      reconcile: async (_thing, { key, applyOwned }) => {
        await applyOwned(others, { metadata: { name: 'a' }, value: 1 }).catch((error: Error) =>
          refused.push(`${key}: ${error.name}`),
        );
      },
    },
    { client },
  );
  bench.collection(things).put('one');
  await bench.run();
  const waiting = bench.clock.pending;

  await bench.drain();

  expect(refused).toEqual(['demo/one: AlreadyOwnedError']);
  expect(bench.clock.pending).toBeLessThan(waiting);
});

/** What a cache shows of one object, and how far it is. */
class FakeCache {
  shown: ConfigMap | undefined;
  resourceVersion = '1';

  cached(): Entry<ConfigMap> | undefined {
    return this.shown && Entry.of(this.shown);
  }
}

const CHILD: ConfigMap = {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'a', namespace: 'demo' },
};

function state(uid: string, version: number, more: object = {}): ConfigMap {
  const metadata = { ...CHILD.metadata, uid, resourceVersion: String(version), ...more };
  return { ...CHILD, metadata };
}

const KEY = objectKey('demo', 'one');

describe('waiting for a taken name', () => {
  function start() {
    const clock = new FakeClock();
    const cache = new FakeCache();
    const owned = source(configMaps);
    const again: [number, ObjectKey, number][] = [];
    const waits = new TakenNames({
      clock,
      controller: controller({
        name: 'a',
        for: deployments,
        owns: [owned],
        reconcile: async () => {},
      }),
      informers: new Map([[owned, cache as unknown as SharedInformer<KubernetesObject>]]),
      enqueue: (key, priority) => again.push([clock.monotonic(), key, priority]),
    });
    onTestFinished(() => {
      waits.stop();
      expect(clock.pending).toBe(0);
    });
    const attempt = (by?: ConfigMap, key = KEY): void => {
      waits.started(key);
      waits.refused(key, configMaps, CHILD, by);
      waits.finished(key);
    };
    const quiet = (key = KEY): void => {
      waits.started(key);
      waits.finished(key);
    };
    const tell = (change: Change): readonly ObjectKey[] => waits.freedBy(configMaps, change);
    const added = (object: ConfigMap) => tell(new Added(Entry.of(object), false));
    const deleted = (object: ConfigMap) => tell(new Deleted(Entry.of(object), false));
    return { added, again, attempt, cache, clock, deleted, quiet, waits };
  }

  test('if the object with the taken name is in the cache, no timer is needed', () => {
    const { attempt, cache, clock, deleted } = start();
    cache.shown = state('u1', 5);

    attempt(state('u1', 5));
    const pending = clock.pending;

    expect([pending, deleted(state('u1', 6))]).toEqual([0, [KEY]]);
  });

  test.each<[string, (cache: FakeCache) => void]>([
    ['has gone', () => {}],
    [
      'has changed its controller',
      (cache) => {
        cache.shown = state('u1', 8, ownedBy('u9'));
      },
    ],
    [
      'has another uid',
      (cache) => {
        cache.shown = state('u2', 9);
      },
    ],
  ])('if the object with the taken name %s meanwhile, one attempt is made at once', (_, happen) => {
    const { again, attempt, cache, clock } = start();
    cache.resourceVersion = '9';
    happen(cache);

    attempt(state('u1', 5));
    clock.advance(0);
    attempt(state('u1', 5)); // such a cache may be wrong
    clock.advance(29_999);

    expect(again).toEqual([[0, KEY, 0]]);
  });

  test('if the object with the taken name is already gone, one attempt is made at once', () => {
    const { again, attempt, clock } = start();

    attempt(undefined);
    clock.advance(0);

    expect(again).toEqual([[0, KEY, 0]]);
  });

  test('if the object with the taken name reaches the cache later, it is not read', () => {
    const { added, again, attempt, cache, clock, deleted } = start();
    cache.resourceVersion = '4';
    attempt(state('u1', 5));

    const freed = added(state('u1', 5));
    clock.advance(120_000);

    expect([freed, again]).toEqual([[], []]);
    expect(deleted(state('u1', 6))).toEqual([KEY]);
  });

  test('a new attempt is made when the controller or uid of the object in the cache changes', () => {
    for (const object of [state('u1', 7, ownedBy('u9')), state('u2', 7)]) {
      const { added, attempt } = start();
      attempt(state('u1', 5));

      expect(added(object)).toEqual([KEY]);
    }
  });

  test('an older state of the object in the cache causes no attempt', () => {
    const { added, attempt } = start();
    attempt(state('u1', 5));

    expect(added(state('u1', 3, ownedBy('u9')))).toEqual([]);
  });

  test('an object that never reaches the cache is checked after 30 s, and then at growing intervals', () => {
    const { again, attempt, clock } = start();
    for (const seconds of [30, 60, 120, 240, 480, 960, 1_000, 1_000]) {
      attempt(state('u1', 5));
      clock.advance(seconds * 1_000);
    }

    const at = again.map(([ms]) => ms / 1_000);
    expect(at).toEqual([30, 90, 210, 450, 930, 1_890, 2_890, 3_890]);
    expect(new Set(again.map(([, , priority]) => priority))).toEqual(new Set([-100]));
  });

  test('when an attempt succeeds, the key no longer waits for the name', () => {
    const { again, attempt, clock, deleted, quiet } = start();
    attempt(state('u1', 5));

    quiet();
    clock.advance(60_000);

    expect([deleted(state('u1', 6)), again]).toEqual([[], []]);
  });

  test("a change of the object that has the child's name is noticed even during an attempt", () => {
    const { deleted, waits } = start();
    waits.started(KEY);
    waits.refused(KEY, configMaps, CHILD, state('u1', 5));

    expect(deleted(state('u1', 6))).toEqual([KEY]);
    waits.finished(KEY);
  });

  test('after a change has enqueued a waiting key, the next change does not enqueue it', () => {
    const { attempt, cache, deleted } = start();
    cache.shown = state('u1', 5);
    attempt(cache.shown);

    expect([deleted(state('u1', 6)), deleted(state('u1', 6))]).toEqual([[KEY], []]);
  });

  test('a key does not wait for a taken name if the controller does not own the resource', () => {
    const { clock, waits } = start();

    waits.refused(KEY, deployments, CHILD, state('u1', 5));

    expect(clock.pending).toBe(0);
  });

  test('at most 10,000 keys wait for names, and then the oldest key is dropped', () => {
    const { attempt, cache, deleted } = start();
    cache.shown = state('u1', 5);
    for (let index = 0; index <= 10_000; index++)
      attempt(cache.shown, objectKey('demo', `k${index}`));

    const freed = new Set(deleted(state('u1', 6)));

    expect([freed.size, freed.has(objectKey('demo', 'k0'))]).toEqual([10_000, false]);
  });
});
