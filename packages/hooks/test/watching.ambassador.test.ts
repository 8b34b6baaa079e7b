import { eventually, FakeClock, TcpProxy } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { CROPS, field } from './support/farm.ts';
import { inShort, startHooks } from './support/place.ts';

const CONFIG = `configVersion: v1\nkubernetes:${CROPS}`;

test('[hooks 3] with a filter on labels, a new label starts one run, a deletion always starts a run, and other changes start no run', async () => {
  const config = `
configVersion: v1
kubernetes:
- name: crops
  kind: ConfigMap
  nameSelector: { matchNames: [north] }
  jqFilter: .metadata.labels`;
  const place = await startHooks({ recorders: { 'a.sh': config }, stopped: true });
  await place.apply(field('north', '1'));
  place.startOperator();
  const hook = place.hook('a.sh');
  await hook.started(1);

  await place.apply(field('north', '2'));
  await place.apply(field('north', '2', { crop: 'pear' }));
  await hook.contexts(2);
  await place.env.delete('v1', 'ConfigMap', place.namespace, 'north');
  const all = await hook.contexts(3);

  expect(all.map(inShort)).toEqual([
    'crops Synchronization north',
    'crops Event Modified north',
    'crops Event Deleted north',
  ]);
  expect(all[0]?.objects?.map(({ filterResult }) => filterResult)).toEqual([{ crop: 'apple' }]);
  expect(all[1]?.filterResult).toEqual({ crop: 'pear' });
});

test('[hooks 15] if a silent watch missed a change, the hook gets the change once, after the resynchronizationPeriod', async () => {
  const clock = new FakeClock();
  const between = proxyBetween();
  const place = await startHooks({
    recorders: { 'a.sh': `${CONFIG}\n  resynchronizationPeriod: 40s` },
    between: between.start,
    clock,
  });
  const hook = place.hook('a.sh');
  await hook.started(1);
  await eventually(() => place.operator.status.sources.every(({ state }) => state === 'watching'));

  between.proxy().cut('freeze');
  await place.apply(field('north', '1'));
  await eventually(async () => {
    clock.advance(1_000);
    return (await hook.runs()).length > 1;
  });
  const all = await hook.contexts(2);

  expect(all.map(inShort)).toEqual(['crops Synchronization', 'crops Event Added north']);
});

test('[hooks 16] when a proxy restarts during 100 changes, a hook gets the last state of every object exactly once', async () => {
  const between = proxyBetween();
  const place = await startHooks({ recorders: { 'a.sh': CONFIG }, between: between.start });
  const hook = place.hook('a.sh');
  await hook.started(1);

  for (let at = 1; at <= 100; at++) {
    if (at === 30) between.proxy().refuse();
    if (at === 30) between.proxy().cut();
    if (at === 70) await between.proxy().accept();
    const { metadata, ...rest } = field(`field-${at % 10}`, String(at));
    await place.env.apply({ ...rest, metadata }, { namespace: place.namespace });
  }
  const last = Array.from({ length: 10 }, (_, at) => [
    `field-${at}`,
    String(at === 0 ? 100 : 90 + at),
  ]);
  const states = await eventually(async () => {
    const told = (await hook.runs()).flat().flatMap(({ object }) => object ?? []);
    const found = new Map(told.map(({ metadata, data }) => [metadata.name, data?.trees]));
    const isComplete = last.every(([name = '', trees]) => found.get(name) === trees);
    return isComplete && told.map(({ metadata, data }) => `${metadata.name} ${data?.trees}`);
  });

  expect(new Set(states).size).toBe(states.length);
});

test('[hooks 17] objects appear and disappear when the labels of their namespace change', async () => {
  const config = `
configVersion: v1
kubernetes:
${CROPS.trim()}
  namespace: { labelSelector: { matchLabels: { farm: 'yes' } } }`;
  const place = await startHooks({ recorders: { 'a.sh': config }, allNamespaces: true });
  const hook = place.hook('a.sh');
  const relabel = (value: string | null) =>
    place.env.patch(...(['v1', 'Namespace', undefined, place.namespace] as const), {
      metadata: { labels: { farm: value } },
    });
  await place.apply(field('north', '1'));
  await hook.started(1);

  await relabel('yes');
  await hook.contexts(2);
  await place.apply(field('north', '2'));
  await hook.contexts(3);
  await relabel(null);
  const all = await hook.contexts(4);

  expect(all.map(inShort)).toEqual([
    'crops Synchronization',
    'crops Event Added north',
    'crops Event Modified north',
    'crops Event Deleted north',
  ]);
});

test('[hooks S7] a kind that is not served yet delays only the binding for that kind', async () => {
  const clock = new FakeClock();
  const definition = website();
  const config = 'configVersion: v1\nkubernetes:\n- name: sites\n  kind: Website';
  const place = await startHooks({
    recorders: { 'a.sh': config, 'b.sh': CONFIG },
    options: { definitions: [definition] },
    ownCluster: true,
    clock,
  });
  const startedIn = (name: string) =>
    eventually(async () => {
      clock.advance(1_000);
      const runs = await place.hook(name).runs();
      return runs.length > 0 && runs;
    });
  await startedIn('b.sh');
  const before = await place.hook('a.sh').runs();

  await place.env.create(definition);
  const [first] = await startedIn('a.sh');

  expect(before).toEqual([]);
  expect(first?.map(inShort)).toEqual(['sites Synchronization']);
});

test('[hooks S6] bindings with equal selectors share one list and one watch', async () => {
  const place = await startHooks({ recorders: { 'a.sh': CONFIG, 'b.sh': CONFIG } });
  await place.hook('a.sh').started(1);
  await place.hook('b.sh').started(1);

  expect(place.operator.status.sources).toHaveLength(1);
});

/** A proxy between the runner and its ambassador. */
function proxyBetween() {
  let proxy: TcpProxy | undefined;
  return {
    start: async (url: string) => {
      const started = new TcpProxy({ port: Number(new URL(url).port) });
      await started.start();
      onTestFinished(() => started.close());
      proxy = started;
      return started.url;
    },
    proxy(): TcpProxy {
      if (proxy === undefined) throw new Error('the proxy was not started');
      return proxy;
    },
  };
}

function website(): KubernetesObject {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'websites.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'websites', singular: 'website', kind: 'Website' },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object' } },
        },
      ],
    },
  } as KubernetesObject;
}
