/** How much of the parents each replica receives, in bytes on all its connections. */
import { TcpProxy } from '@chancery/testing';
import { expect, onTestFinished, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps } from '../../../operator/kubernetes.ts';
import { SLOTS, slotOf } from '../../../operator/model/shard/field-hash.ts';
import { Place, type Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, parent, pass, sharerOf } from './sharded-place.ts';

const OBJECTS = 240;
const OBJECT_BYTES = 8_000;
const REPLICAS = ['a', 'b', 'c', 'd'] as const;
const WINDOW_MS = 10_000;
const AT_MOST = 1.1 / REPLICAS.length;

/** Reads the parents, and has no children: these are selected by their label in any case. */
const reader = controller({
  name: 'mirror',
  for: source(configMaps, { labelSelector: 'app=mirrored' }),
  reconcile: () => {},
});

/** Each group has equally many objects. */
async function withObjects(gate: boolean): Promise<Place> {
  const place = await Place.start({ featureGates: { ShardedListAndWatch: gate } });
  const { namespace, env } = place;
  const counts = new Map<number, number>();
  for (let made = 0, name = 0; made < OBJECTS; name++) {
    const object = parent(place, `parent-${name}`, { text: 'a'.repeat(OBJECT_BYTES) });
    const group = Math.floor(
      (slotOf(env.server.create(object).metadata.uid ?? '') * GROUPS) / SLOTS,
    );
    const count = (counts.get(group) ?? 0) + 1;
    if (count > OBJECTS / GROUPS) {
      env.server.delete('v1', 'ConfigMap', namespace, `parent-${name}`);
      continue;
    }
    counts.set(group, count);
    made++;
  }
  return place;
}

function change({ env, namespace }: Place): void {
  for (const { metadata } of env.server.list('v1', 'ConfigMap', namespace)) {
    const data = { text: 'b'.repeat(OBJECT_BYTES) };
    env.server.patch('v1', 'ConfigMap', namespace, metadata.name ?? '', { data });
  }
}

/** Counts the bytes that come to the replica that `start` starts. */
async function counted(
  place: Place,
  start: () => Promise<Replica>,
): Promise<{ readonly replica: Replica; readonly bytes: () => number }> {
  const { server } = place;
  const line = new TcpProxy({ port: Number(new URL(server).port) });
  await line.start();
  onTestFinished(() => line.close());
  place.server = line.url;
  const replica = await start();
  place.server = server;
  const bytes = () => line.connections.reduce((sum, each) => sum + each.bytesToClient, 0);
  return { replica, bytes };
}

/** The bytes of one change of each object, without those that come in a time of that length in any case: Leases. */
async function ofChanges(
  place: Place,
  meters: readonly (() => number)[],
): Promise<readonly number[]> {
  const read = (): readonly number[] => meters.map((bytes) => bytes());
  await pass(place, WINDOW_MS);
  const start = read();
  await pass(place, WINDOW_MS);
  const quiet = read();
  change(place);
  await pass(place, WINDOW_MS);
  return read().map((bytes, index) => bytes - 2 * (quiet[index] ?? 0) + (start[index] ?? 0));
}

/** What a leader receives that has all objects. */
async function ofLeader(): Promise<number> {
  const place = await withObjects(false);
  const { replica, bytes } = await counted(place, () => place.replica('a', [reader]));
  expect(await place.until(() => replica.operator.leads)).toBe(true);
  const [first = 0] = await ofChanges(place, [bytes]);
  return first;
}

/** What each of four replicas receives that share the objects. @param gate - the server selects. */
async function ofReplicas(gate: boolean): Promise<readonly number[]> {
  const place = await withObjects(gate);
  const all: Awaited<ReturnType<typeof counted>>[] = [];
  for (const name of REPLICAS) {
    all.push(await counted(place, () => sharerOf(reader, place, name)));
  }
  const isLevel = (): boolean =>
    all.every(({ replica }) => groupsOf(replica) === GROUPS / REPLICAS.length);
  expect(await place.until(isLevel)).toBe(true);
  return ofChanges(
    place,
    all.map(({ bytes }) => bytes),
  );
}

test('[sharding 13] each of four replicas gets a quarter of the changes if the server selects by shard, otherwise all', async () => {
  const leader = await ofLeader();
  const selected = await ofReplicas(true);
  const filtered = await ofReplicas(false);

  expect(leader).toBeGreaterThan(OBJECTS * OBJECT_BYTES);
  for (const bytes of selected) expect(bytes / leader).toBeLessThan(AT_MOST);
  const sum = selected.reduce((all, bytes) => all + bytes, 0);
  expect(sum / leader).toBeGreaterThan(0.95);
  for (const bytes of filtered) expect(Math.abs(bytes / leader - 1)).toBeLessThan(0.05);
});
