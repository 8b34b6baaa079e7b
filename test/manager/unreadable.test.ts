/** An object that is no JSON, under a manager: its controller fails alone, and the log says no word of it. */

import { advanceUntil } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../operator/controller/controller.ts';
import { source } from '../../operator/controller/source.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { defineResource } from '../../operator/model/resource.ts';
import type { ListWatch } from '../../operator/watch/list-watch.ts';
import type { Thing } from '../support/fake-collection.ts';
import { HUSH, TextCollection } from '../support/text-collection.ts';
import { World } from './world.ts';

const things = defineResource<Thing>({
  group: '',
  version: 'v1',
  plural: 'things',
  kind: 'Thing',
  namespaced: true,
});

test('while one object is unreadable, every controller reconciles all others; later it reconciles that object, too', async () => {
  const told: Record<string, string[]> = { one: [], other: [] };
  const named = (name: string) =>
    controller({
      name,
      for: source(things, { namespace: 'all' }),
      reconcile: async (object, { key }) => {
        told[name]?.push(`${key}=${object.value}`);
      },
    });
  const collection = new TextCollection();
  collection.put('a', 1, { managedFields: [{ manager: 'x' }] });
  collection.put('b', 2);
  collection.broken.add('a');
  const sources = { things: collection as unknown as ListWatch<KubernetesObject> };
  const world = new World([named('one'), named('other')], {}, { sources });
  await world.start();
  await world.clock.advanceAndSettle(1_000);
  collection.broken.add('c');
  collection.put('c', 3);
  collection.put('d', 4);
  const fourth = () => Object.values(told).every((keys) => keys.includes('demo/d=4'));
  await advanceUntil(world.clock, fourth, { withinMs: 120_000 });
  await world.clock.advanceAndSettle(5_000);
  const before = { one: [...(told.one ?? [])], other: [...(told.other ?? [])] };
  const listsWhileBroken = collection.lists.length;

  collection.broken.clear();
  const all = () => Object.values(told).every((keys) => new Set(keys).size === 4);
  await advanceUntil(world.clock, all, { withinMs: 120_000 });

  const whole = ['demo/b=2', 'demo/d=4'];
  expect(before).toEqual({ one: whole, other: whole });
  for (const each of [told.one, told.other]) {
    expect(new Set(each)).toEqual(new Set(['demo/a=1', 'demo/b=2', 'demo/c=3', 'demo/d=4']));
  }
  expect(listsWhileBroken).toBeLessThan(8);
  expect(world.meter.value('chancery_decode_errors_total')).toBeGreaterThan(0);
  expect(world.lines.some(({ level }) => level === 'error' || level === 'warn')).toBe(true);
  expect(JSON.stringify(world.lines)).not.toContain(HUSH);
});
