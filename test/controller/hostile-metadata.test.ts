/** Metadata that no kube-apiserver writes, and an aggregated one may: neighbours are reconciled. */

import { settle } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { ObjectMeta } from '../../operator/model/object.ts';
import { ControllerBench, others, recordKeys, things } from '../support/controller-bench.ts';

const OWNER = {
  apiVersion: 'example.dev/v1',
  kind: 'Thing',
  name: 'o',
  uid: 'u',
  controller: true,
};

/** JSON, so that a member named `__proto__` is one of the object's own. */
const HOSTILE: readonly [string, string][] = [
  ['no owners', '{"ownerReferences":null}'],
  ['an owner that is null', '{"ownerReferences":[null]}'],
  ['an owner that is a string', '{"ownerReferences":["\\ud800"]}'],
  ['an owner without a version', '{"ownerReferences":[{"controller":true,"kind":"Thing"}]}'],
  ['owners that are a number', '{"ownerReferences":5}'],
  ['owners that are an object', '{"ownerReferences":{"__proto__":null}}'],
  ['no labels', '{"labels":null}'],
  ['labels with __proto__', '{"labels":{"__proto__":{"app":"web"}}}'],
  ['a lone surrogate', '{"labels":{"\\ud800":"\\udfff"}}'],
  ['a huge key', `{"labels":{"${'k'.repeat(1_000_000)}":"v"}}`],
  [
    'finalizers that are not a list',
    '{"finalizers":{},"deletionTimestamp":"2026-01-01T00:00:00Z"}',
  ],
];

const hostile = HOSTILE.map(
  ([what, json]) => [what, JSON.parse(json) as Partial<ObjectMeta>] as const,
);

describe('[attack A-1] objects with metadata that a malicious user wrote', () => {
  test.each(
    hostile,
  )('a child with %s does not prevent reconciles for other children in the same batch', async (_, more) => {
    const { keys, reconcile, gone } = recordKeys();
    const bench = new ControllerBench({ owns: [others], reconcile, gone });
    await bench.run();
    const collection = bench.collection(others);

    const events = (['a', 'bad', 'z'] as const).map((name) => {
      collection.loseNextEvent = true;
      const owners = { ownerReferences: [{ ...OWNER, name }] };
      return {
        type: 'ADDED',
        object: collection.put(name, 1, name === 'bad' ? more : owners),
      } as const;
    });
    collection.newestWatch.send(...events);
    await settle();

    expect(keys).toEqual(['demo/a', 'demo/z']);
  });

  test.each(
    hostile,
  )('an object with %s does not prevent reconciles of other objects in the same batch', async (_, more) => {
    const { keys, reconcile, gone } = recordKeys();
    const finalizer = { name: 'example.dev/f', finalize: async () => {} };
    const bench = new ControllerBench({
      predicate: ({ type }) => type !== 'update',
      reconcile,
      gone,
      finalizer,
    });
    const collection = bench.collection(things);
    const done = { finalizers: [finalizer.name] };
    for (const name of ['a', 'bad']) collection.put(name, 0, done);
    await bench.run();

    const events = (['bad', 'a', 'z'] as const).map((name) => {
      collection.loseNextEvent = true;
      const type = name === 'z' ? 'ADDED' : 'MODIFIED';
      const object = collection.put(name, 1, name === 'bad' ? more : done);
      return { type, object } as const;
    });
    collection.newestWatch.send(...events);
    await settle();

    expect(keys.filter((key) => key === 'demo/z')).toEqual(['demo/z']);
  });
});

test('[attack A-1] an object with unreadable metadata is logged by name and counted', async () => {
  const { reconcile } = recordKeys();
  const finalizer = { name: 'example.dev/f', finalize: async () => {} };
  const bench = new ControllerBench({ predicate: () => false, reconcile, finalizer });
  bench.collection(things).put('bad');
  await bench.run();

  const finalizers = {} as unknown as readonly string[];
  bench.collection(things).put('bad', 1, { deletionTimestamp: '2026-01-01T00:00:00Z', finalizers });
  await settle();

  expect(bench.count('chancery_mapping_failures_total')).toBe(1);
  expect(bench.lines.filter(({ level }) => level === 'error')).toMatchObject([
    { fields: { key: 'demo/bad' }, message: 'mapping failed, the change is dropped' },
  ]);
});
