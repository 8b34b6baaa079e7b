/** Another writer that insists on a stated field, against the embedded API server. */

import type { TestOperator } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import { WriteFights } from '../../operator/controller/policies/write-fights.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps, deployments } from '../../operator/model/builtin.ts';
import { networkPolicies } from '../../operator/model/kubernetes/resources.ts';
import { type Site, type SitesTest, startSites } from '../support/sites.ts';

interface Scene {
  /** What a reconcile states. */
  readonly reconcile: (site: Site, context: ReconcileContext<Site>) => Promise<unknown>;
  /** What the other writer does. */
  readonly insist: (place: SitesTest) => Promise<unknown>;
  /** The stated fields, in the form in which the server shows them. */
  readonly shown: (place: SitesTest) => Promise<unknown>;
  /** The same as the reconcile states it. */
  readonly wanted: unknown;
  /** A field that the Event names. */
  readonly field: string;
}

const POD = {
  metadata: { labels: { app: 'pump' } },
  spec: { containers: [{ name: 'pump', image: 'registry.example/pump:1' }] },
};

const SCENES: readonly [string, Scene][] = [
  [
    'a field of a child',
    {
      reconcile: ({ metadata: { name }, spec: { text } }, { applyOwned }) =>
        applyOwned(configMaps, { metadata: { name }, data: { text } }),
      insist: ({ env, namespace }) =>
        env.patch('v1', 'ConfigMap', namespace, 'pond', { data: { text: 'theirs' } }),
      shown: async ({ env, namespace }) =>
        (await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'pond'))?.data?.text,
      wanted: 'ours',
      field: 'data.text',
    },
  ],
  [
    'an item of a list, with another value each time',
    {
      reconcile: ({ metadata: { name } }, { applyOwned }) =>
        applyOwned(deployments, {
          metadata: { name },
          spec: { selector: { matchLabels: { app: 'pump' } }, template: POD },
        }),
      insist: ({ env, namespace, clock }) =>
        env.patch('apps/v1', 'Deployment', namespace, 'pond', {
          spec: {
            template: {
              spec: {
                containers: [{ name: 'pump', image: `registry.example/pump:${clock.now()}` }],
              },
            },
          },
        }),
      shown: async ({ env, namespace }) => {
        const found = await env.get(deployments, namespace, 'pond');
        return found?.spec?.template.spec?.containers?.[0]?.image;
      },
      wanted: 'registry.example/pump:1',
      field: 'spec.template.spec.containers',
    },
  ],
  [
    'a label',
    {
      reconcile: ({ metadata: { name } }, { applyOwned }) =>
        applyOwned(configMaps, { metadata: { name, labels: { tier: 'ours' } } }),
      insist: ({ env, namespace }) =>
        env.patch('v1', 'ConfigMap', namespace, 'pond', {
          metadata: { labels: { tier: 'theirs' } },
        }),
      shown: async ({ env, namespace }) =>
        (await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'pond'))?.metadata.labels?.tier,
      wanted: 'ours',
      field: 'metadata.labels.tier',
    },
  ],
  [
    'a key in a label selector, which is replaced as a whole',
    {
      reconcile: ({ metadata: { name } }, { applyOwned }) =>
        applyOwned(networkPolicies, {
          metadata: { name },
          spec: { podSelector: { matchLabels: { app: 'pump' } } },
        }),
      insist: ({ env, namespace }) =>
        env.patch('networking.k8s.io/v1', 'NetworkPolicy', namespace, 'pond', {
          spec: { podSelector: { matchLabels: { canary: 'yes' } } },
        }),
      shown: async ({ env, namespace }) =>
        JSON.stringify((await env.get(networkPolicies, namespace, 'pond'))?.spec?.podSelector),
      wanted: '{"matchLabels":{"app":"pump"}}',
      field: 'spec.podSelector',
    },
  ],
  [
    'a field of a status',
    {
      reconcile: (_site, { setStatus }) => setStatus({ note: 'ours' }),
      insist: ({ env, namespace }) =>
        env.patch(
          'example.dev/v1',
          'Site',
          namespace,
          'pond',
          { status: { note: 'theirs' } },
          'status',
        ),
      shown: async (place) => (await place.site('pond')).status?.note,
      wanted: 'ours',
      field: 'status.note',
    },
  ],
  [
    'a condition and its time',
    {
      reconcile: (_site, { setStatus }) =>
        setStatus({
          conditions: [{ type: 'Clean', status: 'True', reason: 'Stated', message: 'by us' }],
        }),
      insist: ({ env, namespace, clock }) => {
        const lastTransitionTime = new Date(clock.now()).toISOString().replace('.000Z', 'Z');
        const condition = { type: 'Clean', status: 'False', reason: 'Seen', message: 'by them' };
        const status = { conditions: [{ ...condition, lastTransitionTime }] };
        return env.patch('example.dev/v1', 'Site', namespace, 'pond', { status }, 'status');
      },
      shown: async (place) => (await place.site('pond')).status?.conditions?.[0]?.status,
      wanted: 'True',
      field: 'status.conditions',
    },
  ],
];

