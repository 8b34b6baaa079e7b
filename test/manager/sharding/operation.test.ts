/** What people see of replicas that share the work, and when one of them counts as broken. */
import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { eventually, freePort } from '@chancery/testing';
import { expect, test } from 'vitest';
import { controller } from '../../../operator/controller/controller.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, events, leases } from '../../../operator/kubernetes.ts';
import { OUTAGE, Place, type Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, mirror, parent, pass, sharer } from './sharded-place.ts';

/** What the probes say of a replica, by its port. */
async function probes(port: number): Promise<{ readonly live: number; readonly ready: number }> {
  const ask = async (path: string): Promise<number> => {
    const sent = get({ port, path, host: '127.0.0.1', agent: false });
    const [response] = (await once(sent, 'response')) as [IncomingMessage];
    response.resume();
    return response.statusCode ?? 0;
  };
  return { live: await ask('/healthz'), ready: await ask('/readyz') };
}

const listening = (port: number): Readonly<Record<string, string>> => ({
  CHANCERY_HEALTH_PORT: String(port),
  CHANCERY_HEALTH_HOST: '127.0.0.1',
});

const sizeOf = (replica: Replica, phase: string): number =>
  replica.operator.status.sharding?.groups.filter((each) => each.phase === phase).length ?? 0;

/** The notes of Events about Pods, by the names of the Pods. */
async function podNotes(place: Place): Promise<ReadonlyMap<string, readonly string[]>> {
  const found = await place.env.list(events, place.namespace);
  expect(found.map(({ regarding }) => regarding?.kind)).not.toContain('Lease');
  const notes = found.map(({ regarding, reason, note }) => ({
    pod: regarding?.name ?? '',
    text: `${reason}: ${note}`,
  }));
  const byPod = Map.groupBy(notes, ({ pod }) => pod);
  return new Map([...byPod].map(([pod, all]) => [pod, all.map(({ text }) => text).sort()]));
}

async function steal(place: Place, group: number): Promise<void> {
  const name = `mirror-leader-group-${group}`;
  const spec = { holderIdentity: 'thief' };
  await place.env.patch('coordination.k8s.io/v1', 'Lease', place.namespace, name, { spec });
}

test('[SH-10] the status lists each group with its holder, and each replica with the age of its Lease', async () => {
  const place = await Place.start();
  const [a, b] = [await sharer(place, 'a'), await sharer(place, 'b')];
  const half = GROUPS / 2;
  const isLevel = (): boolean => [a, b].every((each) => sizeOf(each, 'owning') === half);
  expect(await place.until(isLevel)).toBe(true);
  await pass(place, 6_000);

  const { sharding } = a.operator.status;

  expect(sharding).toMatchObject({
    lease: `${place.namespace}/mirror-leader`,
    division: `sharded/${GROUPS}/uid`,
  });
  expect(sharding?.groups.map(({ group }) => group)).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  for (const { holder, phase } of sharding?.groups ?? []) {
    expect(holder).toMatch(phase === 'owning' ? /^a_/ : /^b_/);
  }
  expect(sharding?.members).toEqual(
    ['a', 'b'].map((pod) => ({
      identity: expect.stringMatching(`^${pod}_`),
      division: `sharded/${GROUPS}/uid`,
      fresh: true,
      unchangedSeconds: expect.toSatisfy((seconds: number) => seconds >= 0 && seconds <= 6),
    })),
  );

  await b.operator.kill();
  const isSilent = (): boolean => a.operator.status.sharding?.members[1]?.fresh === false;
  expect(await place.until(isSilent, 25_000)).toBe(true);
  expect(a.operator.status.sharding?.members[1]?.unchangedSeconds).toBeGreaterThanOrEqual(15);
});

test('[SH-10] a replica that starts with all groups sends one Event about its Pod, and one more for each hand-over', async () => {
  const place = await Place.start();
  const a = await sharer(place, 'a', { POD_UID: 'uid-of-a' });
  expect(await place.until(() => sizeOf(a, 'owning') === GROUPS)).toBe(true);
  await pass(place, 6_000);
  expect(await podNotes(place)).toEqual(
    new Map([['a', ['GroupsTaken: works on 8 of 8 groups: 0, 1, 2, 3, 4, 5, 6, 7']]]),
  );

  const b = await sharer(place, 'b');
  expect(await place.until(() => sizeOf(b, 'owning') === GROUPS / 2)).toBe(true);
  await pass(place, 6_000);

  const notes = await podNotes(place);
  expect(notes.get('a')?.join('\n')).toMatch(/^GroupsHandedOver: hands over 4 of 8 groups: /);
  expect(notes.get('b')?.join('\n')).toMatch(/^GroupsTaken: works on 4 of 8 groups: /);

  await b.operator.stop();
  expect((await podNotes(place)).get('b')?.[0]).toMatch(/^GroupsHandedOver: hands over 4 of 8 /);
  const [event] = await place.env.list(events, place.namespace);
  expect(event?.reportingController).toBe('chancery.dev/sharding');
});

