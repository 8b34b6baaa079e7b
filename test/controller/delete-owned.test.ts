/** Children that are to go, against the embedded API server: what is stored in the end. */
import { describe, expect, test } from 'vitest';
import { configMaps } from '../../operator/model/builtin.ts';
import { isControlledBy } from '../../operator/model/owner-reference.ts';
import { startFamily } from '../support/owner-and-children.ts';

const metadata = { name: 'a' };

describe('[K-36] the function deleteOwned', () => {
  test('deleteOwned deletes a child and returns true; when called again it returns false', async () => {
    const { apply, child, remove } = await startFamily();
    await apply(configMaps, { metadata });

    const answers = [await remove(configMaps, metadata), await remove(configMaps, metadata)];

    expect(answers).toEqual([true, false]);
    expect(await child()).toBeUndefined();
  });

  test('deleteOwned does not delete an object that has another controller, or none', async () => {
    const { child, env, foreign, namespace, remove, writes } = await startFamily();
    const nobodys = await foreign();
    const left = [await remove(configMaps, metadata), await child()];
    await env.delete('v1', 'ConfigMap', namespace, 'a');
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: 'u9' };
    const other = await foreign({ ownerReferences: [{ ...reference, controller: true }] });

    const answer = await remove(configMaps, metadata);

    expect(left).toEqual([false, nobodys]);
    expect(answer).toBe(false);
    expect(await child()).toEqual(other);
    expect(writes()).toEqual([]);
  });

  test('deleteOwned does not delete an object if the owner is not its controller', async () => {
    const { child, foreign, owner, remove } = await startFamily();
    const { uid = '' } = owner.metadata;
    const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid };
    await foreign({ ownerReferences: [reference] });

    expect(await remove(configMaps, metadata)).toBe(false);
    expect(await child()).toBeDefined();
  });

  test('deleteOwned does not delete a child again while it is being deleted', async () => {
    const { apply, child, env, namespace, remove, writes } = await startFamily();
    await apply(configMaps, { metadata: { ...metadata, finalizers: ['example.dev/held'] } });
    await env.delete('v1', 'ConfigMap', namespace, 'a');

    expect(await remove(configMaps, metadata)).toBe(false);
    expect((await child())?.metadata.deletionTimestamp).toBeDefined();
    expect(writes()).toEqual(['create']);
  });

  test('deleteOwned causes no error if the child is already gone, but still in the cache', async () => {
    const { apply, cached, env, namespace, remove } = await startFamily();
    cached.set('a', await apply(configMaps, { metadata }));
    await env.delete('v1', 'ConfigMap', namespace, 'a');

    expect(await remove(configMaps, metadata)).toBe(false);
  });

  test('deleteOwned does not delete another object that now has the child’s name', async () => {
    const { apply, cached, child, env, foreign, namespace, remove } = await startFamily();
    cached.set('a', await apply(configMaps, { metadata }));
    await env.delete('v1', 'ConfigMap', namespace, 'a');
    const other = await foreign();

    expect(await remove(configMaps, metadata)).toBe(false);
    expect(await child()).toEqual(other);
  });

  test("deleteOwned deletes in the given namespace, and by default in the owner's namespace", async () => {
    const { apply, env, remove } = await startFamily();
    const elsewhere = await env.namespace();
    await apply(configMaps, { metadata });

    expect(await remove(configMaps, { ...metadata, namespace: elsewhere })).toBe(false);
    expect(await remove(configMaps, metadata)).toBe(true);
  });

  test.each([
    ['after the child', undefined, 'Background'],
    ['before the child', { propagationPolicy: 'Foreground' }, 'Foreground'],
    ['never', { propagationPolicy: 'Orphan' }, 'Orphan'],
  ] as const)('deleteOwned deletes the dependents of the child %s', async (_, options, propagationPolicy) => {
    const asked: unknown[] = [];
    const { apply, remove } = await startFamily((next) => (call) => {
      if (call.verb === 'delete') asked.push(call.options);
      return next(call);
    });
    const { uid } = (await apply(configMaps, { metadata })).metadata;

    await remove(configMaps, metadata, options);

    expect(asked).toEqual([{ preconditions: { uid }, propagationPolicy }]);
  });
});

test('isControlledBy is true only for the owner with the uid from the controller reference', () => {
  const object = (uid: string | undefined, ...owners: object[]) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'a', ...(uid !== undefined && { uid }), ownerReferences: owners as never },
  });
  const reference = { apiVersion: 'v1', kind: 'ConfigMap', name: 'a', uid: 'u1' };
  const controlled = object('u2', { ...reference, controller: true });

  expect(isControlledBy(controlled, object('u1'))).toBe(true);
  expect(isControlledBy(controlled, object('u3'))).toBe(false);
  expect(isControlledBy(object('u2', reference), object('u1'))).toBe(false);
  expect(isControlledBy(object('u2'), object(undefined))).toBe(false);
});
