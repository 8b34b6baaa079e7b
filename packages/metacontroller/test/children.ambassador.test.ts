/** How children are written for each strategy, under the rights that are generated for their controller. */
import { eventually, FakeClock } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { KubernetesObject } from '../../../operator/index.ts';
import { composite, definition } from './support/farm.ts';
import { ORCHARDS, syncedWith } from './support/orchards.ts';
import { type MetacontrollerPlace, PATIENT, startMetacontroller } from './support/place.ts';
import type { Subject } from './support/subject.ts';

type ConfigMap = KubernetesObject & { readonly data?: Readonly<Record<string, string>> };

interface Body {
  readonly parent: KubernetesObject & { readonly spec: Readonly<Record<string, never>> };
  readonly children: Readonly<Record<string, Readonly<Record<string, KubernetesObject>>>>;
}

const PARENT = { apiVersion: 'fruit.example/v1', resource: 'orchards' };

/** A controller of orchards with ConfigMaps. */
function mapped(method: string, decide: (body: Body) => object, spec: object = {}): Subject {
  const updateStrategy = { method };
  return {
    object: composite('orchards', {
      generateSelector: true,
      parentResource: PARENT,
      childResources: [{ apiVersion: 'v1', resource: 'configmaps', updateStrategy }],
      ...spec,
    }),
    hooks: { sync: { decide: (body) => decide(body as Body) } },
  };
}

function orchard(spec: object, name = 'north'): KubernetesObject {
  return {
    apiVersion: 'fruit.example/v1',
    kind: 'Orchard',
    metadata: { name },
    spec,
  } as KubernetesObject;
}

function configMap(name: string, data: object, labels?: object): object {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, ...(labels && { labels }) },
    data,
  };
}

/** The plan says what the spec of its orchard says. */
const planning = ({ parent }: Body): object => ({ children: [configMap('plan', parent.spec)] });

function find(place: MetacontrollerPlace, name: string): Promise<ConfigMap | undefined> {
  return place.env.get<ConfigMap>('v1', 'ConfigMap', place.namespace, name);
}

/** Resolves to the ConfigMap once it has these data. */
async function holding(place: MetacontrollerPlace, name: string, data: object): Promise<ConfigMap> {
  return await eventually(async () => {
    const found = await find(place, name);
    expect(found?.data).toEqual(data);
    return found;
  }, PATIENT);
}

function edit(place: MetacontrollerPlace, name: string, change: object): Promise<unknown> {
  return place.env.patch('v1', 'ConfigMap', place.namespace, name, change);
}

function childWrites(place: MetacontrollerPlace, plural = 'configmaps'): readonly string[] {
  return place.writes().filter((write) => write.endsWith(` ${plural}`));
}

describe('[metacontroller 12] a child that somebody has edited', () => {
  async function edited(method: string): Promise<MetacontrollerPlace> {
    const place = await startMetacontroller({
      subjects: [mapped(method, planning)],
      definitions: [ORCHARDS],
    });
    await place.apply(orchard({ trees: '1' }));
    await holding(place, 'plan', { trees: '1' });
    await place.idle();
    await edit(place, 'plan', { data: { trees: '9' }, metadata: { labels: { foreign: 'x' } } });
    return place;
  }

  test('with the method InPlace, an edited field of a child is restored, and a foreign label stays', async () => {
    const place = await edited('InPlace');

    const plan = await holding(place, 'plan', { trees: '1' });

    expect(plan.metadata.labels).toMatchObject({ foreign: 'x' });
  });

  test('with the method OnDelete, an edited child stays unchanged, even if its parent changes', async () => {
    const place = await edited('OnDelete');

    await place.apply(orchard({ trees: '2' }));
    await eventually(() => place.server.calls('/orchards/sync').length >= 3, PATIENT);
    await place.idle();

    expect((await find(place, 'plan'))?.data).toEqual({ trees: '9' });
  });

  test('with the method Recreate, an edited child is deleted and created again', async () => {
    const place = await edited('Recreate');
    const plan = await holding(place, 'plan', { trees: '1' });
    await place.idle();

    expect(plan.metadata.labels).not.toHaveProperty('foreign');
    // A dry run asks the server whether there is a difference.
    const lasting = childWrites(place).filter((write) => !write.startsWith('patch'));
    expect(lasting).toEqual(['create configmaps', 'delete configmaps', 'create configmaps']);
  });
});