test('[SH-9] a replica that loses groups sends a Warning about its Pod, and its process neither ends nor restarts', async () => {
  const place = await Place.start();
  const port = await freePort();
  const a = await sharer(place, 'a', listening(port));
  expect(await place.until(() => sizeOf(a, 'owning') === GROUPS)).toBe(true);
  await pass(place, 6_000);

  await steal(place, 3);
  expect(await place.until(() => sizeOf(a, 'owning') === GROUPS - 1)).toBe(true);
  expect(await probes(port)).toEqual({ live: 200, ready: 200 });
  await pass(place, 6_000);
  expect((await podNotes(place)).get('a')).toContain(
    'GroupsLost: lost its Leases of 1 of 8 groups: 3',
  );

  a.gate = OUTAGE;
  await pass(place, 60_000);
  expect(groupsOf(a)).toBe(0);
  expect(await probes(port)).toEqual({ live: 200, ready: 200 });
  a.gate = {};
  expect(await place.until(() => sizeOf(a, 'owning') === GROUPS)).toBe(true);
  expect(a.operator.status.phase).toBe('running');
});

test('[SH-9] if a reconcile of a lost group does not end, the liveness probe fails, and no other group is affected', async () => {
  const place = await Place.start();
  const port = await freePort();
  const stuck = Promise.withResolvers<void>();
  const reconciled: string[] = [];
  await place.env.create(parent(place, 'stuck'));
  const ignoring = controller({
    name: 'mirror',
    for: source(configMaps, { labelSelector: 'app=mirrored' }),
    async reconcile({ metadata: { name = '' } }) {
      reconciled.push(name);
      await stuck.promise; // it ignores its signal
    },
  });
  const environment = { CHANCERY_SHARDS: '2', CHANCERY_LEASE_NAMESPACE: place.namespace };
  const a = await place.replica('a', [ignoring], { ...environment, ...listening(port) });
  expect(await place.until(() => reconciled.length === 1)).toBe(true);

  for (const group of [0, 1]) await steal(place, group);
  await pass(place, 20_000);
  expect(await probes(port)).toMatchObject({ live: 200 });
  await pass(place, 30_000);
  expect(await probes(port)).toMatchObject({ live: 500 });
  expect([sizeOf(a, 'lost'), sizeOf(a, 'owning')]).toEqual([1, 1]);

  stuck.resolve();
  expect(await place.until(() => sizeOf(a, 'owning') === 2)).toBe(true);
  await eventually(async () => (await probes(port)).live === 200);
});

test('[SH-9] a replica without groups is ready, and the log warns of too many replicas', async () => {
  const place = await Place.start();
  const port = await freePort();
  const sharing = { CHANCERY_SHARDS: '1', CHANCERY_LEASE_NAMESPACE: place.namespace };
  const first = await place.replica('a', [mirror()], sharing);
  expect(await place.until(() => sizeOf(first, 'owning') === 1)).toBe(true);

  const second = await place.replica('b', [mirror()], { ...sharing, ...listening(port) });
  expect(await place.until(() => second.operator.ready)).toBe(true);
  await pass(place, 20_000);

  expect(sizeOf(second, 'owning')).toBe(0);
  expect(await probes(port)).toEqual({ live: 200, ready: 200 });
  const crowded = first.operator.log.filter(({ message }) =>
    message.includes('fewer than two groups'),
  );
  expect(crowded).toHaveLength(1);
});

test('[SH-2] the Lease of a replica is owned by its Pod when the Pod’s uid is known', async () => {
  const place = await Place.start();
  await sharer(place, 'a', { POD_UID: 'uid-of-a' });
  const b = await sharer(place, 'b');
  expect(await place.until(() => b.operator.status.sharding?.members.length === 2)).toBe(true);

  const all = await place.env.list(leases, place.namespace);

  const found = all.filter(({ metadata }) => metadata.name?.includes('-member-'));
  expect(found.map(({ metadata }) => metadata.ownerReferences)).toEqual([
    [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'uid-of-a' }],
    undefined,
  ]);
});
