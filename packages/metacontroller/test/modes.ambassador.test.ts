/** One function as webhook, program and module: a cluster cannot tell which of them it was. */
import { withoutServerFields } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { library } from './support/farm.ts';
import { ORCHARDS, orchard, orchards, planned } from './support/orchards.ts';
import { type MetacontrollerPlace, startMetacontroller } from './support/place.ts';
import { MODES, type Mode } from './support/subject.ts';

/** What a controller in this mode has written for an orchard that is made, changed, and left with one child less. */
async function written(mode: Mode) {
  const place = await startMetacontroller({
    mode,
    subjects: [orchards({ decide: library('orchard'), version: 'v2' })],
    definitions: [ORCHARDS],
  });
  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);
  await place.apply(orchard('north', 2));
  await planned(place, 'north', 2);
  await place.idle();
  const writes = [...new Set(place.writes())].sort();
  return { writes, objects: await objectsIn(place) };
}

/** All objects of the controller, without what differs from cluster to cluster. */
async function objectsIn({ env, namespace }: MetacontrollerPlace): Promise<readonly unknown[]> {
  const maps = await env.list<KubernetesObject>('v1', 'ConfigMap', namespace);
  const parents = await env.list<KubernetesObject>('fruit.example/v1', 'Orchard', namespace);
  const own = maps.filter(({ metadata }) => metadata.name.startsWith('north-'));
  return [...own, ...parents].map((object) => {
    const uid = parents[0]?.metadata.uid ?? '';
    return JSON.parse(JSON.stringify(withoutServerFields(object)).replaceAll(uid, 'UID'));
  });
}

test('[metacontroller 26] one function causes the same writes as a webhook, a program and a module', async () => {
  const [byWebhook, byProgram, byModule] = [
    await written(MODES[0]),
    await written(MODES[1]),
    await written(MODES[2]),
  ];

  expect(byProgram).toEqual(byWebhook);
  expect(byModule).toEqual(byWebhook);
  expect(byWebhook.objects).toMatchObject([
    { kind: 'ConfigMap', metadata: { name: 'north-plan' }, data: { trees: '2' } },
    { kind: 'ConfigMap', metadata: { name: 'north-rows' }, data: { trees: '2' } },
    { kind: 'Orchard', status: { observedGeneration: 2, planted: 2, trees: 2 } },
  ]);
});
