/** What controllers can do besides writing children: over a hand-over nothing of it is lost, and nothing is done by two. */
import { expect, test } from 'vitest';
import { child } from '../../../operator/composite/child.ts';
import { decorator } from '../../../operator/composite/decorator/decorator.ts';
import { type Controller, controller } from '../../../operator/controller/controller.ts';
import { enqueueMapped } from '../../../operator/controller/mapping.ts';
import { source } from '../../../operator/controller/source.ts';
import { configMaps, namespaces, type Secret, secrets } from '../../../operator/kubernetes.ts';
import { isWrite, Place, type Replica } from '../leader/replica.ts';
import { GROUPS, groupsOf, mirrored, parent, pass, writtenWithoutLease } from './sharded-place.ts';

const PARENTS = 20;
const nameOf = (index: number): string => `parent-${index}`;
const parents = source(configMaps, { labelSelector: 'app=mirrored' });

const held = (replica: Replica): number => groupsOf(replica, 'work');

interface Moving {
  readonly place: Place;
  readonly first: Replica;
  readonly second: Replica;
}

/**
 * A replica that has worked alone, and one that joins it.
 *
 * @param during - called every 500 ms until both hold the same number of groups.
 */
async function handOver(
  place: Place,
  work: (by: string) => Controller,
  during: (step: number) => Promise<void>,
): Promise<Moving> {
  const replica = (name: string): Promise<Replica> =>
    place.replica(name, [work(name)], {
      CHANCERY_SHARDS: String(GROUPS),
      CHANCERY_LEASE_NAMESPACE: place.namespace,
      CHANCERY_LEASE_NAME: 'work',
    });
  const first = await replica('a');
  expect(await place.until(() => held(first) === GROUPS)).toBe(true);
  await pass(place, 10_000);
  const second = await replica('b');
  for (let step = 0; step < 120 && held(second) < GROUPS / 2; step++) {
    await during(step);
    await pass(place, 500);
  }
  expect([held(first), held(second)]).toEqual([GROUPS / 2, GROUPS / 2]);
  return { place, first, second };
}

async function withParents(): Promise<Place> {
  const place = await Place.start();
  for (let index = 0; index < PARENTS; index++)
    await place.env.create(parent(place, nameOf(index)));
  return place;
}

async function copies({ env, namespace }: Place): Promise<readonly (string | undefined)[]> {
  const found = await env.list(configMaps, namespace);
  return found
    .filter(({ metadata: { name } }) => name?.startsWith('copy-'))
    .map(({ data }) => data?.seen);
}

test('every parent gets the latest state of an object that all parents read, whichever replica reconciles the parent', async () => {
  const place = await withParents();
  const { env, namespace } = place;
  const settings = (seen: string): Promise<unknown> =>
    env.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'settings', namespace },
      stringData: { seen },
    } as never);
  await settings('first');
  const work = (by: string): Controller =>
    controller({
      name: 'work',
      for: parents,
      owns: [source(configMaps)],
      watches: [
        enqueueMapped(secrets, ({ metadata: { name } }, { store }) =>
          name === 'settings'
            ? store(parents)
                .list()
                .map(({ metadata }) => metadata as never)
            : [],
        ),
      ],
      async reconcile({ metadata: { name = '' } }, { applyOwned, store }) {
        const { data } = store(secrets).get({ namespace, name: 'settings' }) ?? {};
        const seen = Buffer.from(data?.seen ?? '', 'base64').toString();
        await applyOwned(configMaps, { metadata: { name: `copy-${name}` }, data: { by, seen } });
      },
    });

  await handOver(place, work, async (step) => {
    if (step % 3 === 0) await settings(`step ${step}`);
  });
  await settings('last');
  await pass(place, 5_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  expect(await copies(place)).toEqual(Array.from({ length: PARENTS }, () => 'last'));
});

