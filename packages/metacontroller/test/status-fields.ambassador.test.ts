/** Definitions of parents that lack what the engine writes into a status by itself, as four of the original's examples. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject, Resource } from '../../../operator/index.ts';
import { definitionOf } from '../../../test/composite/engine-place.ts';
import { orchards as ORCHARDS } from '../../../test/support/orchards.ts';
import { composite } from './support/farm.ts';
import { type OrchardRequest, orchard, orchards, plan, planned } from './support/orchards.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';

const TREES = { trees: { type: 'integer' } };

function rolling(): Subject {
  return {
    object: composite('orchards', {
      generateSelector: true,
      parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
      childResources: [
        { apiVersion: 'v1', resource: 'configmaps', updateStrategy: { method: 'RollingInPlace' } },
      ],
    }),
    hooks: { sync: { decide: plan } },
  };
}

async function statusOf(place: MetacontrollerPlace): Promise<unknown> {
  const found = await place.env.get<KubernetesObject & { readonly status?: unknown }>(
    'fruit.example/v1',
    'Orchard',
    place.namespace,
    'north',
  );
  return found?.status;
}

test.each<[string, Subject]>([
  ['children that are changed at once', orchards({ decide: plan })],
  ['a rolling update whose condition cannot be stored', rolling()],
])('[contract 82] [found 10] a parent without observedGeneration and conditions in its status, with %s, is reconciled without an error', async (_what, subject) => {
  const place = await startMetacontroller({
    subjects: [subject],
    definitions: [definitionOf(ORCHARDS as Resource, TREES) as KubernetesObject],
    environment: { NODE_ENV: 'production' },
  });
  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);
  await place.apply(orchard('north', 2));
  await planned(place, 'north', 2);
  await eventually(async () => JSON.stringify(await statusOf(place)) === '{"trees":2}', PATIENT);
  await place.idle();

  expect(await statusOf(place)).toEqual({ trees: 2 });
  expect(await place.env.list('events.k8s.io/v1', 'Event', place.namespace)).toEqual([]);
  expect(place.operator.meter.snapshot()).not.toHaveProperty([
    'metacontroller_parent_failures_total{controller="composite-orchards",reason="UndeclaredField"}',
  ]);
});

test('[found 10] a field of the answer that is missing in the definition is still reported', async () => {
  const decide = (body: OrchardRequest): object => ({ ...plan(body), status: { hidden: 1 } });
  const place = await startMetacontroller({
    subjects: [orchards({ decide })],
    definitions: [definitionOf(ORCHARDS as Resource, TREES) as KubernetesObject],
    environment: { NODE_ENV: 'production' },
  });

  await place.apply(orchard('north', 1));
  await planned(place, 'north', 1);
  const [event] = await eventually(async () => {
    const told = await place.told('SyncError');
    return told.length > 0 ? told : undefined;
  }, PATIENT);

  expect(event).toMatchObject({ note: expect.stringContaining('status.hidden') });
});
