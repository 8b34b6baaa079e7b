/** Smaller rules of the contract, each with a controller of its own. */
import { eventually, FakeClock } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, definition } from './support/farm.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';
import type { Decide, HookBody } from './support/webhooks.ts';

const BARNS = definition('Barn', 'barns', { group: 'farm.example' });
const MEADOWS = definition('Meadow', 'meadows', { group: 'farm.example', scope: 'Cluster' });

interface Barn extends KubernetesObject {
  readonly spec: { readonly colour: string };
  readonly status?: { readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
}

function barns(
  sync: Decide,
  updateStrategy: object = { method: 'InPlace' },
  spec: object = {},
): Subject {
  return {
    object: composite('barns', {
      generateSelector: true,
      parentResource: { apiVersion: 'farm.example/v1', resource: 'barns' },
      childResources: [{ apiVersion: 'v1', resource: 'configmaps', updateStrategy }],
      ...spec,
    }),
    hooks: { sync: { decide: sync } },
  };
}

const BARN = {
  apiVersion: 'farm.example/v1',
  kind: 'Barn',
  metadata: { name: 'north' },
  spec: { colour: 'red' },
} as Barn;

/** Two doors of the colour of the barn. */
function doors({ spec }: Barn): readonly object[] {
  return ['east', 'west'].map((side) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: `door-${side}` },
    data: { colour: spec.colour },
  }));
}

interface Request extends HookBody {
  readonly parent: Barn;
}

const ROLLING = {
  method: 'RollingInPlace',
  statusChecks: { conditions: [{ type: 'Ready', status: 'True' }] },
};

test("[contract 73] the engine replaces a condition Updated that a hook sets, and keeps the hook's other conditions", async () => {
  const conditions = [
    { type: 'Updated', status: 'Unknown', reason: 'ByHook', message: '' },
    { type: 'Painted', status: 'True', reason: 'ByHook', message: '' },
  ];
  const sync = ({ parent }: Request) => ({ status: { conditions }, children: doors(parent) });
  const place = await startMetacontroller({
    subjects: [barns(sync, ROLLING)],
    definitions: [BARNS],
  });
  await place.apply(BARN);

  const barn = await eventually(async () => {
    const found = await barnOf(place);
    return found?.status?.conditions !== undefined && found;
  }, PATIENT);

  expect(barn.status?.conditions).toMatchObject([
    { type: 'Updated', status: 'True', reason: 'OnLatestRevision' },
    { type: 'Painted', reason: 'ByHook' },
  ]);
});

test('[contract 97] [metacontroller 18] the shortest resyncAfterSeconds of all live revisions decides when the hook is called next', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const sync = ({ parent }: Request) => ({
    children: doors(parent),
    resyncAfterSeconds: parent.spec.colour === 'red' ? 5 : 600,
  });
  const place = await startMetacontroller({
    subjects: [barns(sync, ROLLING)],
    definitions: [BARNS],
    clock,
  });
  await place.apply(BARN);
  await eventually(async () => (await colours(place)).join() === 'red,red', PATIENT);
  await place.env.patch(...BARN_KIND, place.namespace, 'north', { spec: { colour: 'blue' } });
  // A ConfigMap is never Ready: the second door waits, and both revisions stay alive.
  await eventually(async () => (await colours(place)).includes('blue'), PATIENT);
  // Syncs that see what the controller wrote come by themselves, and are no part of what is counted.
  await eventually(() => hasSeenItsWait(place), PATIENT);
  await place.idle();
  const before = callsFor(place, 'blue');

  await clock.advanceAndSettle(4_999);
  await place.idle();
  const early = callsFor(place, 'blue');
  await clock.advanceAndSettle(2);
  await eventually(() => callsFor(place, 'blue') > before, PATIENT);

  expect(early).toBe(before);
  expect((await colours(place)).toSorted()).toEqual(['blue', 'red']);
});

test('[contract 92] a controller is started again when its spec changes, and not when only its metadata changes', async () => {
  const sync = ({ parent }: Request) => ({ children: doors(parent) });
  const place = await startMetacontroller({ subjects: [barns(sync)], definitions: [BARNS] });
  await place.apply(BARN);
  await eventually(async () => (await colours(place)).length === 2, PATIENT);
  const patched = (patch: object) =>
    place.env.patch(
      ...(['metacontroller.k8s.io/v1alpha1', 'CompositeController', undefined, 'barns'] as const),
      patch,
    );

  await patched({ metadata: { labels: { team: 'farm' }, annotations: { note: 'seen' } } });
  await place.env.patch(...BARN_KIND, place.namespace, 'north', {
    metadata: { labels: { a: 'b' } },
  });
  const isLabelled = ({ body }: { readonly body: HookBody }): boolean =>
    (body as unknown as Request).parent.metadata.labels?.a === 'b';
  await eventually(() => place.server.calls().some(isLabelled), PATIENT);
  await place.idle();
  const afterMetadata = place.server.calls().length;
  const before = await told(place, 'Stopped');
  await patched({ spec: { resyncPeriodSeconds: 3_600 } });
  await eventually(async () => (await told(place, 'Stopped')).length === 1, PATIENT);
  await eventually(() => place.server.calls().length > afterMetadata, PATIENT);

  expect(before).toEqual([]);
  expect(await colours(place)).toEqual(['red', 'red']);
});

