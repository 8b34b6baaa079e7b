/** Children, against the embedded API server: what is stored in the end. */
import { describe, expect, test } from 'vitest';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import { BeingDeletedError } from '../../operator/controller/errors.ts';
import type { ReconcileContext } from '../../operator/controller/reconciler.ts';
import { type ConfigMap, configMaps, deployments } from '../../operator/model/builtin.ts';
import { AlreadyOwnedError, controllerReference } from '../../operator/model/owner-reference.ts';
import { applyConflictsOf, isApplyConflict, isUidMismatch } from '../../operator/model/refusal.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { startFamily } from '../support/owner-and-children.ts';
import { type Site, startSites } from '../support/sites.ts';

const metadata = { name: 'a' };

function theirConfigMap(namespace: string): ConfigMap {
  const names = { name: 'a', namespace };
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: names, data: { k: 'theirs' } };
}

/** What a rejected promise was rejected with. */
function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error,
  );
}

describe('[K-44] how often applyOwned writes a child', () => {
  test('a child is created once, changed when the desired state changes, and otherwise not written', async () => {
    const { env, namespace, operate, createSite, writes } = await startSites();
    const reconcile = async (site: Site, { applyOwned }: ReconcileContext<Site>) => {
      const { name } = site.metadata;
      await applyOwned(configMaps, { metadata: { name }, data: { text: site.spec.text } });
    };
    await createSite('a');
    await operate(reconcile, { resyncPeriodMs: 60_000 });
    await env.advance(10 * 60_000);
    const steady = writes('configmaps');

    await env.patch('example.dev/v1', 'Site', namespace, 'a', { spec: { text: 'bye' } });
    await env.advance(10 * 60_000);

    const child = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'a');
    expect(steady).toEqual(['create']);
    expect(child?.data).toEqual({ text: 'bye' });
    expect(child?.metadata.ownerReferences).toMatchObject([
      { kind: 'Site', name: 'a', controller: true, blockOwnerDeletion: true },
    ]);
  });

  test('a child that another client deletes is created again', async () => {
    const { env, namespace, apply, child, requests } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    const before = requests().length;

    await env.delete('v1', 'ConfigMap', namespace, 'a');
    await apply(configMaps, { metadata, data: { k: 'v' } });

    expect((await child())?.data).toEqual({ k: 'v' });
    // Its owner is looked at: it may be gone, too.
    expect(requests().slice(before)).toEqual(['get a', 'get owner', 'create']);
  });

  test('after the owner was deleted, its child is not created again, even if the cache still has the owner', async () => {
    const { env, namespace, apply, child, writes } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    await env.delete('v1', 'ConfigMap', namespace, 'owner');
    await env.delete('v1', 'ConfigMap', namespace, 'a'); // as the garbage collector does

    const failure = await failureOf(apply(configMaps, { metadata, data: { k: 'v' } }));

    expect(failure).toBeInstanceOf(BeingDeletedError);
    expect(await child()).toBeUndefined();
    expect(writes()).toEqual(['create']);
  });

  test('values that the server normalises, and fields that others add, cause no write', async () => {
    const { env, namespace, apply, writes } = await startFamily();
    const resources = { requests: { cpu: '1000m', memory: '1024Mi' } };
    const spec = {
      selector: { matchLabels: { app: 'a' } },
      template: {
        metadata: { labels: { app: 'a' } },
        spec: { containers: [{ name: 'a', image: 'a', resources }] },
      },
    };
    await apply(deployments, { metadata, spec });
    const first = writes();

    for (const replicas of [1, 2, 3]) {
      const status = { replicas };
      await env.patch('apps/v1', 'Deployment', namespace, 'a', { status }, 'status');
      const annotations = { 'somebody.else/revision': String(replicas) };
      await env.patch('apps/v1', 'Deployment', namespace, 'a', { metadata: { annotations } });
      await apply(deployments, { metadata, spec });
    }

    expect(first).toEqual(['create']);
    expect(writes()).toEqual(first);
  });

  test('after a restart, an unchanged child is applied once, and then not again', async () => {
    const { apply, writes, restart, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    await apply(configMaps, { metadata, data: { k: 'w' } });
    const before = await child();
    const count = writes().length;

    restart();
    for (let time = 0; time < 3; time += 1) await apply(configMaps, { metadata, data: { k: 'w' } });

    expect(writes()).toHaveLength(count + 1);
    expect((await child())?.metadata.resourceVersion).toBe(before?.metadata.resourceVersion);
  });

  test('while the cache does not have the last write, the child is not written again', async () => {
    const { apply, cached, child, writes } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    cached.set('a', await child());
    await apply(configMaps, { metadata, data: { k: 'w' } });
    const count = writes().length;

    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect(writes()).toHaveLength(count);
  });

  test("[K-35] another client's change of an applied field is reverted, but a field that it adds stays", async () => {
    const { env, namespace, apply, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    await env.patch('v1', 'ConfigMap', namespace, 'a', { data: { k: 'theirs', more: 'x' } });

    await apply(configMaps, { metadata, data: { k: 'v' } });

    expect((await child())?.data).toEqual({ k: 'v', more: 'x' });
  });
});

describe('[K-33] applyOwned removes fields that are no longer applied', () => {
  test.each([
    ['was set when the child was created', false],
    ['was set when an earlier process created the child', true],
  ])('a field that is no longer applied is removed: it %s', async (_, restarted) => {
    const { apply, child, restart } = await startFamily();
    await apply(configMaps, {
      metadata: { ...metadata, labels: { l: 'm' } },
      data: { k: 'v', old: 'x' },
    });

    if (restarted) restart();
    await apply(configMaps, { metadata, data: { k: 'v' } });

    expect((await child())?.data).toEqual({ k: 'v' });
    expect((await child())?.metadata.labels).toBeUndefined();
  });

  test('a field that was added by a later apply is removed when it is no longer applied', async () => {
    const { apply, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    await apply(configMaps, { metadata, data: { k: 'v', late: 'x' } });

    await apply(configMaps, { metadata, data: { k: 'v' } });

    expect((await child())?.data).toEqual({ k: 'v' });
  });

  test('[K-35] an apply does not remove a field that the same controller has patched later', async ({
    skip,
  }) => {
    const { env, apply, child, client, clock, namespace } = await startFamily();
    skip(!env.supports('clock'), 'the API server has a clock of its own');
    await apply(configMaps, { metadata, data: { k: 'v' } });
    clock.advance(5_000);
    const body = { data: { patched: 'x' } };
    await client.patch(configMaps, { namespace, name: 'a' }, { type: 'merge', body });

    await apply(configMaps, { metadata, data: { k: 'w' } });

    expect((await child())?.data).toEqual({ k: 'w', patched: 'x' });
  });
});

describe('[K-41] applyOwned with a cache that is behind', () => {
  test('an apply does not recreate a child that is deleted, but still in the cache', async () => {
    const { env, namespace, apply, cached, child } = await startFamily();
    cached.set('a', await apply(configMaps, { metadata, data: { k: 'v' } }));
    await env.delete('v1', 'ConfigMap', namespace, 'a');

    const error = await failureOf(apply(configMaps, { metadata, data: { k: 'w' } }));

    expect(isUidMismatch(error)).toBe(true);
    expect(await child()).toBeUndefined();
  });

  test('an apply does not take over another object that now has the name of the cached child', async () => {
    const { env, namespace, apply, cached, child, foreign } = await startFamily();
    cached.set('a', await apply(configMaps, { metadata, data: { k: 'v' } }));
    await env.delete('v1', 'ConfigMap', namespace, 'a');
    const other = await foreign();

    const error = await failureOf(apply(configMaps, { metadata, data: { k: 'w' } }));

    expect(isUidMismatch(error)).toBe(true);
    expect(await child()).toEqual(other);
  });
});

describe("[K-45] applyOwned if an object with the child's name is not in the cache", () => {
  test('an existing child of the owner is updated even if it is not yet in the cache', async () => {
    const { apply, cached, child } = await startFamily();
    await apply(configMaps, { metadata, data: { k: 'v' } });
    cached.set('a', undefined);

    const applied = await apply(configMaps, { metadata, data: { k: 'w' } });

    expect(applied.data).toEqual({ k: 'w' });
    expect(await child()).toEqual(applied);
  });

  test('a child is not created while an object with its name is being deleted', async () => {
    const { env, namespace, apply, cached, child, foreign } = await startFamily();
    await foreign({ finalizers: ['example.dev/held'] });
    await env.delete('v1', 'ConfigMap', namespace, 'a');
    cached.set('a', undefined);

    const error = await failureOf(apply(configMaps, { metadata, data: {} }));

    expect(error).toBeInstanceOf(BeingDeletedError);
    expect(error).toMatchObject({ code: 'BEING_DELETED', retryAfterMs: 5_000 });
    expect((await child())?.data).toEqual({ theirs: 'x' });
  });

  test("an object with the child's name and another controller is not changed", async () => {
    const { apply, cached, child, foreign } = await startFamily();
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'u9' };
    const other = await foreign({ ownerReferences: [{ ...reference, controller: true }] });
    cached.set('a', undefined);

    const error = await failureOf(apply(configMaps, { metadata, data: {} }, { adopt: true }));

    expect(error).toBeInstanceOf(AlreadyOwnedError);
    expect(error).toMatchObject({ code: 'ALREADY_OWNED', controller: { uid: 'u9' } });
    expect(await child()).toEqual(other);
  });
});

test('[K-45] a child that is being deleted is not written, and the key waits until it is gone', async () => {
  const { env, namespace, apply, child } = await startFamily();
  await apply(configMaps, {
    metadata: { ...metadata, finalizers: ['example.dev/held'] },
    data: {},
  });
  await env.delete('v1', 'ConfigMap', namespace, 'a');
  const before = await child();

  const error = await failureOf(apply(configMaps, { metadata, data: { k: 'v' } }));

  expect(error).toBeInstanceOf(BeingDeletedError);
  expect(await child()).toEqual(before);
});

test('[K-45] each apply with `generateName` creates a new child, with its owner', async () => {
  const { apply, owner } = await startFamily();
  const desired = { metadata: { generateName: 'a-' }, data: { k: 'v' } };

  const [one, two] = [await apply(configMaps, desired), await apply(configMaps, desired)];

  expect(one.metadata.name).toMatch(/^a-.{5}$/);
  expect(two.metadata.name).not.toBe(one.metadata.name);
  expect(one.metadata.ownerReferences).toMatchObject([{ uid: owner.metadata.uid }]);
});

test('[K-45] an object that has the owner, but was not created by a decorator, is not treated as an attachment', async () => {
  const { apply, child, client, foreign, namespace, owner } = await startFamily();
  const ownerReferences = [controllerReference(owner, configMaps as Resource)];
  const made = await foreign({ ownerReferences });
  const annotations = { 'metacontroller.k8s.io/decorator-controller': 'painter' };
  const desired = { metadata: { ...metadata, namespace, annotations }, data: { k: 'v' } };
  const context = { applyOwned: apply, client } as unknown as ReconcileContext;
  const write = { owner, ownerResource: configMaps as Resource, context };

  const error = await failureOf(
    applyWriter({ fieldManager: 'painter' }).create(configMaps as Resource, desired, write),
  );

  expect(error).toMatchObject({ code: 'ALREADY_OWNED', context: { name: `${namespace}/a` } });
  expect(await child()).toEqual(made);
});

describe('[K-32] applyOwned if the object has no controller', () => {
  test('an object without a controller is changed only with `adopt: true`', async () => {
    const { apply, child, foreign } = await startFamily();
    const orphan = await foreign();

    const error = await failureOf(apply(configMaps, { metadata, data: { k: 'v' } }));

    expect(error).toMatchObject({ name: 'AlreadyOwnedError', controller: undefined });
    expect(await child()).toEqual(orphan);
  });

  test('[found 10] the error for an object without a controller mentions `adopt` only for applyOwned', async () => {
    const { apply, client, foreign, namespace, owner } = await startFamily();
    await foreign();
    const desired = { metadata: { ...metadata, namespace }, data: { k: 'v' } };
    const context = { applyOwned: apply, client } as unknown as ReconcileContext;
    const write = { owner, ownerResource: configMaps as Resource, context };
    const writer = applyWriter({ fieldManager: 'tester' });

    await expect(apply(configMaps, desired)).rejects.toThrow(/takes it only with adopt: true$/);
    await expect(writer.create(configMaps as Resource, desired, write)).rejects.toThrow(
      /exists without a controller: it is left alone; delete it, or give the child another name$/,
    );
  });

  test('with `adopt: true`, an object without a controller is adopted, and keeps its other fields', async () => {
    const { apply, child, foreign, owner } = await startFamily();
    const orphan = await foreign();

    await apply(configMaps, { metadata, data: { k: 'v' } }, { adopt: true });

    const adopted = await child();
    expect(adopted?.metadata.uid).toBe(orphan.metadata.uid);
    expect(adopted?.data).toEqual({ k: 'v', theirs: 'x' });
    expect(adopted?.metadata.ownerReferences).toMatchObject([
      { uid: owner.metadata.uid, controller: true },
    ]);
  });

  test.each<[string, (family: Awaited<ReturnType<typeof startFamily>>) => Promise<unknown>]>([
    ['is gone', ({ env, namespace }) => env.delete('v1', 'ConfigMap', namespace, 'owner')],
    [
      'is being deleted',
      async ({ env, namespace }) => {
        const held = { metadata: { finalizers: ['example.dev/held'] } };
        await env.patch('v1', 'ConfigMap', namespace, 'owner', held);
        await env.delete('v1', 'ConfigMap', namespace, 'owner');
      },
    ],
    [
      'is another object of the same name',
      async ({ env, namespace }) => {
        await env.delete('v1', 'ConfigMap', namespace, 'owner');
        await env.create({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'owner', namespace },
        });
      },
    ],
  ])('an owner that %s adopts no object, even if the cache has an older state', async (_, happen) => {
    const family = await startFamily();
    const orphan = await family.foreign();
    await happen(family);

    const error = await failureOf(
      family.apply(configMaps, { metadata, data: { k: 'v' } }, { adopt: true }),
    );

    expect(error).toMatchObject({ code: 'BEING_DELETED' });
    expect(await family.child()).toEqual(orphan);
  });

  test('[K-40] an orphan with fields that another manager applied is adopted only with `force: true`', async () => {
    const { env, namespace, apply, child } = await startFamily();
    await env.apply([theirConfigMap(namespace)]);

    const desired = { metadata, data: { k: 'v' } };
    const error = await failureOf(apply(configMaps, desired, { adopt: true }));
    const refused = await child();
    await apply(configMaps, desired, { adopt: true, force: true });

    expect(isApplyConflict(error)).toBe(true);
    expect(applyConflictsOf(error)).toMatchObject([{ field: '.data.k' }]);
    expect(refused?.data).toEqual({ k: 'theirs' });
    expect((await child())?.data).toEqual({ k: 'v' });
  });
});

test('[K-40] a field that another manager has applied is taken back, but causes a conflict if `force` is false', async () => {
  const { env, namespace, apply, child } = await startFamily();
  const desired = { metadata, data: { k: 'v' } };
  const takeOver = () => env.apply([theirConfigMap(namespace)]);
  await apply(configMaps, desired);
  await takeOver();

  const error = await failureOf(apply(configMaps, desired, { force: false }));
  const refused = await child();
  await apply(configMaps, desired);

  expect(isApplyConflict(error)).toBe(true);
  expect(refused?.data).toEqual({ k: 'theirs' });
  expect((await child())?.data).toEqual({ k: 'v' });
});
