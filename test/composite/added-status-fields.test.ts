/** Engines that know nothing of the definition of their parents, and add to a status what it does not declare. */

import { FakeClock, startOperator, startTestEnv } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { child } from '../../operator/composite/child.ts';
import { composite } from '../../operator/composite/composite.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { KubernetesObject } from '../../operator/model/object.ts';
import { definitionOf, enginePlace, maps, type Orchard, orchards } from './engine-place.ts';

const ready = { ready: { type: 'integer' } };

test.each([
  {},
  { NODE_ENV: 'production' },
])('[child 10] if the definition has no observedGeneration, a status that replaces the old status is written once: %j', async (environment) => {
  const at = await enginePlace({
    definitions: [definitionOf(orchards, ready)],
    decide: () => ({ status: { ready: 1 }, children: maps({ a: '1' }) }),
    arrange: ({ createParent }) => createParent({}),
    status: 'replace',
    environment,
  });
  const count = at.writes().length;

  await at.env.advance(30 * 60_000);

  expect((await at.parent())?.status).toEqual({ ready: 1 });
  expect(at.writes()).toHaveLength(count);
  expect(await at.env.list('events.k8s.io/v1', 'Event')).toEqual([]);
});

test('[child 10] a rolling update works even if the definition has no conditions', async () => {
  const clock = new FakeClock();
  const env = await startTestEnv({ environment: {}, embedded: { workloads: false, clock } });
  onTestFinished(() => env.stop());
  await env.apply([definitionOf(orchards, ready) as KubernetesObject]);
  const namespace = await env.namespace();
  const rolling = composite<Orchard>({
    name: 'orchards',
    parent: orchards,
    children: [{ resource: configMaps, update: 'rolling-apply' }],
    sync: ({ spec }) => ({
      children: ['a', 'b'].map((name) =>
        child(configMaps, { metadata: { name }, data: { taste: String(spec.taste) } }),
      ),
      status: { ready: 2 },
    }),
  });
  const parent = (taste: string) => ({
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name: 'north', namespace },
    spec: { taste },
  });
  await env.create(parent('sweet'));
  const operator = startOperator({ url: env.url, namespace, clock, controllers: [rolling] });
  onTestFinished(() => operator.stop());
  await env.advance(5_000);

  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { spec: { taste: 'sour' } });
  await env.advance(60_000);

  const tastes = (await env.list('v1', 'ConfigMap', namespace))
    .map((each) => (each as KubernetesObject & { data?: { taste?: string } }).data?.taste)
    .filter((taste) => taste !== undefined);
  const live = await env.get<Orchard>('fruit.example/v1', 'Orchard', namespace, 'north');
  expect(tastes).toEqual(['sour', 'sour']);
  expect(live?.status).toEqual({ ready: 2 });
});
