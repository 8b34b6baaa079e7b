import { settle } from '@chancery/testing';
import { expect, test } from 'vitest';
import type { Predicate, PredicateEvent } from '../../operator/controller/predicate.ts';
import {
  and,
  annotationChanged,
  generationChanged,
  labelChanged,
  not,
  or,
  resourceVersionChanged,
  statusChanged,
} from '../../operator/controller/predicate.ts';
import { Entry } from '../../operator/model/entry.ts';
import type { KubernetesObject, ObjectMeta } from '../../operator/model/object.ts';
import { Updated } from '../../operator/store/change.ts';
import { ControllerBench, recordKeys } from '../support/controller-bench.ts';

const DELETED = '2026-01-01T00:00:00Z';

function object(metadata: Partial<ObjectMeta> = {}, status?: object): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'Thing',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1', generation: 1, ...metadata },
    ...(status && { status }),
  };
}

const before = object();
const update = (now: KubernetesObject, old = before): PredicateEvent =>
  new Updated(Entry.of(now), Entry.of(old));
const of = (type: 'create' | 'delete' | 'generic'): PredicateEvent => ({
  type,
  object: before,
  metadata: before.metadata,
});
const newer = { resourceVersion: '2' };
const deleting = { deletionTimestamp: DELETED, finalizers: ['x/a'] };

const EVENTS: Record<string, PredicateEvent> = {
  create: of('create'),
  delete: of('delete'),
  resync: of('generic'),
  'nothing changes': update(before),
  'another version, nothing else': update(object(newer)),
  'the spec changes': update(object({ ...newer, generation: 2 })),
  'a label changes': update(object({ ...newer, labels: { a: 'b' } })),
  'an annotation changes': update(object({ ...newer, annotations: { a: 'b' } })),
  'the status changes': update(object(newer, { ready: 1 })),
  'a finalizer is added': update(object({ ...newer, finalizers: ['x/a'] })),
  'the deletion begins, with a new generation': update(
    object({ ...newer, ...deleting, generation: 2 }),
  ),
  'the deletion begins, with the same generation': update(object({ ...newer, ...deleting })),
  'a finalizer of a deleting object goes': update(
    object({ ...newer, ...deleting, finalizers: [] }),
    object(deleting),
  ),
  'a label of a deleting object changes': update(
    object({ ...newer, ...deleting, labels: { a: 'b' } }),
    object(deleting),
  ),
  'a kind without generation changes': update(withoutGeneration(newer), withoutGeneration()),
};

function withoutGeneration(metadata: Partial<ObjectMeta> = {}): KubernetesObject {
  const { generation: _, ...rest } = object(metadata).metadata;
  return { ...before, metadata: rest };
}

const ALWAYS = ['create', 'delete', 'resync'];

test.each<[string, Predicate, readonly string[]]>([
  [
    'generationChanged',
    generationChanged,
    [
      'the spec changes',
      'the deletion begins, with a new generation',
      'the deletion begins, with the same generation',
      'a finalizer of a deleting object goes',
      'a kind without generation changes',
    ],
  ],
  ['labelChanged', labelChanged, ['a label changes', 'a label of a deleting object changes']],
  ['annotationChanged', annotationChanged, ['an annotation changes']],
  [
    'resourceVersionChanged',
    resourceVersionChanged,
    Object.keys(EVENTS).filter((name) => !ALWAYS.includes(name) && name !== 'nothing changes'),
  ],
  ['statusChanged', statusChanged(), ['the status changes']],
  [
    'statusChanged of another field',
    statusChanged<{ other: number }>((status) => status?.other),
    [],
  ],
  [
    'or(labelChanged, annotationChanged)',
    or(labelChanged, annotationChanged),
    ['a label changes', 'an annotation changes', 'a label of a deleting object changes'],
  ],
  ['and(labelChanged, annotationChanged)', and(labelChanged, annotationChanged), []],
])('[K-12] %s passes every create, delete and resync, but only the updates that it looks for', (_name, predicate, passed) => {
  const passing = Object.entries(EVENTS).filter(([, event]) => predicate(event));

  expect(passing.map(([name]) => name).sort()).toEqual([...ALWAYS, ...passed].sort());
});

test('[K-12] not() inverts a predicate: not(resourceVersionChanged) drops creates and deletes', () => {
  const passing = Object.entries(EVENTS).filter(([, event]) => not(resourceVersionChanged)(event));

  expect(passing.map(([name]) => name)).toEqual(['nothing changes']);
});

test('[K-12] generationChanged does not drop the delete and create of an object that is recreated', async () => {
  const seen: (string | undefined)[] = [];
  const bench = new ControllerBench({
    predicate: generationChanged,
    reconcile: async (current) => {
      seen.push(current.metadata.uid);
    },
  });
  bench.collection().put('a', 0, { generation: 1, uid: 'first' });
  await bench.run();
  bench.collection().newestWatch.end(); // nobody sees what comes
  bench.collection().remove('a');
  bench.collection().put('a', 0, { generation: 1, uid: 'second' });

  await bench.clock.advanceAndSettle(60_000);

  expect(seen.at(0)).toBe('first');
  expect(seen.at(-1)).toBe('second');
});

test('[K-12] with generationChanged, a change of the status causes no reconcile', async () => {
  const { keys, reconcile } = recordKeys();
  const bench = new ControllerBench({ predicate: generationChanged, reconcile });
  bench.collection().put('a', 0, { generation: 1 });
  await bench.run();

  bench.collection().put('a', 1, { generation: 1 });
  await settle();
  const afterStatus = keys.length;
  bench.collection().put('a', 2, { generation: 2 });
  await settle();

  expect([afterStatus, keys.length]).toEqual([1, 2]);
});

test('[K-12] generationChanged does not drop a resync, but another predicate in and() can', async () => {
  const { keys, reconcile } = recordKeys();
  const bench = new ControllerBench({
    predicate: and(generationChanged, ({ object: { metadata } }) => metadata.name !== 'foreign'),
    resyncPeriodMs: 10_000,
    reconcile,
  });
  bench.collection().put('a', 0, { generation: 1 });
  bench.collection().put('foreign', 0, { generation: 1 });
  await bench.run();

  await bench.clock.advanceAndSettle(10_000);

  expect(keys).toEqual(['demo/a', 'demo/a']);
});

test('[K-12] a change for which the predicate throws is not dropped, and the error is reported once', async () => {
  const { keys, reconcile } = recordKeys();
  const bench = new ControllerBench({
    predicate: () => {
      throw new Error('a bug');
    },
    reconcile,
  });
  bench.collection().put('a');
  bench.collection().put('b');

  await bench.run();

  expect(keys).toEqual(['demo/a', 'demo/b']);
  expect(bench.lines.filter(({ message }) => message.startsWith('predicate failed'))).toHaveLength(
    1,
  );
  expect(bench.count('chancery_predicate_failures_total')).toBe(1);
});
