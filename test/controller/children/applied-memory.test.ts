/** How many objects the memory of what was applied holds, and what it drops. */

import { configMap } from '@chancery/testing';
import { expect, test } from 'vitest';
import { AppliedMemory } from '../../../operator/controller/children/applied-memory.ts';
import { enginePartsOf } from '../../../operator/controller/children/engine-parts.ts';
import { configMaps, secrets } from '../../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../../operator/model/object.ts';
import { startSites } from '../../support/sites.ts';

const stated = (at: number) => configMap(`c-${at}`, { namespace: 'n', data: { at: `${at}` } });

function stored(at: number, resourceVersion = `${1_000 + at}`): KubernetesObject {
  const object = stated(at);
  const metadata = { ...object.metadata, uid: `uid-${at}`, resourceVersion };
  return { ...object, metadata };
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test('[child 6] AppliedMemory remembers every applied object of a cached resource until it is gone', () => {
  const memory = new AppliedMemory();
  memory.follow(configMaps);
  const all = numbers(30_000);
  for (const at of all) memory.remember(configMaps, stored(at), stated(at));

  const known = all.filter((at) => memory.isApplied(configMaps, stored(at), stated(at)));
  for (const at of all) if (at % 2 === 0) memory.forget(`uid-${at}`);
  const left = all.filter((at) => memory.lastWrite(stored(at)) !== undefined);

  expect(known).toHaveLength(all.length);
  expect(left).toEqual(all.filter((at) => at % 2 === 1));
});

test('[child 6] AppliedMemory remembers the last 10,000 applied objects of resources without a cache', () => {
  const memory = new AppliedMemory();
  memory.follow(secrets);
  for (const at of numbers(10_003)) memory.remember(configMaps, stored(at), stated(at));

  const forgotten = numbers(10_003).filter(
    (at) => !memory.isApplied(configMaps, stored(at), stated(at)),
  );

  expect(forgotten).toEqual([0, 1, 2]);
});

test('[child 6] AppliedMemory remembers the last 10,000 objects that are applied after they left the cache', () => {
  const memory = new AppliedMemory();
  memory.follow(configMaps);
  for (const at of numbers(10_003)) {
    memory.remember(configMaps, stored(at), stated(at));
    memory.forget(`uid-${at}`);
    memory.remember(configMaps, stored(at), stated(at));
  }

  const forgotten = numbers(10_003).filter((at) => memory.lastWrite(stored(at)) === undefined);

  expect(forgotten).toEqual([0, 1, 2]);
});

test('[child 6] AppliedMemory treats an object that reappears in the cache like any cached object', () => {
  const memory = new AppliedMemory();
  memory.follow(configMaps);
  memory.forget('uid-0');
  memory.cached('uid-0');
  for (const at of numbers(10_003)) memory.remember(configMaps, stored(at), stated(at));
  for (const at of numbers(10_003)) memory.remember(secrets, stored(20_000 + at), stated(at));

  expect(memory.lastWrite(stored(0))).toBe('apply');
});

test('[child 6] AppliedMemory remembers an applied status as long as it remembers the object', () => {
  const memory = new AppliedMemory();
  memory.follow(configMaps);
  const status = { ...stated(1), status: { pages: 1 } } as KubernetesObject;
  memory.remember(configMaps, stored(1), stated(1));
  memory.remember(configMaps, { ...stored(1), status: { pages: 1 } } as never, status, {
    part: 'status',
  });

  const isKnown = () => [
    memory.isApplied(configMaps, stored(1), stated(1)),
    memory.isApplied(configMaps, stored(1), status, 'status'),
    memory.isBehind(stored(1, '7'), 'status'),
  ];
  const before = isKnown();
  memory.forget('uid-1');

  expect([before, isKnown()]).toEqual([
    [true, true, true],
    [false, false, false],
  ]);
});

test.each<[string, (text: string) => object]>([
  ['an applied field', (text) => ({ data: { at: text } })],
  ['a label', (text) => ({ metadata: { labels: { tier: text } } })],
])('[child 6] a child with another value of %s is applied again, whatever its newer version', (_, part) => {
  const memory = new AppliedMemory();
  memory.follow(configMaps);
  const of = (text: string, resourceVersion: string) => {
    const { metadata, ...more } = part(text) as { metadata?: object };
    const known = stored(1, resourceVersion);
    return { ...known, ...more, metadata: { ...known.metadata, ...metadata } };
  };
  const { metadata, ...more } = part('ours') as { metadata?: object };
  const wanted = { ...stated(1), ...more, metadata: { ...stated(1).metadata, ...metadata } };
  memory.remember(configMaps, of('ours', '5'), wanted);

  const applied = ['5', '6', '7'].map((version) =>
    memory.isApplied(configMaps, of('ours', version), wanted),
  );

  expect(applied).toEqual([true, true, true]);
  expect(memory.isApplied(configMaps, of('theirs', '8'), wanted)).toBe(false);
});

test('[child 6] a controller forgets a child that has left its cache', async () => {
  const { env, namespace, createSite, operate } = await startSites();
  let memory: AppliedMemory | undefined;
  await operate(async (site, context) => {
    memory = enginePartsOf(context)?.memory;
    const { text } = site.spec;
    if (text === 'none') return;
    await context.applyOwned(configMaps, { metadata: { name: 'leaf' }, data: { text } });
    await context.setStatus({ note: text });
  });
  const site = await createSite('tree');
  await env.settled();
  const leaf = await env.get(configMaps, namespace, 'leaf');
  const isKnown = () => [
    memory?.lastWrite(leaf ?? expect.unreachable()) !== undefined,
    memory?.isBehind({ ...site, metadata: { ...site.metadata, resourceVersion: '1' } }, 'status'),
  ];
  const before = isKnown();

  await env.patch('example.dev/v1', 'Site', namespace, 'tree', { spec: { text: 'none' } });
  await env.settled();
  await env.delete('v1', 'ConfigMap', namespace, 'leaf');
  await env.settled();
  const withoutLeaf = isKnown();
  await env.delete('example.dev/v1', 'Site', namespace, 'tree');
  await env.settled();

  expect([before, withoutLeaf, isKnown()]).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ]);
});
