import { expect, test } from 'vitest';
import { enqueueMapped } from '../../operator/controller/mapping.ts';
import { writtenFacts, writtenFields } from '../../operator/controller/run/written-fields.ts';
import { configMaps, secrets, statefulSets } from '../../operator/kubernetes.ts';
import type { KubernetesObject, ObjectKey } from '../../operator/model/object.ts';
import { others, start, things } from './started-runner.ts';

const object = (kind: string, fields: object): KubernetesObject =>
  ({ apiVersion: 'v1', kind, metadata: { name: 'x' }, ...fields }) as KubernetesObject;

const differ = (before: object, after: object, kind = 'Thing') =>
  writtenFields(object(kind, before), object(kind, after));

function started(showsDebug: () => boolean) {
  let fails = 1;
  const runner = start({
    showsDebug,
    watches: [enqueueMapped(others, () => ['demo/a' as ObjectKey])],
    reconcile: async (_object, { key }) => {
      if (key === 'demo/b' && fails-- > 0) throw new Error('not yet');
      return key === 'demo/a' ? { requeueAfterMs: 1_000 } : undefined;
    },
  });
  const woken = () =>
    runner.lines
      .filter(({ message }) => message === 'woken')
      .map(({ fields: { key, by, via, more } }) => [key, by, via, more].filter(Boolean).join(' '));
  return { ...runner, woken };
}

test('[N-8] debug lines say why a key was enqueued: a change, a mapping, a retry, a requeue and so on', async () => {
  const { clock, collection, run, woken } = started(() => true);
  collection(things).put('a');
  await run();

  collection(things).put('b');
  collection(others).put('pw');
  await clock.advanceAndSettle(1_500);

  expect(woken()).toEqual([
    'demo/a Thing demo/a for, first list',
    'demo/b Thing demo/b for, created',
    'demo/a Thing demo/pw mapping, created',
    'demo/b retry',
    'demo/a requeue',
  ]);
});

test('[N-8] debug lines can be turned on while a controller runs', async () => {
  let debugs = false;
  const { clock, collection, run, woken } = started(() => debugs);
  collection(things).put('a');
  await run();
  expect(woken()).toEqual([]);

  debugs = true;
  await clock.advanceAndSettle(1_100);

  expect(woken()).toEqual(['demo/a requeue']);
});

test('[N-9] the debug line of a write contains the changed fields', () => {
  const before = [object('StatefulSet', { spec: { replicas: 2, paused: false } })];
  const answer = object('StatefulSet', { spec: { replicas: 3, paused: false } });
  const write = { resource: statefulSets, namespace: 'demo', name: 'x', isDelete: false, before };

  expect(writtenFacts({ ...write, hasChanged: true, answer }, {})).toEqual({
    object: 'StatefulSet demo/x',
    changes: ['spec.replicas 2 → 3'],
  });
  expect(writtenFacts({ ...write, hasChanged: false, answer }, { subresource: 'status' })).toEqual({
    object: 'StatefulSet demo/x',
    subresource: 'status',
    unchanged: true,
  });
});

test('[N-9] the debug line of a write contains new fields, removed fields and list items', () => {
  expect(
    differ(
      { spec: { old: 1, list: [{ image: 'web:1' }] } },
      { spec: { fresh: true, list: [{ image: 'web:2' }, { image: 'b' }], map: { a: 1 } } },
    ),
  ).toEqual([
    'spec.old removed',
    'spec.list[0].image web:1 → web:2',
    'spec.list[1] added',
    'spec.fresh → true',
    'spec.map added',
  ]);
});

test('[N-9] the debug line of a write contains no value of a Secret', () => {
  const lines = differ(
    { data: { pw: 'aHVudGVyMg==' }, type: 'Opaque', immutable: false },
    { data: { pw: 'b3RoZXI=', more: 'eA==' }, type: 'mine', immutable: true },
    'Secret',
  );

  expect(lines).toEqual([
    'data.pw changed',
    'data.more added',
    'type changed',
    'immutable changed',
  ]);
  expect(
    writtenFacts(
      {
        ...{ resource: secrets, namespace: 'demo', name: 'pw', isDelete: false, hasChanged: true },
        before: [object('Secret', { stringData: { pw: 'hunter2' } })],
        answer: object('Secret', { stringData: { pw: 'hunter3' } }),
      },
      {},
    ),
  ).toEqual({ object: 'Secret demo/pw', changes: ['stringData.pw changed'] });
});

test.each([
  ['data of a ConfigMap', { data: { dsn: 'a' } }, { data: { dsn: 'b' } }],
  [
    'the environment of a container',
    { spec: { containers: [{ env: [{ name: 'A', value: 'hunter2' }] }] } },
    { spec: { containers: [{ env: [{ name: 'A', value: 'hunter3' }] }] } },
  ],
  [
    'an annotation',
    { metadata: { name: 'x', annotations: { a: 'hunter2' } } },
    { metadata: { name: 'x', annotations: { a: 'hunter3' } } },
  ],
  ['arguments', { spec: { args: ['hunter2'] } }, { spec: { args: ['hunter3'] } }],
  [
    'a field with the name of a credential',
    { spec: { dbPassword: 1 } },
    { spec: { dbPassword: 2 } },
  ],
  ['a string with spaces', { spec: { note: 'hunter2 !' } }, { spec: { note: 'hunter3 !' } }],
  ['a URL with a user', { spec: { url: 'pg://a:b@c' } }, { spec: { url: 'pg://a:d@c' } }],
  ['a long string', { spec: { x: 'a'.repeat(65) } }, { spec: { x: 'b'.repeat(65) } }],
])('[N-9] the debug line of a write contains %s without its value', (_what, before, after) => {
  expect(differ(before, after)).toEqual([expect.stringMatching(/^\S+ changed$/)]);
});

test('[N-9] the debug line of a write lists at most ten changes, without metadata that the server sets', () => {
  const many = (value: number) => ({
    metadata: { name: 'x', resourceVersion: `${value}`, generation: value },
    spec: Object.fromEntries(Array.from({ length: 13 }, (_, at) => [`f${at}`, value])),
  });

  const lines = differ(many(1), many(2), configMaps.kind);

  expect(lines).toHaveLength(11);
  expect(lines.at(-1)).toBe('and 3 more');
});