test.each([
  3, 9_000,
])('[child 5] a write fight is detected at the tenth write, even if fields are nested %i levels deep', (depth) => {
  const fights = new WriteFights('sites');
  const nested = (text: string): unknown =>
    JSON.parse(`${'{"a":'.repeat(depth)}"${text}"${'}'.repeat(depth)}`);
  const object = (text: string, resourceVersion: string) =>
    ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'pond', namespace: 'n', resourceVersion },
      value: nested(text),
    }) as never;

  const found = Array.from({ length: 12 }, (_, at) =>
    fights.wrote(
      {
        ...{ resource: configMaps, namespace: 'n', name: 'pond' },
        ...{ isDelete: false, hasChanged: true, stated: { value: nested('ours') } },
        before: at === 0 ? [] : [object('theirs', `${2 * at}`)],
        answer: object('ours', `${2 * at + 1}`),
      },
      at * 1_000,
    ),
  );

  expect(found.map((each) => each?.intervalMs)).toEqual([
    ...Array(10).fill(undefined),
    1_000,
    2_000,
  ]);
  expect(found.at(-1)?.paths[0]).toMatch(/^value/);
});

test('[child 5] if the cache is behind the last write, the difference is not attributed to another writer', () => {
  const fights = new WriteFights('sites');
  const object = (text: string, resourceVersion: string): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'pond', namespace: 'n', resourceVersion },
    data: { text },
  });

  const found = Array.from({ length: 20 }, (_, at) =>
    fights.wrote(
      {
        ...{ resource: configMaps, namespace: 'n', name: 'pond' },
        ...{ isDelete: false, hasChanged: true, stated: { data: { text: 'ours' } } },
        before: [object('first', '8')],
        answer: object('ours', `${9 + at}`),
      },
      at * 1_000,
    ),
  );

  expect(found.filter((each) => each !== undefined)).toEqual([]);
});

const LEVEL = 'example.dev/level';

test.each<[string, Pick<Scene, 'reconcile'>]>([
  [
    'a child',
    {
      reconcile: ({ metadata: { name, annotations } }, { applyOwned }) =>
        applyOwned(configMaps, { metadata: { name }, data: { text: annotations?.[LEVEL] ?? '' } }),
    },
  ],
  [
    'a status',
    {
      reconcile: ({ metadata: { annotations } }, { setStatus }) =>
        setStatus({ note: annotations?.[LEVEL] ?? '' }),
    },
  ],
])('[child 5] if only the reconciler itself changes %s repeatedly, this is no write fight', async (_what, scene) => {
  const { place, operator, reconciles } = await start(scene as Scene);
  const { env, namespace } = place;
  const before = reconciles();

  for (let turn = 0; turn < 24; turn++) {
    const child = await env.get(configMaps, namespace, 'pond');
    const seen = { metadata: { annotations: { 'example.dev/turn': `${turn}` } } };
    if (child !== undefined) await env.patch('v1', 'ConfigMap', namespace, 'pond', seen);
    const metadata = { annotations: { [LEVEL]: turn % 2 === 0 ? 'high' : 'low' } };
    await env.patch('example.dev/v1', 'Site', namespace, 'pond', { metadata });
    await env.advance(10_000);
  }

  expect(await notes(place)).toEqual([]);
  expect(fights(operator)).toBe(0);
  expect(reconciles() - before).toBeGreaterThanOrEqual(24);
});