test('[metacontroller 13] [metacontroller M3] a Pod that the API server stores with other values is written only once', async () => {
  const containers = [
    {
      name: 'press',
      image: 'registry.example/press:1',
      args: [],
      resources: { requests: { cpu: '1000m' } },
      env: [{ name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } }],
    },
  ];
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'press' }, spec: { containers } };
  const updateStrategy = { method: 'Recreate' };
  const place = await startMetacontroller({
    subjects: [
      mapped('Recreate', () => ({ children: [pod] }), {
        childResources: [{ apiVersion: 'v1', resource: 'pods', updateStrategy }],
      }),
    ],
    definitions: [ORCHARDS],
  });
  await place.apply(orchard({}));
  const found = () => place.env.get('v1', 'Pod', place.namespace, 'press');
  const before = await eventually(found, PATIENT);
  await place.idle();

  await place.operator.stop();
  place.startOperator();
  const calls = place.server.calls('/orchards/sync').length;
  await eventually(() => place.server.calls('/orchards/sync').length > calls, PATIENT);
  await place.idle();

  expect((await found())?.metadata.uid).toBe(before.metadata.uid);
  expect(childWrites(place, 'pods').filter((write) => !write.startsWith('patch'))).toEqual([
    'create pods',
  ]);
});

test('[metacontroller 13] when answers alternate, the writes stop after at most five, with the reason HotLoop', async () => {
  let call = 0;
  const place = await startMetacontroller({
    subjects: [
      mapped('InPlace', () => ({ children: [configMap('plan', { side: String(++call % 2) })] })),
    ],
    definitions: [ORCHARDS],
  });
  await place.apply(orchard({}));

  const condition = await syncedWith(place, 'north', 'HotLoop');

  expect(condition.message).toContain('data.side');
  expect(childWrites(place).length).toBeLessThanOrEqual(5);
  expect(await place.told('SyncError')).not.toEqual([]);
});

test('[metacontroller 14] [metacontroller M4] the namespace of a cluster-scoped child is dropped, and the child is not written again and again', async () => {
  const place = await startMetacontroller({
    subjects: [
      {
        object: composite('estates', {
          generateSelector: true,
          parentResource: { apiVersion: 'fruit.example/v1', resource: 'estates' },
          childResources: [
            { apiVersion: 'v1', resource: 'namespaces', updateStrategy: { method: 'InPlace' } },
          ],
        }),
        hooks: {
          sync: {
            decide: () => ({
              children: [
                {
                  apiVersion: 'v1',
                  kind: 'Namespace',
                  metadata: { name: 'wide', namespace: 'farm' },
                },
              ],
            }),
          },
        },
      },
    ],
    definitions: [definition('Estate', 'estates', { group: 'fruit.example', scope: 'Cluster' })],
    allNamespaces: true,
  });

  await place.env.create({ ...orchard({}), kind: 'Estate' } as KubernetesObject);
  await eventually(() => place.env.get('v1', 'Namespace', undefined, 'wide'), PATIENT);
  await place.idle();

  expect(childWrites(place, 'namespaces')).toEqual(['create namespaces']);
});

