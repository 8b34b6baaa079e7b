/** Composites on the embedded API server: what is in its storage is what counts. */

import { configMap, consistently, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import { child } from '../../operator/composite/child.ts';
import {
  type CompositeOptions,
  composite,
  type SyncResult,
} from '../../operator/composite/composite.ts';
import { decorator } from '../../operator/composite/decorator/decorator.ts';
import type { Controller } from '../../operator/controller/controller.ts';
import { TerminalError } from '../../operator/controller/errors.ts';
import { configMaps } from '../../operator/model/builtin.ts';
import { controllerOf, type KubernetesObject } from '../../operator/model/object.ts';
import { type ConfigSet, configSets, playground } from './parents.ts';

function wanted(set: ConfigSet, made: number): SyncResult<ConfigSet> {
  const { names, text = '', selector } = set.spec;
  const labels = selector?.matchLabels;
  return {
    children: names.map((name) =>
      child(configMaps, { metadata: { name, ...(labels && { labels }) }, data: { text } }),
    ),
    status: { made },
  };
}

function sets(options: Partial<CompositeOptions<ConfigSet>> = {}): Controller {
  return composite<ConfigSet>({
    name: 'config-set',
    parent: configSets,
    children: [configMaps],
    selector: (set) => set.spec.selector,
    sync: (set, children) => wanted(set, children.of(configMaps).length),
    ...options,
  });
}

test('[contract 50] [K-38] a composite creates, changes and deletes the children that sync returns, and writes the status', async () => {
  const { change, configMap, names, set } = await playground(sets(), { names: ['a', 'b'] });
  await eventually(async () => (await set())?.status?.made === 2);
  expect(await names()).toEqual(['a', 'b']);

  await change({ names: ['b', 'c'], text: 'new' });

  await eventually(async () => (await names()).join() === 'b,c');
  await eventually(async () => (await configMap('b'))?.data?.text === 'new');
  await eventually(async () => (await set())?.status?.observedGeneration === 2);
  expect(controllerOf((await configMap('c')) ?? expect.unreachable())).toMatchObject({
    kind: 'ConfigSet',
    name: 'set',
  });
});

test('a child that another client deletes or changes is restored', async () => {
  const { configMap, env, names, namespace } = await playground(sets(), { names: ['a', 'b'] });
  await eventually(async () => (await names()).length === 2);

  await env.delete('v1', 'ConfigMap', namespace, 'a');
  await env.patch('v1', 'ConfigMap', namespace, 'b', { data: { text: 'tampered' } });

  await eventually(async () => (await names()).join() === 'a,b');
  await eventually(async () => (await configMap('b'))?.data?.text === '');
});

test('[contract 31] a sync that returns an empty list deletes every child', async () => {
  const { change, names, set } = await playground(sets(), { names: ['a'] });
  await eventually(async () => (await set())?.status?.made === 1);

  await change({ names: [] });

  await eventually(async () => (await names()).length === 0);
});

const NO_CHILDREN = 'sync must return an object with an array "children"; [] deletes all of them';

test.each<[string, () => unknown, string]>([
  ['nothing', () => undefined, NO_CHILDREN],
  ['no children', () => ({ status: { made: 0 } }), NO_CHILDREN],
  ['children that are not an array', () => ({ children: null }), NO_CHILDREN],
  [
    'a child without a name',
    () => ({ children: [child(configMaps, { metadata: {} })] }),
    'a child must be child(resource, { metadata: { name }, … })',
  ],
  [
    'a child twice',
    () => ({ children: [1, 2].map(() => child(configMaps, { metadata: { name: 'x' } })) }),
    'sync names a child twice',
  ],
  [
    'a child of an undeclared resource',
    () => ({ children: [child(configSets, { metadata: { name: 'x' }, spec: { names: [] } })] }),
    'sync names a child of a resource that its composite does not declare',
  ],
  ['an error', () => Promise.reject(new Error('sync is broken')), 'sync is broken'],
])('[K-38] if `sync` returns %s, nothing is deleted, and the failure is reported', async (_what, broken, message) => {
  let isBroken = false;
  const declared = sets({
    sync: (set, children) =>
      isBroken ? (broken() as SyncResult<ConfigSet>) : wanted(set, children.of(configMaps).length),
  });
  const { change, env, names, operator, set } = await playground(declared, { names: ['a', 'b'] });
  await eventually(async () => (await set())?.status?.made === 2);
  isBroken = true;

  await change({ names: ['z'] });

  await eventually(() =>
    operator.log.some(({ fields }) => (fields.err as Error | undefined)?.message === message),
  );
  expect(await names()).toEqual(['a', 'b']);
  expect(env.requests.count({ verb: 'delete' })).toBe(0);
});

test("[K-45] an object with the name of a child is not changed unless it is the parent's child", async () => {
  const {
    env,
    names,
    namespace,
    operator,
    configMap: live,
  } = await playground(sets(), { names: ['mine', 'theirs'] }, (cluster, place) =>
    cluster.create(configMap('theirs', { namespace: place })),
  );
  await eventually(() =>
    operator.log.some(({ message }) => message.startsWith('reconcile failed')),
  );

  expect(await names()).toEqual(['mine', 'theirs']);
  expect((await live('theirs'))?.metadata.ownerReferences).toBeUndefined();
  expect((await live('theirs'))?.data).toBeUndefined();
  await env.delete('v1', 'ConfigMap', namespace, 'theirs');
});

const adding = decorator<ConfigSet>({
  name: 'config-set',
  objects: configSets,
  attachments: [configMaps],
  sync: (set) => ({ attachments: wanted(set, 0).children }),
});

test.each([
  ['composite', sets(), 'theirs exists without a controller'],
  ['decorator', adding, 'theirs exists and is no attachment of this object'],
])('a refused child of a %s is reported by an Event about its parent', async (_, declared, note) => {
  const { env } = await playground(declared, { names: ['theirs'] }, (cluster, place) =>
    cluster.create(configMap('theirs', { namespace: place })),
  );
  const told = async () =>
    (await env.list<KubernetesObject & { reason?: string }>('events.k8s.io/v1', 'Event')).find(
      ({ reason }) => reason === 'ChildRefused',
    );

  await eventually(async () => (await told()) !== undefined);

  expect(await told()).toMatchObject({
    type: 'Warning',
    regarding: { kind: 'ConfigSet', name: 'set' },
    note: expect.stringContaining(note),
  });
});

test("if a child is not in the namespace of its parent, an Event reports the child's namespace", async () => {
  const astray = child(configMaps, { metadata: { name: 'astray', namespace: 'elsewhere' } });
  const { env } = await playground(sets({ sync: () => ({ children: [astray] }) }), { names: [] });
  const notes = async () =>
    (await env.list<KubernetesObject & { note?: string }>('events.k8s.io/v1', 'Event')).map(
      ({ note }) => note,
    );

  await eventually(async () => (await notes()).length > 0);

  expect(await notes()).toEqual([
    'configmaps elsewhere/astray is refused: a child must be in the namespace of its parent',
  ]);
});

test.each([
  ['with an error', new Error('the rack is full'), 'SyncError'],
  ['because of a bug', new TypeError('the rack is full'), 'ReconcileFailed'],
  ['with a terminal error', new TerminalError('the rack is full'), 'ReconcileFailed'],
])('if `sync` fails %s, this is reported by one Event about the parent', async (_, error, reason) => {
  const sync = (): never => {
    throw error;
  };
  const { env } = await playground(sets({ sync }), { names: [] });
  const told = async () =>
    (
      await env.list<KubernetesObject & { reason?: string; note?: string }>(
        'events.k8s.io/v1',
        'Event',
      )
    ).filter(({ note }) => note?.includes('the rack is full'));

  await eventually(async () => (await told()).length > 0);

  expect((await told()).map((event) => event.reason)).toEqual([reason]);
});

test('a child that can never be created does not prevent retries for another child', async () => {
  const quota = { apiVersion: 'v1', kind: 'ResourceQuota', spec: { hard: { configmaps: '1' } } };
  const labels = { seen: 'yes' };
  const declared = sets({
    children: [{ resource: configMaps, source: { labelSelector: 'seen=yes' } }],
    sync: () => ({
      children: [
        child(configMaps, { metadata: { name: 'unseen' } }),
        child(configMaps, { metadata: { name: 'later', labels } }),
      ],
    }),
  });
  const { env, namespace, names, operator } = await playground(
    declared,
    { names: [] },
    (cluster, place) => cluster.create({ ...quota, metadata: { name: 'few', namespace: place } }),
  );
  await eventually(async () =>
    operator.log.some(({ message }) => message.startsWith('reconcile failed')),
  );

  await env.delete('v1', 'ResourceQuota', namespace, 'few');

  await eventually(async () => (await names()).includes('later'));
});

test.each([
  ['a composite', (calls: number[]) => sets({ sync: () => ({ children: [], ...again(calls) }) })],
  [
    'a decorator',
    (calls: number[]) =>
      decorator<ConfigSet>({
        name: 'config-set',
        objects: configSets,
        attachments: [configMaps],
        sync: () => ({ attachments: [], ...again(calls) }),
      }),
  ],
])('with `requeueAfterMs: 0`, the function of %s is called again at once', async (_, declared) => {
  const calls: number[] = [];

  await playground(declared(calls), { names: [] });

  await eventually(async () => calls.length === 2);
});

/** Asks for one more call, with no delay. */
function again(calls: number[]): { readonly requeueAfterMs?: number } {
  return calls.push(calls.length) === 1 ? { requeueAfterMs: 0 } : {};
}

test('[K-32] a composite adopts objects that match its selector, and orphans children that do not match it', async () => {
  const selector = { matchLabels: { set: 'a' } };
  const {
    configMap: live,
    env,
    namespace,
    set,
  } = await playground(
    sets({ sync: (parent, children) => wanted(parent, children.of(configMaps).length) }),
    { names: ['kept', 'left'], selector },
    async (cluster, place) => {
      await cluster.create(configMap('kept', { namespace: place, labels: { set: 'a' } }));
      await cluster.create(configMap('other', { namespace: place, labels: { set: 'b' } }));
    },
  );
  await eventually(async () => (await set())?.status?.made === 2);
  const parent = (await set()) ?? expect.unreachable();
  expect(controllerOf((await live('kept')) ?? expect.unreachable())?.uid).toBe(parent.metadata.uid);
  expect((await live('other'))?.metadata.ownerReferences).toBeUndefined();

  await env.patch('v1', 'ConfigMap', namespace, 'left', { metadata: { labels: { set: 'gone' } } });

  await eventually(async () => {
    const left = (await live('left')) ?? expect.unreachable();
    return controllerOf(left) === undefined;
  });
});

test("if a child does not match its parent's selector, nothing is written", async () => {
  const declared = sets({
    sync: () => ({ children: [child(configMaps, { metadata: { name: 'x' } })] }),
  });
  const selector = { matchLabels: { set: 'a' } };

  const { names, operator } = await playground(declared, { names: [], selector });

  await eventually(() =>
    operator.log.some(({ fields }) =>
      (fields.err as Error | undefined)?.message.startsWith("a child's labels must match"),
    ),
  );
  expect(await names()).toEqual([]);
});

test('a child that is being deleted is not changed, and is created again when it is gone', async () => {
  const {
    configMap: live,
    change,
    env,
    namespace,
    set,
  } = await playground(sets(), {
    names: ['a'],
    text: 'one',
  });
  await eventually(async () => (await set())?.status?.made === 1);
  const before = await live('a');
  await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { finalizers: ['x.dev/y'] } });
  await env.delete('v1', 'ConfigMap', namespace, 'a');

  await change({ text: 'two' });

  await eventually(async () => (await set())?.status?.observedGeneration === 2);
  expect((await live('a'))?.data?.text).toBe('one');
  await env.patch('v1', 'ConfigMap', namespace, 'a', { metadata: { finalizers: null } });
  await eventually(async () => (await live('a'))?.data?.text === 'two');
  expect((await live('a'))?.metadata.uid).not.toBe(before?.metadata.uid);
});