test('a change of a child with several owners is delivered to the replicas of all of them', async () => {
  const place = await withParents();
  const { env, namespace } = place;
  const owners = (await env.list(configMaps, namespace))
    .filter(({ metadata }) => metadata.labels?.app === 'mirrored')
    .map(({ metadata: { name, uid } }) => ({ apiVersion: 'v1', kind: 'ConfigMap', name, uid }));
  const share = (seen: string): Promise<unknown> =>
    env.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'shared', namespace, ownerReferences: owners },
      stringData: { seen },
    } as never);
  await share('first');
  const work = (by: string): Controller =>
    controller({
      name: 'work',
      for: parents,
      owns: [source(configMaps), { source: source(secrets), anyOwner: true }],
      async reconcile({ metadata: { name = '' } }, { applyOwned, store }) {
        const { data } = store(secrets).get({ namespace, name: 'shared' }) ?? {};
        const seen = Buffer.from(data?.seen ?? '', 'base64').toString();
        await applyOwned(configMaps, { metadata: { name: `copy-${name}` }, data: { by, seen } });
      },
    });

  await handOver(place, work, async (step) => {
    if (step % 3 === 0) await share(`step ${step}`);
  });
  await share('last');
  await pass(place, 5_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  expect(await copies(place)).toEqual(Array.from({ length: PARENTS }, () => 'last'));
});

test('children of cluster-scoped parents are corrected after a hand-over', async () => {
  const place = await Place.start();
  const { env, namespace } = place;
  for (let index = 0; index < PARENTS; index++) {
    await env.create({
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: `${namespace}-${index}`, labels: { app: 'mirrored' } },
    });
  }
  const work = (by: string): Controller =>
    controller({
      name: 'work',
      for: source(namespaces, { labelSelector: 'app=mirrored' }),
      owns: [source(configMaps)],
      async reconcile({ metadata: { name = '' } }, { applyOwned }) {
        const metadata = { name: `copy-${name}`, namespace };
        await applyOwned(configMaps, { metadata, data: { by, seen: 'yes' } });
      },
    });

  await handOver(place, work, async (step) => {
    if (step >= PARENTS) return;
    const name = `copy-${namespace}-${step}`;
    if (step % 2 === 0) await env.delete('v1', 'ConfigMap', namespace, name);
    else await env.patch('v1', 'ConfigMap', namespace, name, { data: { seen: 'by hand' } });
  });
  await pass(place, 10_000);

  expect(await copies(place)).toEqual(Array.from({ length: PARENTS }, () => 'yes'));
});

test('a key that is due at a certain time is reconciled at that time, even during a hand-over', async () => {
  const place = await withParents();
  const everyMs = 20_000;
  const attempts: { readonly name: string; readonly by: string; readonly atMs: number }[] = [];
  const work = (by: string): Controller =>
    controller({
      name: 'work',
      for: parents,
      reconcile({ metadata: { name = '' } }) {
        attempts.push({ name, by, atMs: place.clock.monotonic() });
        return { requeueAfterMs: everyMs };
      },
    });

  await handOver(place, work, async () => {});
  await pass(place, 60_000);

  const byName = Map.groupBy(attempts, ({ name }) => name);
  expect(byName.size).toBe(PARENTS);
  const changedHands: string[] = [];
  for (const [name, all] of byName) {
    const gaps = all.slice(1).map(({ atMs }, index) => atMs - (all[index]?.atMs ?? 0));
    // Two looks at the Leases, 5 s apart, and the way.
    expect([name, Math.max(...gaps) <= everyMs + 12_000]).toEqual([name, true]);
    const takeovers = all.filter(({ by }, index) => index > 0 && by !== all[index - 1]?.by).length;
    expect([name, takeovers]).toEqual([name, expect.toBeOneOf([0, 1])]);
    if (takeovers === 1) changedHands.push(name);
    // The one that has lost the key does not go on beside the other.
    expect(gaps.slice(-2).map(Math.round)).toEqual([everyMs, everyMs]);
  }
  expect(changedHands.length).toBeGreaterThan(0);
});

const FINALIZER = 'example.dev/work';

function cleaning(cleaned: string[]): (by: string) => Controller {
  return (by) =>
    controller({
      name: 'work',
      for: parents,
      finalizer: {
        name: FINALIZER,
        finalize({ metadata: { name } }) {
          cleaned.push(`${name} by ${by}`);
        },
      },
      reconcile: () => {},
    });
}

