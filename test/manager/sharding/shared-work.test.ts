import { expect, test } from 'vitest';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { type ConfigMap, configMaps, secrets } from '../../../operator/kubernetes.ts';
import { isWrite, OUTAGE, Place, type Replica } from '../leader/replica.ts';

const PARENTS = 60;

/** Writes a Secret for each ConfigMap of the namespace that has the label. */
function mirror(): Controller {
  return controller({
    name: 'mirror',
    for: source(configMaps, { labelSelector: 'app=mirrored' }),
    owns: [secrets],
    async reconcile({ metadata: { name = '', namespace = '' }, data }, { applyOwned, self }) {
      await applyOwned(secrets, {
        metadata: { name, namespace },
        stringData: { by: self.podName ?? '', of: JSON.stringify(data ?? {}) },
      });
    },
  });
}

async function withParents(): Promise<Place> {
  const place = await Place.start();
  for (let index = 0; index < PARENTS; index++) {
    await place.env.create(parent(place, `parent-${index}`));
  }
  return place;
}

const parent = ({ namespace }: Place, name: string, data = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace, labels: { app: 'mirrored' } },
  data,
});

const sharded = (place: Place) => ({
  CHANCERY_SHARDS: '8',
  CHANCERY_LEASE_NAMESPACE: place.namespace,
});

function text(base64 = ''): string {
  return Buffer.from(base64, 'base64').toString();
}

/** The number of groups that a replica holds. */
function groupsOf({ operator: { meter } }: Replica): number {
  const groups = Array.from({ length: 8 }, (_, group) => `mirror-leader-group-${group}`);
  return groups.filter((name) => meter.value('leader_election_master_status', { name }) === 1)
    .length;
}

/** Which replica wrote each Secret last, by its name. */
async function lastWriters(place: Place): Promise<ReadonlyMap<string, string>> {
  const found = await place.env.list(secrets, place.namespace);
  return new Map(found.map(({ metadata, data }) => [metadata.name ?? '', text(data?.by)]));
}

test('[sharding 4] three replicas write the children of all parents, each those of its own groups', async () => {
  const place = await withParents();
  const names = ['a', 'b', 'c'];
  const replicas: Replica[] = [];
  for (const name of names) replicas.push(await place.replica(name, [mirror()], sharded(place)));
  const isLevel = (): boolean => replicas.every((replica) => groupsOf(replica) >= 2);
  expect(await place.until(isLevel)).toBe(true);
  await place.until(() => false, 5_000);

  const by = await lastWriters(place);
  expect(by.size).toBe(PARENTS);
  expect(new Set(by.values())).toEqual(new Set(names));
  const from = place.passed.length;
  for (const name of by.keys()) {
    await place.env.apply(parent(place, name, { changed: 'yes' }));
  }
  await place.until(() => false, 5_000);
  const later = place.passed.slice(from).filter(({ call }) => call.resource === 'secrets');
  for (const { who, call } of later.filter(({ call }) => isWrite(call))) {
    expect(by.get(call.name ?? '')).toBe(who);
  }
});

test('[sharding 9] a replica that stops gives its groups to the others, which handle what changed meanwhile', async () => {
  const place = await withParents();
  const names = ['a', 'b', 'c'];
  const replicas: Replica[] = [];
  for (const name of names) replicas.push(await place.replica(name, [mirror()], sharded(place)));
  expect(await place.until(() => replicas.every((each) => groupsOf(each) >= 2))).toBe(true);

  const [leaving, ...staying] = replicas as [Replica, Replica, Replica];
  const before = await lastWriters(place);
  const stopping = leaving.operator.stop();
  for (const name of before.keys()) {
    await place.env.apply(parent(place, name, { changed: 'later' }));
  }
  const isTaken = (): boolean => staying.reduce((sum, each) => sum + groupsOf(each), 0) === 8;
  expect(await place.until(isTaken, 20_000)).toBe(true);
  await stopping;
  await place.until(() => false, 10_000);

  const after = await place.env.list(secrets, place.namespace);
  expect(after.map(({ data }) => text(data?.of))).toEqual(
    Array.from({ length: PARENTS }, () => '{"changed":"later"}'),
  );
});

test('[sharding 7] groups of a replica without an ambassador move, and it writes nothing until it has some again', async () => {
  const place = await withParents();
  const [lost, other] = [
    await place.replica('a', [mirror()], sharded(place)),
    await place.replica('b', [mirror()], sharded(place)),
  ];
  expect(await place.until(() => groupsOf(lost) === 4 && groupsOf(other) === 4)).toBe(true);

  lost.gate = OUTAGE;
  expect(await place.until(() => groupsOf(other) === 8, 40_000)).toBe(true);
  expect(groupsOf(lost)).toBe(0);
  const from = place.clock.monotonic();
  lost.gate = {};
  for (const name of (await lastWriters(place)).keys()) {
    await place.env.apply(parent(place, name, { changed: 'again' }));
  }
  expect(await place.until(() => groupsOf(lost) === 4)).toBe(true);
  await place.until(() => false, 10_000);

  const writes = place.passed.filter(
    ({ call, atMs }) => atMs >= from && call.resource === 'secrets' && isWrite(call),
  );
  for (const [name, all] of Map.groupBy(writes, ({ call }) => call.name ?? '')) {
    const turns = all.filter(({ who }, index) => who !== all[index - 1]?.who).length;
    expect([name, turns <= 2]).toEqual([name, true]);
  }
  const after = await place.env.list(secrets, place.namespace);
  expect(new Set(after.map(({ data }) => text(data?.of)))).toEqual(
    new Set(['{"changed":"again"}']),
  );
});