test('`finalize` decides in which order children are deleted, and when the finalizer is removed', async () => {
  const declared = sets({
    finalize: {
      name: 'example.dev/orderly',
      sync: (set, children) => {
        const left = children.of(configMaps).map(({ metadata }) => metadata.name);
        const [next] = left.toSorted().reverse(); // one after the other, the last first
        const names = left.filter((name) => name !== next);
        return {
          ...wanted({ ...set, spec: { names } }, names.length),
          finalized: left.length === 0,
        };
      },
    },
  });
  const { env, names, namespace, set } = await playground(declared, { names: ['a', 'b'] });
  await eventually(async () => (await set())?.status?.made === 2);

  await env.delete('example.dev/v1', 'ConfigSet', namespace, 'set');

  await eventually(async () => (await set()) === undefined);
  expect(await names()).toEqual([]);
  const gone = env.events.of({ type: 'DELETED', namespace });
  expect(gone.map(({ name }) => name)).toEqual(['b', 'a', 'set']);
});

test('the children of a deleted parent are deleted by the garbage collector', async () => {
  const { env, names, namespace, set } = await playground(sets(), { names: ['a', 'b'] });
  await eventually(async () => (await set())?.status?.made === 2);

  await env.delete('example.dev/v1', 'ConfigSet', namespace, 'set');

  await eventually(async () => (await names()).length === 0);
  expect(env.requests.of({ verb: 'delete' }).filter(({ userAgent }) => userAgent !== '')).toEqual(
    [],
  );
});