async function start({ reconcile }: Scene) {
  const place = await startSites();
  let reconciles = 0;
  const owns = [configMaps, deployments, networkPolicies];
  const operator = await place.operate(
    (site, context) => {
      reconciles++;
      return reconcile(site, context).then(() => undefined);
    },
    { owns: owns as never },
  );
  await place.createSite('pond', 'ours');
  await place.env.settled();
  return { place, operator, reconciles: () => reconciles };
}

/** The other writer changes the field whenever it is not its own. */
async function fight(place: SitesTest, { insist, shown, wanted }: Scene, turns: number) {
  let changes = 0;
  for (let turn = 0; turn < turns; turn++) {
    if ((await shown(place)) === wanted) {
      await insist(place);
      changes++;
    }
    await place.env.advance(1_000);
  }
  return changes;
}

async function notes({ env, namespace }: SitesTest): Promise<readonly string[]> {
  const events = await env.list<{ note?: string; reason?: string } & never>(
    'events.k8s.io/v1',
    'Event',
    namespace,
  );
  return (events as readonly { note?: string; reason?: string }[])
    .filter(({ reason }) => reason === 'WriteFight')
    .map(({ note = '' }) => note);
}

const fights = (operator: TestOperator): number =>
  operator.meter.value('chancery_write_fight_total', { controller: 'sites' });

describe.each(SCENES)('[child 5] another writer changes %s again and again', (_what, scene) => {
  test("a write fight is reported with the other writer's name, and reconciles are delayed", async () => {
    const { place, operator, reconciles } = await start(scene);

    await fight(place, scene, 120);
    const before = reconciles();
    const changes = await fight(place, scene, 300);

    expect(reconciles() - before).toBeLessThanOrEqual(8);
    expect(changes).toBeLessThanOrEqual(8);
    const [note] = await notes(place);
    expect(note).toContain('chancery-test-env');
    expect(note).toContain(scene.field);
    expect(fights(operator)).toBeGreaterThan(3);
    const told = operator.log.filter(({ message }) => message.startsWith('another writer'));
    expect(told).toHaveLength(1);
    expect(told[0]?.fields).toMatchObject({ managers: ['chancery-test-env'] });
  });

  test('reconciles are no longer delayed when the other writer stops', async () => {
    const { place, reconciles } = await start(scene);
    await fight(place, scene, 60);

    await place.env.advance(10 * 60_000);
    const shown = await scene.shown(place);
    const before = reconciles();
    for (const pages of [1, 2, 3]) {
      const annotations = { pages: `${pages}` };
      await place.env.patch('example.dev/v1', 'Site', place.namespace, 'pond', {
        metadata: { annotations },
      });
      await place.env.settled();
    }

    expect(shown).toBe(scene.wanted);
    expect(reconciles() - before).toBe(3);
  });

  test('a few manual edits are reverted at once, and nothing is reported', async () => {
    const { place, operator } = await start(scene);

    const seen: unknown[] = [];
    for (let edit = 0; edit < 9; edit++) {
      await scene.insist(place);
      await place.env.settled();
      seen.push(await scene.shown(place));
    }

    expect(seen).toEqual(Array(9).fill(scene.wanted));
    expect(await notes(place)).toEqual([]);
    expect(fights(operator)).toBe(0);
  });

  test('the object is read from the API server only if a write fight is suspected', async () => {
    const { place } = await start(scene);
    const reads = () =>
      place.env.requests.of().filter(({ verb, name }) => verb === 'get' && name === 'pond').length;
    await fight(place, scene, 8);
    const before = reads();

    await fight(place, scene, 120);

    expect(before).toBeLessThanOrEqual(1); // the creation hands its fields over
    expect(reads() - before).toBeLessThanOrEqual(2);
  });
});
