/** Related objects of a customize hook: which ones a parent gets, and whom a change of one calls. */
import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, decorator } from './support/farm.ts';
import { ORCHARDS, type Orchard, orchard, syncedWith } from './support/orchards.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';
import type { Decide, HookBody } from './support/webhooks.ts';

/** Orchards whose status says which ConfigMaps are related to them. */
function related(customize: Decide, version: 'v1' | 'v2' = 'v1'): Subject {
  return {
    object: composite('orchards', {
      generateSelector: true,
      parentResource: { apiVersion: 'fruit.example/v1', resource: 'orchards' },
      childResources: [{ apiVersion: 'v1', resource: 'secrets' }],
    }),
    hooks: {
      sync: {
        version,
        decide: ({ related: found }: HookBody) => ({
          children: [],
          status: { found: Object.keys(found['ConfigMap.v1'] ?? {}).sort() },
        }),
      },
      customize: { version, decide: customize },
    },
    related: [
      { apiVersion: 'v1', resource: 'configmaps' },
      { apiVersion: 'v1', resource: 'namespaces' },
    ],
  };
}

const CONTROLLER = [
  'metacontroller.k8s.io/v1alpha1',
  'CompositeController',
  undefined,
  'orchards',
] as const;

function field(name: string, crop: string): KubernetesObject {
  const metadata = { name, labels: { crop } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: {} } as KubernetesObject;
}

type Found = KubernetesObject & { readonly status?: { readonly found?: readonly string[] } };

async function finds(place: MetacontrollerPlace, name: string, names: string): Promise<void> {
  await eventually(async () => {
    const found = await place.env.get<Found>('fruit.example/v1', 'Orchard', place.namespace, name);
    return found?.status?.found?.join() === names;
  }, PATIENT);
}

const byCrop: Decide = ({ parent }: HookBody) => ({
  relatedResources: [
    {
      apiVersion: 'v1',
      resource: 'configmaps',
      labelSelector: { matchLabels: { crop: parent.metadata.name } },
    },
  ],
});

test.each([
  ['{}', {}],
  ['relatedResources: null', { relatedResources: null }],
  ['an empty list', { relatedResources: [] }],
])('[contract 47] [found 10] after a customize answer of %s, the next sync calls the customize hook again', async (_what, nothing) => {
  let isReady = false;
  const customize: Decide = (body) => (isReady ? byCrop(body) : nothing);
  const place = await startMetacontroller({
    subjects: [related(customize)],
    definitions: [ORCHARDS],
  });
  await place.apply(field('a', 'apple'));
  await place.apply(orchard('apple', 1));
  await finds(place, 'apple', '');
  await place.idle();

  isReady = true;
  // A change of metadata, which leaves the generation as it is, calls for the sync.
  const labels = { metadata: { labels: { touched: 'yes' } } };
  await place.env.patch('fruit.example/v1', 'Orchard', place.namespace, 'apple', labels);

  await finds(place, 'apple', 'a');
});

test('[contract 48] [metacontroller 19] a change of a related object syncs exactly the orchards that select the object before or after the change', async () => {
  const place = await startMetacontroller({
    subjects: [related(byCrop)],
    definitions: [ORCHARDS],
  });
  for (const name of ['apple', 'pear', 'plum']) await place.apply(orchard(name, 1));
  await place.apply(field('north', 'apple'));
  await finds(place, 'apple', 'north');
  await finds(place, 'pear', '');
  await place.idle();
  const before = place.server.calls('/orchards/sync').length;

  await place.apply(field('north', 'pear'));
  await finds(place, 'pear', 'north');
  await finds(place, 'apple', '');
  await place.idle();

  const asked = place.server.calls('/orchards/sync').slice(before);
  const names = asked.map(({ body }) => body.parent.metadata.name);
  expect(new Set(names)).toEqual(new Set(['apple', 'pear']));
  const customized = place.server.calls('/orchards/customize');
  expect(customized.map(({ body }) => body.parent.metadata.name).sort()).toEqual([
    ...['apple', 'pear', 'plum'],
  ]);
});