describe("[metacontroller 15] labels of children and the parent's selector", () => {
  const selector = { matchLabels: { app: 'press' } };
  const selecting = { generateSelector: false };

  test("with the parent's selector, an answer is invalid if the labels of a child do not match, and nothing is written", async () => {
    const place = await startMetacontroller({
      subjects: [
        mapped('InPlace', () => ({ children: [configMap('a', {}, { app: 'x' })] }), selecting),
      ],
      definitions: [ORCHARDS],
    });
    await place.apply(orchard({ selector }));

    await syncedWith(place, 'north', 'InvalidAnswer');

    expect(childWrites(place)).toEqual([]);
  });

  test("with the parent's selector, a matching orphan is adopted, and released when its labels change", async () => {
    const place = await startMetacontroller({
      subjects: [
        mapped(
          'OnDelete',
          ({ children }) => ({
            children: Object.keys(children['ConfigMap.v1'] ?? {}).map((name) =>
              configMap(name, {}, { app: 'press' }),
            ),
          }),
          selecting,
        ),
      ],
      definitions: [ORCHARDS],
    });
    const owners = async () => (await find(place, 'lost'))?.metadata.ownerReferences ?? [];
    await place.apply(configMap('lost', {}, { app: 'press' }) as KubernetesObject);
    await place.apply(orchard({ selector }));
    await eventually(async () => (await owners())[0]?.name === 'north', PATIENT);

    await edit(place, 'lost', { metadata: { labels: { app: 'x' } } });

    await eventually(async () => (await owners()).length === 0, PATIENT);
  });
});

test('[metacontroller 18] resyncAfterSeconds overrides the resync period of the controller', async () => {
  const clock = new FakeClock(Date.parse('2030-01-07T08:00:00Z'));
  const place = await startMetacontroller({
    subjects: [
      mapped('InPlace', () => ({ children: [], resyncAfterSeconds: 0.5 }), {
        resyncPeriodSeconds: 10,
      }),
    ],
    definitions: [ORCHARDS],
    clock,
  });
  await place.apply(orchard({}));
  const calls = () => place.server.calls('/orchards/sync').length;
  await eventually(() => calls() >= 1, PATIENT);
  await place.idle();
  const before = calls();

  await clock.advanceAndSettle(499);
  await place.idle();
  const early = calls();
  await clock.advanceAndSettle(1);

  await eventually(() => calls() === before + 1, PATIENT);
  expect(early).toBe(before);
});

test('[metacontroller 29] with server-side apply, a field that is missing in the new answer is removed, and a foreign field stays', async () => {
  const place = await startMetacontroller({
    subjects: [mapped('InPlace', planning)],
    definitions: [ORCHARDS],
    options: { applyStrategy: 'server-side-apply' },
  });
  await place.apply(orchard({ a: '1', b: '1' }));
  await holding(place, 'plan', { a: '1', b: '1' });
  await edit(place, 'plan', { data: { foreign: 'x' } });

  await place.env.patch('fruit.example/v1', 'Orchard', place.namespace, 'north', {
    spec: { b: null },
  });

  await holding(place, 'plan', { a: '1', foreign: 'x' });
});

test('[metacontroller 30] a status field outside the schema is reported, and the children are still managed', async () => {
  const schema = {
    type: 'object',
    properties: {
      spec: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      status: {
        type: 'object',
        properties: {
          ready: { type: 'integer' },
          observedGeneration: { type: 'integer' },
          conditions: {
            type: 'array',
            items: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
      },
    },
  };
  const strict = structuredClone(ORCHARDS) as KubernetesObject & {
    spec: { versions: { schema: object }[] };
  };
  for (const version of strict.spec.versions) version.schema = { openAPIV3Schema: schema };
  const place = await startMetacontroller({
    subjects: [
      mapped('InPlace', (body) => ({ ...planning(body), status: { ready: 1, hidden: 2 } })),
    ],
    definitions: [strict],
    environment: { NODE_ENV: 'production' },
  });
  await place.apply(orchard({ trees: '1' }));

  const condition = await syncedWith(place, 'north', 'UndeclaredField');

  expect(condition.message).toContain('status.hidden');
  await holding(place, 'plan', { trees: '1' });
});
