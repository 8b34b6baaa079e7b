/** A transform that fails for some objects, under a manager: their keys fail alone, and the log names them. */

import { advanceUntil } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import { FakeCollection, type Thing } from '../support/fake-collection.ts';
import { World } from './world.ts';

const HUSH = 'hush-hush';
const things = defineResource<Thing>({
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});

/** A world whose transform fails for objects with a negative value. */
function worldOf(collection: FakeCollection) {
  const seen: string[] = [];
  const reconciles = controller({
    name: 'things',
    for: source<Thing>(things, {
      namespace: 'all',
      transform: (thing) => {
        if (thing.value < 0) throw new Error(`${HUSH} ${thing.value}`);
        return thing;
      },
    }),
    reconcile: async (object, { key }) => {
      seen.push(`${key}=${object.value}`);
    },
  });
  const sources = { things: collection as unknown as ListWatch<KubernetesObject> };
  return { seen, world: new World([reconciles], {}, { sources }) };
}

const told = ({ lines }: World) =>
  lines.filter(({ message }) => message === 'transform failed, the object cannot be read');

test('[L-17] [attack A-1] while a transform fails for one object, all others are reconciled; later that object is, too', async () => {
  const collection = new FakeCollection();
  collection.put('a', -1);
  collection.put('b', 2);
  const { seen, world } = worldOf(collection);
  await world.start();
  await advanceUntil(world.clock, () => seen.includes('demo/b=2'), { withinMs: 60_000 });
  collection.put('b', -2); // it was read, and cannot be any more
  collection.put('c', 3);
  await advanceUntil(world.clock, () => seen.includes('demo/c=3'), { withinMs: 60_000 });
  await world.clock.advanceAndSettle(60_000);
  const meanwhile = [...seen];
  const failed = world.lines.filter(({ message }) => message === 'reconcile failed');

  collection.put('a', 1);
  collection.put('b', 4);
  const all = () => seen.includes('demo/a=1') && seen.includes('demo/b=4');
  await advanceUntil(world.clock, all, { withinMs: 60_000 });

  expect(meanwhile).toEqual(['demo/b=2', 'demo/c=3']);
  expect(new Set(failed.map(({ fields }) => fields.key))).toEqual(new Set(['demo/a', 'demo/b']));
  expect(told(world)).toMatchObject([
    { level: 'error', fields: { key: 'demo/a' } },
    { level: 'error', fields: { key: 'demo/b' } },
  ]);
  expect(world.meter.value('chancery_transform_errors_total')).toBe(2);
  expect(collection.lists).toHaveLength(1);
  expect(JSON.stringify(world.lines)).not.toContain(HUSH);
});

test('[attack A-1] a transform that fails for every object causes at most 20 log lines an hour', async () => {
  const collection = new FakeCollection();
  for (let each = 0; each < 30; each++) collection.put(`t${each}`, -1);
  const { world } = worldOf(collection);
  await world.start();
  await world.clock.advanceAndSettle(1_000);
  const first = told(world).length;

  await world.clock.advanceAndSettle(61 * 60_000);
  for (let each = 0; each < 30; each++) collection.put(`t${each}`, -2);
  await world.clock.advanceAndSettle(1_000);

  expect(first).toBe(20);
  expect(told(world)).toHaveLength(40);
  expect(world.meter.value('chancery_transform_errors_total')).toBeGreaterThanOrEqual(60);
});