test('`sync` is not called for a parent that is being deleted', async () => {
  const { change, env, names, namespace, set } = await playground(
    sets(),
    { names: ['a'] },
    (cluster, place) =>
      cluster.patch('example.dev/v1', 'ConfigSet', place, 'set', {
        metadata: { finalizers: ['somebody.dev/else'] },
      }),
  );
  await eventually(async () => (await set())?.status?.made === 1);
  await env.delete('example.dev/v1', 'ConfigSet', namespace, 'set');

  await change({ names: ['b'] });

  await consistently(async () => (await names()).join() === 'a', { forMs: 200 });
});

test("a child that differs is recreated with `update: 'recreate'`, and not changed with 'keep'", async () => {
  const uid = async (of: typeof recreating, name: string): Promise<string | undefined> =>
    (await of.configMap(name))?.metadata.uid;
  const recreating = await playground(
    sets({ children: [{ resource: configMaps, update: 'recreate' }] }),
    { names: ['a'], text: 'one' },
  );
  const keeping = await playground(sets({ children: [{ resource: configMaps, update: 'keep' }] }), {
    names: ['a'],
    text: 'one',
  });
  await eventually(async () => (await recreating.set())?.status?.made === 1);
  await eventually(async () => (await keeping.set())?.status?.made === 1);
  const before = await uid(recreating, 'a');
  const kept = await uid(keeping, 'a');

  await recreating.change({ text: 'two' });
  await keeping.change({ text: 'two' });

  await eventually(async () => (await recreating.configMap('a'))?.data?.text === 'two');
  await eventually(async () => (await keeping.set())?.status?.observedGeneration === 2);
  expect(await uid(recreating, 'a')).not.toBe(before);
  expect((await keeping.configMap('a'))?.data?.text).toBe('one');
  expect(await uid(keeping, 'a')).toBe(kept);
});

test('[K-44] an unchanged child causes no write', async () => {
  let before: number | undefined;
  const ended = (): number => operator.meter.value('controller_runtime_reconcile_total');
  const declared = sets({
    sync: (parent, children) => {
      if (parent.metadata.labels?.touched === 'yes') before ??= ended();
      return wanted(parent, children.of(configMaps).length);
    },
  });
  const { env, operator, set } = await playground(declared, { names: ['a', 'b'] });
  await eventually(async () => (await set())?.status?.made === 2);
  const commits = env.events.of().length;

  await env.patch('example.dev/v1', 'ConfigSet', (await set())?.metadata.namespace, 'set', {
    metadata: { labels: { touched: 'yes' } },
  });

  await eventually(() => before !== undefined && ended() > before);
  expect(env.events.of().length).toBe(commits + 1);
});
