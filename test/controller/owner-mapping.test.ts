import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import { ownerKeys } from '../../operator/controller/run/wakes/mapped-keys.ts';
import { source } from '../../operator/controller/source.ts';
import type { KubernetesObject, OwnerReference } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';
import { expired } from '../support/fake-collection.ts';

const owner = (name: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  name,
  uid: `uid-of-${name}`,
  controller: true,
  ...more,
});

const child = (namespace: string | undefined, ...owners: OwnerReference[]): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Child',
  metadata: { name: 'c', ...(namespace && { namespace }), ownerReferences: owners },
});

const clusterThings = { ...things, namespaced: false };

test.each<[string, KubernetesObject, typeof things, boolean, readonly string[]]>([
  [
    'the controller',
    child('demo', owner('a'), owner('b', { controller: false })),
    things,
    false,
    ['demo/a'],
  ],
  [
    'every owner, if requested',
    child('demo', owner('a'), owner('b', { controller: false })),
    things,
    true,
    ['demo/a', 'demo/b'],
  ],
  [
    'an owner with another version',
    child('demo', owner('a', { apiVersion: 'example.dev/v1beta1' })),
    things,
    false,
    ['demo/a'],
  ],
  [
    'no owner of another group',
    child('demo', owner('a', { apiVersion: 'other.dev/v1' })),
    things,
    false,
    [],
  ],
  [
    'no owner of the core group',
    child('demo', owner('a', { apiVersion: 'v1' })),
    things,
    false,
    [],
  ],
  ['no owner of another kind', child('demo', owner('a', { kind: 'Other' })), things, false, []],
  [
    'a cluster-scoped owner, without the namespace of the child',
    child('demo', owner('a')),
    clusterThings,
    false,
    ['a'],
  ],
  [
    'a cluster-scoped owner of a cluster-scoped child',
    child(undefined, owner('a')),
    clusterThings,
    false,
    ['a'],
  ],
  [
    'no namespaced owner of a cluster-scoped child',
    child(undefined, owner('a')),
    things,
    false,
    [],
  ],
  ['no owner for an orphan', child('demo'), things, true, []],
])('[K-11] the owner mapping returns %s', (_what, object, resource, anyOwner, expected) => {
  const keys = ownerKeys(object.metadata, resource, anyOwner);

  expect(keys).toEqual(expected);
});

test("[K-11] an owner reference to the core group (`v1`) is mapped to the owner's key", () => {
  const core = { ...things, group: '' };

  expect(ownerKeys(child('demo', owner('a', { apiVersion: 'v1' })).metadata, core, false)).toEqual([
    'demo/a',
  ]);
});

test("[K-10] when a child's owner changes, the old and the new owner are reconciled", async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({ owns: [others], reconcile, gone });
  bench.collection(others).put('c', 0, { ownerReferences: [owner('a')] });
  await bench.run();
  keys.length = 0;

  bench.collection(others).put('c', 1, { ownerReferences: [owner('b')] });
  await settle();

  expect(keys).toEqual(['demo/b', 'demo/a']);
});

test('[K-10] a child with two references to the same owner causes one reconcile of this owner', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({
    owns: [{ source: source(others), anyOwner: true }],
    reconcile,
    gone,
  });
  const ownerReferences = [owner('a'), owner('a', { uid: 'other', controller: false })];
  bench.collection(others).put('c', 0, { ownerReferences });
  await bench.run();
  keys.length = 0;

  bench.collection(others).put('c', 1, { ownerReferences });
  await settle();

  expect(keys).toEqual(['demo/a']);
});

test('[K-10] a predicate in `owns` drops changes of children', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({
    owns: [{ source: source(others), predicate: ({ type }) => type === 'delete' }],
    reconcile,
    gone,
  });
  bench.collection(others).put('c', 0, { ownerReferences: [owner('a')] });
  await bench.run();
  const before = [...keys];

  bench.collection(others).remove('c');
  await settle();

  expect([before, keys]).toEqual([[], ['demo/a']]);
});

test('[K-13] if a child is deleted while the watch is down, its owner is still reconciled', async () => {
  const { keys, reconcile, gone } = recordKeys();
  const bench = new ControllerBench({ owns: [others], reconcile, gone });
  const children = bench.collection(others);
  children.put('c', 0, { ownerReferences: [owner('a')] });
  await bench.run();
  keys.length = 0;

  children.loseNextEvent = true;
  children.remove('c');
  children.compact();
  children.newestWatch.fail(expired());
  await bench.clock.advanceAndSettle(60_000);

  expect(keys).toEqual(['demo/a']);
});