test('[contract 41] [contract 43] [metacontroller 19] a bare list of rules is accepted, and only in v2 a rule by names selects objects of all namespaces', async () => {
  const customize: Decide = () => [{ apiVersion: 'v1', resource: 'configmaps', names: ['north'] }];
  const place = await startMetacontroller({
    subjects: [related(customize, 'v2')],
    definitions: [ORCHARDS],
  });
  await place.apply(field('north', 'apple'));
  await place.apply(field('south', 'apple'));

  await place.apply(orchard('apple', 1));

  await finds(place, 'apple', `${place.namespace}/north`);
});

test.each([
  [
    'names and a labelSelector',
    { names: ['north'], labelSelector: {} },
    /names and a labelSelector/,
  ],
  ['another namespace, with v1', { namespace: 'elsewhere' }, /another namespace/],
  ['a namespaceSelector, with v1', { namespaceSelector: {} }, /own namespace/],
  [
    'a resource that is not served',
    { apiVersion: 'fruit.example/v1', resource: 'unicorns' },
    /unicorns/,
  ],
])('[contract 42] [metacontroller 19] a related rule with %s makes the answer an error, and the hook sync is not called', async (_, rule, message) => {
  const customize: Decide = () => ({
    relatedResources: [{ apiVersion: 'v1', resource: 'configmaps', ...rule }],
  });
  const place = await startMetacontroller({
    subjects: [related(customize)],
    definitions: [ORCHARDS],
    withheld: () => false, // to look for what is not served asks for more than the filter opens
  });

  await place.apply(orchard('apple', 1));

  const condition = await syncedWith(place, 'apple', 'InvalidAnswer');
  expect(condition.message).toMatch(message);
  expect(place.server.calls('/orchards/sync')).toEqual([]);
});

test("[metacontroller 23] a missing permission for a related resource is reported with the resource's name", async () => {
  const place = await startMetacontroller({
    subjects: [related(byCrop)],
    definitions: [ORCHARDS],
    withheld: ({ resources = [] }) => resources.includes('configmaps'),
  });

  await place.apply(orchard('apple', 1));

  const [event] = await place.told('SyncError');
  expect(event?.note).toMatch(/may not list and watch configmaps/);
  const parent = await syncedWith(place, 'apple', 'Forbidden');
  expect(parent.message).toMatch(/may not list and watch configmaps/);
  const controller = await eventually(async () => {
    const found = await place.env.get<Orchard>(...CONTROLLER);
    return found?.status?.conditions?.find(({ reason }) => reason === 'Forbidden');
  }, PATIENT);
  expect(controller.message).toMatch(/add to a ClusterRole: .*configmaps.*list/);
});

test('[metacontroller 19] a decorator gets related objects, too', async () => {
  const place = await startMetacontroller({
    subjects: [
      {
        object: decorator('noter', {
          resources: [{ apiVersion: 'v1', resource: 'secrets' }],
          attachments: [],
        }),
        hooks: {
          sync: {
            decide: ({ related: found }: HookBody) => ({
              annotations: { found: Object.keys(found['ConfigMap.v1'] ?? {}).join() },
              attachments: [],
            }),
          },
          customize: {
            decide: () => ({
              relatedResources: [{ apiVersion: 'v1', resource: 'configmaps', names: ['north'] }],
            }),
          },
        },
        related: [{ apiVersion: 'v1', resource: 'configmaps' }],
      },
    ],
  });
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } };
  const noted = async () =>
    (await place.env.get('v1', 'Secret', place.namespace, 's'))?.metadata.annotations?.found;
  await place.apply(secret as KubernetesObject);
  await eventually(async () => (await noted()) === '', PATIENT);

  await place.apply(field('north', 'apple'));

  await eventually(async () => (await noted()) === 'north', PATIENT);
});