test('objects that are deleted while their groups move are cleaned up, and their finalizer is removed once', async () => {
  const place = await withParents();
  const { env, namespace } = place;
  const cleaned: string[] = [];
  const deleted: string[] = [];

  const { first, second } = await handOver(place, cleaning(cleaned), async (step) => {
    if (step >= PARENTS) return;
    deleted.push(nameOf(step));
    await env.delete('v1', 'ConfigMap', namespace, nameOf(step));
  });
  await pass(place, 20_000);

  const left = await env.list(configMaps, namespace);
  const names = left.map(({ metadata: { name } }) => name);
  expect(names.filter((name) => deleted.includes(name ?? ''))).toEqual([]);
  expect(cleaned.map((text) => text.split(' ')[0]).toSorted()).toEqual(deleted.toSorted());
  for (const name of deleted) {
    const removals = place.passed.filter(
      ({ call }) => call.resource === 'configmaps' && call.name === name && isWrite(call),
    );
    // It was added, and removed.
    expect([name, removals.length]).toEqual([name, 2]);
  }
  for (const { operator } of [first, second]) {
    const warnings = operator.log.filter(({ message }) => message.includes('not selected'));
    expect(warnings).toEqual([]);
  }
});

test('objects that have a finalizer but do not match the selector are cleaned up by the replica that has their group', async () => {
  const place = await withParents();
  const { env, namespace } = place;
  const cleaned: string[] = [];
  const leave = async (index: number): Promise<void> => {
    await env.patch('v1', 'ConfigMap', namespace, nameOf(index), {
      metadata: { labels: { app: null } },
    });
  };
  let left = 0;

  const { first } = await handOver(place, cleaning(cleaned), async () => {
    if (left < PARENTS / 2) await leave(left++);
  });
  while (left < PARENTS) await leave(left++);
  await pass(place, 10_000);
  for (let index = 0; index < PARENTS / 2; index++) {
    await env.delete('v1', 'ConfigMap', namespace, nameOf(index));
  }
  await pass(place, 20_000);
  await Promise.all([first.operator.stop(), pass(place, 20_000)]);
  for (let index = PARENTS / 2; index < PARENTS; index++) {
    await env.delete('v1', 'ConfigMap', namespace, nameOf(index));
  }
  await pass(place, 20_000);

  const found = await env.list(configMaps, namespace);
  const names = found.map(({ metadata: { name } }) => name);
  expect(names.filter((name) => name?.startsWith('parent-'))).toEqual([]);
  expect(cleaned.map((text) => text.split(' ')[0]).toSorted()).toEqual(
    Array.from({ length: PARENTS }, (_, index) => nameOf(index)).toSorted(),
  );
});

test('decorated objects get their attachments from the replica that has their group', async () => {
  const place = await withParents();
  const { env, namespace } = place;
  const change = async (text: string): Promise<void> => {
    for (let index = 0; index < PARENTS; index++) {
      await env.patch('v1', 'ConfigMap', namespace, nameOf(index), { data: { text } });
    }
  };
  const work = (by: string): Controller =>
    decorator({
      name: 'work',
      objects: configMaps,
      select: { labels: { matchLabels: { app: 'mirrored' } } },
      attachments: [secrets],
      sync: ({ metadata: { name = '' }, data }) => ({
        annotations: { 'example.dev/seen': data?.text ?? '' },
        attachments: [
          child<Secret>(secrets, { metadata: { name }, stringData: { by, of: data?.text ?? '' } }),
        ],
      }),
    });

  await handOver(place, work, async (step) => {
    if (step % 6 === 0) await change(`step ${step}`);
  });
  await change('last');
  await pass(place, 10_000);

  expect(writtenWithoutLease(place)).toEqual([]);
  const found = await env.list(configMaps, namespace);
  const seen = found
    .filter(({ metadata: { labels } }) => labels?.app === 'mirrored')
    .map(({ metadata: { annotations } }) => annotations?.['example.dev/seen']);
  expect(seen).toEqual(Array.from({ length: PARENTS }, () => 'last'));
  const attached = [...(await mirrored(place)).values()];
  expect(attached.map(({ of }) => of)).toEqual(Array.from({ length: PARENTS }, () => 'last'));
  expect(new Set(attached.map(({ by }) => by))).toEqual(new Set(['a', 'b']));
});
