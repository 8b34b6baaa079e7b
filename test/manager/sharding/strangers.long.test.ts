/** Leases that somebody else writes, with the rights to do so and no idea what they are for. */
import { expect, test } from 'vitest';
import type { Place, Replica } from '../leader/replica.ts';
import {
  change,
  GROUPS,
  groupsOf,
  mirrored,
  pass,
  sharer,
  withParents,
  writtenWithoutLease,
} from './sharded-place.ts';

const YEAR_SECONDS = 365 * 24 * 3_600;
const LEASE = ['coordination.k8s.io/v1', 'Lease'] as const;

async function edit({ env, namespace }: Place, name: string, change: object): Promise<void> {
  await env.patch(...LEASE, namespace, name, change);
}

/** What the log of replicas says of Leases that do not count. */
function ignored(...replicas: readonly Replica[]): readonly string[] {
  return replicas
    .flatMap(({ operator: { log } }) => log)
    .filter(({ message }) => message.includes('is ignored'))
    .map(({ fields: { lease, reason } }) => `${lease}: ${reason}`);
}

const isLevel = (replicas: readonly Replica[]): boolean =>
  replicas.every((each) => groupsOf(each) === GROUPS / replicas.length);

async function sharing(): Promise<{
  readonly place: Place;
  readonly replicas: readonly Replica[];
}> {
  const place = await withParents();
  const replicas = [await sharer(place, 'a'), await sharer(place, 'b')];
  expect(await place.until(() => isLevel(replicas))).toBe(true);
  await pass(place, 5_000);
  return { place, replicas };
}

/** By group. */
const EDITS: readonly object[] = [
  { spec: { holderIdentity: 'stranger' } },
  { spec: { holderIdentity: null } },
  { spec: { holderIdentity: 'stranger', leaseDurationSeconds: 1 } },
  { spec: { leaseDurationSeconds: 1 } },
  { spec: { holderIdentity: 'stranger', leaseDurationSeconds: YEAR_SECONDS } },
  {
    spec: {
      renewTime: '1970-01-01T00:00:00.000000Z',
      acquireTime: '9999-12-31T23:59:59.000000Z',
    },
  },
  { spec: null },
  { metadata: { labels: null } },
];

test('if somebody edits the Leases of groups, no object gets two writers, and the Leases are held again afterwards', async () => {
  const { place, replicas } = await sharing();

  for (const [group, edited] of EDITS.entries()) {
    await edit(place, `mirror-leader-group-${group}`, edited);
  }
  for (const second of [1, 4, 7, 12, 20]) {
    await change(place, { second: String(second) });
    await pass(place, 3_000);
  }
  expect(await place.until(() => isLevel(replicas))).toBe(true);
  await change(place, { last: 'yes' });
  await pass(place, 10_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(new Set(['{"last":"yes"}']));
  expect(new Set(ignored(...replicas))).toEqual(
    new Set(['mirror-leader-group-4: its duration is over an hour']),
  );
  const leases = await place.env.list(...LEASE, place.namespace);
  for (const { metadata } of leases.filter(({ metadata: { name } }) => name?.includes('-group-'))) {
    expect(metadata.labels).toMatchObject({ 'chancery.dev/shard-set': 'mirror-leader' });
  }
});

test('if an unknown client creates a Lease with the member label, the Lease never gets a group', async () => {
  const { place, replicas } = await sharing();
  const labels = { 'chancery.dev/shard-set': 'mirror-leader' };
  const lease = (name: string, annotations: object, spec: object): object => ({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace: place.namespace, labels, annotations },
    spec,
  });
  const generation = { 'chancery.dev/shard-generation': `sharded/${GROUPS}/uid` };
  await place.env.create(lease('note', {}, { holderIdentity: 'me' }) as never);
  await place.env.create(
    lease('long', generation, {
      holderIdentity: 'me',
      leaseDurationSeconds: YEAR_SECONDS,
    }) as never,
  );
  await place.env.create(
    lease('member', generation, { holderIdentity: 'me', leaseDurationSeconds: 15 }) as never,
  );
  await edit(place, 'mirror-leader-member-a', { spec: { holderIdentity: 'stranger' } });
  for (const second of [1, 4, 7, 12, 20]) {
    await change(place, { second: String(second) });
    await pass(place, 3_000);
  }
  expect(await place.until(() => isLevel(replicas))).toBe(true);
  await pass(place, 10_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await mirrored(place);
  expect(new Set([...found.values()].map(({ of }) => of))).toEqual(new Set(['{"second":"20"}']));
  for (const replica of replicas) {
    expect(ignored(replica).toSorted()).toEqual([
      'long: its duration is over an hour',
      'note: it has no annotation chancery.dev/shard-generation',
    ]);
  }
});