test('[contract 45] [metacontroller 19] a changed label of a Namespace does not start a sync, and the next sync uses the new label', async () => {
  const place = await startMetacontroller({
    subjects: [MEADOW],
    definitions: [MEADOWS],
    allNamespaces: true,
  });
  await place.env.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'hill' } });
  await place.env.apply(flower('hill', '1'));
  for (const name of ['a', 'b']) await place.env.create(meadow(name));
  await eventually(() => seenBy(place, 'a').length > 0 && seenBy(place, 'b').length > 0, PATIENT);
  await place.idle();
  const before = seenBy(place, 'a').length;

  await place.env.patch('v1', 'Namespace', undefined, 'hill', {
    metadata: { labels: { wild: 'yes' } },
  });
  let size = 1;
  await eventually(async () => {
    // It is called for its own change, and the cache of Namespaces may lag behind.
    await place.env.patch(...MEADOW_KIND, undefined, 'b', { spec: { size: ++size } });
    return seenBy(place, 'b').at(-1) === 'hill/flower';
  }, PATIENT);
  await place.idle();

  expect(seenBy(place, 'a')).toHaveLength(before);
  expect(seenBy(place, 'a').at(-1)).toBe('');
});

const BARN_KIND = ['farm.example/v1', 'Barn'] as const;
const MEADOW_KIND = ['farm.example/v1', 'Meadow'] as const;

function barnOf(place: MetacontrollerPlace): Promise<Barn | undefined> {
  return place.env.get<Barn>(...BARN_KIND, place.namespace, 'north');
}

async function colours(place: MetacontrollerPlace): Promise<readonly string[]> {
  type ConfigMap = KubernetesObject & { readonly data: { readonly colour: string } };
  const all = await place.env.list<ConfigMap>('v1', 'ConfigMap', place.namespace);
  return all
    .filter(({ metadata }) => metadata.name.startsWith('door-'))
    .map(({ data }) => data.colour);
}

/** Whether the last call had the parent with its condition that the rollout waits: nothing is written after that. */
async function hasSeenItsWait(place: MetacontrollerPlace): Promise<boolean> {
  const barn = await barnOf(place);
  const { parent } = place.server.calls('/barns/sync').at(-1)?.body as Request;
  const isWaiting = barn?.status?.conditions?.some(({ reason }) => reason === 'RolloutWaiting');
  return isWaiting === true && parent.metadata.resourceVersion === barn?.metadata.resourceVersion;
}

/** Calls for the revision of this colour. */
function callsFor(place: MetacontrollerPlace, colour: string): number {
  const bodies = place.server.calls('/barns/sync').map(({ body }) => body as Request);
  return bodies.filter(({ parent }) => parent.spec.colour === colour).length;
}

/** Events about controllers, which are in no namespace. */
async function told(
  { env }: MetacontrollerPlace,
  reason: string,
): Promise<readonly KubernetesObject[]> {
  type Event = KubernetesObject & { readonly reason: string };
  const all = await env.list<Event>('events.k8s.io/v1', 'Event', 'default');
  return all.filter((event) => event.reason === reason);
}

const MEADOW: Subject = {
  object: composite('meadows', {
    generateSelector: true,
    parentResource: { apiVersion: 'farm.example/v1', resource: 'meadows' },
    childResources: [],
  }),
  hooks: {
    sync: { decide: () => ({ status: { seen: true } }), version: 'v2' },
    customize: {
      version: 'v2',
      decide: () => ({
        relatedResources: [
          {
            apiVersion: 'v1',
            resource: 'configmaps',
            labelSelector: { matchLabels: { kind: 'flower' } },
            namespaceSelector: { matchLabels: { wild: 'yes' } },
          },
        ],
      }),
    },
  },
  related: [
    { apiVersion: 'v1', resource: 'configmaps' },
    { apiVersion: 'v1', resource: 'namespaces' },
  ],
};

function meadow(name: string): KubernetesObject {
  const kind = { apiVersion: 'farm.example/v1', kind: 'Meadow' };
  return { ...kind, metadata: { name }, spec: { size: 1 } } as KubernetesObject;
}

function flower(namespace: string, petals: string): KubernetesObject {
  const metadata = { name: 'flower', namespace, labels: { kind: 'flower' } };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { petals } } as KubernetesObject;
}

/** The related ConfigMaps in each call for a meadow. */
function seenBy(place: MetacontrollerPlace, name: string): readonly string[] {
  return place.server
    .calls('/meadows/sync')
    .filter(({ body }) => body.parent.metadata.name === name)
    .map(({ body }) => Object.keys(body.related['ConfigMap.v1'] ?? {}).join());
}
