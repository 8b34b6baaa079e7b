/** Composites whose replicas share the parents. */
import { expect, test } from 'vitest';
import { child } from '../../../operator/composite/child.ts';
import { composite } from '../../../operator/composite/composite.ts';
import type { Controller } from '../../../operator/controller/controller.ts';
import { type ConfigMap, configMaps, type Secret, secrets } from '../../../operator/kubernetes.ts';
import { type ConfigSet, configSets, DEFINITION } from '../../composite/parents.ts';
import { isWrite, Place, type Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, pass, writtenWithoutLease } from './sharded-place.ts';

const SETS = 24;
const FINALIZER = 'example.dev/sets';
const nameOf = (index: number): string => `set-${index}`;

/** Makes a ConfigMap, a Secret and a status for each set, and adopts ConfigMaps with the label of a set. */
function sets(by: string): Controller {
  return composite<ConfigSet>({
    name: 'sets',
    parent: configSets,
    children: [{ resource: configMaps, update: 'rolling-apply' }, secrets],
    selector: ({ metadata: { name = '' } }) => ({ matchLabels: { set: name } }),
    sync: ({ metadata: { name = '' }, spec: { text = '' } }, children) => ({
      children: [
        child<ConfigMap>(configMaps, {
          metadata: { name: `${name}-map`, labels: { set: name } },
          data: { by, text },
        }),
        child<Secret>(secrets, {
          metadata: { name, labels: { set: name } },
          stringData: { by, text },
        }),
      ],
      status: { made: children.of(configMaps).length + children.of(secrets).length },
    }),
    finalize: { name: FINALIZER, sync: () => ({ children: [], finalized: true }) },
  });
}

function sharer(place: Place, name: string): Promise<Replica> {
  return place.replica(name, [sets(name)], {
    CHANCERY_SHARDS: String(GROUPS),
    CHANCERY_LEASE_NAMESPACE: place.namespace,
    CHANCERY_LEASE_NAME: 'sets',
  });
}

const held = (replica: Replica): number => groupsOf(replica, 'sets');

async function createSet({ env, namespace }: Place, name: string, text: string): Promise<void> {
  await env.create<ConfigSet>({
    apiVersion: 'example.dev/v1',
    kind: 'ConfigSet',
    metadata: { name, namespace },
    spec: { names: [], text },
  });
}

async function withSets(): Promise<Place> {
  const place = await Place.start();
  await place.env.apply(DEFINITION as never);
  for (let index = 0; index < SETS; index++) await createSet(place, nameOf(index), 'first');
  return place;
}

async function texts(place: Place): Promise<ReadonlyMap<string, string>> {
  const maps = await place.env.list(configMaps, place.namespace);
  return new Map(
    maps
      .filter(({ metadata: { labels } }) => labels?.set !== undefined)
      .map(({ metadata: { name = '' }, data }) => [name, data?.text ?? '']),
  );
}

test('after a hand-over the children, revisions and statuses of composites are up to date, and each cleanup is done once', async () => {
  const place = await withSets();
  const { env, namespace } = place;
  const first = await sharer(place, 'a');
  expect(await place.until(() => held(first) === GROUPS)).toBe(true);
  await pass(place, 10_000);

  const second = await sharer(place, 'b');
  const deletedFrom = place.passed.length;
  for (let step = 0; step < 100 && held(second) < GROUPS / 2; step++) {
    if (step % 6 === 0) {
      const index = step / 6;
      await env.patch('example.dev/v1', 'ConfigSet', namespace, nameOf(index), {
        spec: { text: `step ${step}` },
      });
      await env.delete('example.dev/v1', 'ConfigSet', namespace, nameOf(SETS - 1 - index));
    }
    await pass(place, 500);
  }
  expect([held(first), held(second)]).toEqual([GROUPS / 2, GROUPS / 2]);
  const left = await env.list(configSets, namespace);
  for (const {
    metadata: { name = '' },
  } of left.slice(0, 15)) {
    await env.patch('example.dev/v1', 'ConfigSet', namespace, name, { spec: { text: 'last' } });
  }
  await pass(place, 20_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  const after = await env.list(configSets, namespace);
  const found = await texts(place);
  expect(after.length).toBeLessThan(SETS);
  expect(after.map(({ metadata: { name } }) => found.get(`${name}-map`))).toEqual(
    after.map(({ spec: { text } }) => text),
  );
  expect(after.map(({ status }) => status?.made)).toEqual(after.map(() => 2));
  // A removal of the finalizer is the only write of a parent after its deletion began.
  for (
    let index = SETS - 1;
    after.every(({ metadata }) => metadata.name !== nameOf(index));
    index--
  ) {
    const gone = env.events.of({ resource: 'configsets.example.dev', name: nameOf(index) });
    const removals = place.passed
      .slice(deletedFrom)
      .filter(({ call }) => isWrite(call) && call.resource === 'configsets.example.dev')
      .filter(({ call }) => call.name === nameOf(index) && call.subresource === undefined);
    expect(gone.at(-1)?.type).toBe('DELETED');
    expect([nameOf(index), removals.length]).toEqual([nameOf(index), 1]);
  }
});

test('orphaned children are adopted by a parent in a group of another replica', async () => {
  const place = await withSets();
  const { env, namespace } = place;
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => held(a) === GROUPS / 2 && held(b) === GROUPS / 2)).toBe(true);
  await pass(place, 10_000);
  // As after a deletion of the parent that leaves its children: they keep their labels.
  for (let index = 0; index < SETS; index++) {
    await env.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `orphan-${index}`,
        namespace,
        labels: { set: nameOf(index), 'chancery.dev/slot': String((index * 8) % 64) },
      },
    });
  }
  await pass(place, 1_000);
  for (let index = 0; index < SETS; index++) {
    await env.patch('example.dev/v1', 'ConfigSet', namespace, nameOf(index), {
      spec: { text: 'claims' },
    });
  }
  await pass(place, 10_000);

  // `sync` does not want it, so it is adopted and then deleted.
  const names = (await env.list(configMaps, namespace)).map(({ metadata: { name } }) => name);
  expect(names.filter((name) => name?.startsWith('orphan-'))).toEqual([]);
});

test('an orphaned child is adopted by a new parent of the same name, whatever group the parent is in', async () => {
  const place = await withSets();
  const { env, namespace } = place;
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => held(a) === GROUPS / 2 && held(b) === GROUPS / 2)).toBe(true);
  await pass(place, 10_000);
  for (let index = 0; index < 8; index++) {
    await env.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: {
        name: `late-${index}-map`,
        namespace,
        labels: { set: `late-${index}`, 'chancery.dev/slot': String(index * 8) },
      },
    });
    await createSet(place, `late-${index}`, 'late');
  }
  await pass(place, 20_000);

  const found = await texts(place);
  expect([...found].filter(([name]) => name.startsWith('late-')).map(([, text]) => text)).toEqual(
    Array.from({ length: 8 }, () => 'late'),
  );
});
