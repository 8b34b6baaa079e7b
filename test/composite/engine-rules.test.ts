/** Answers that cannot be used, and the claims of children. */

import { configMap } from '@chancery/testing';
import { describe, expect, test } from 'vitest';
import type { DesiredChild } from '../../operator/composite/child.ts';
import { childTypes } from '../../operator/composite/child-types.ts';
import type { SyncAnswer } from '../../operator/composite/engine-options.ts';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import { configMaps, namespaces, secrets } from '../../operator/model/kubernetes/resources.ts';
import { controllerOf } from '../../operator/model/object.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { type EnginePlace, type EngineSetup, enginePlace, estates, maps } from './engine-place.ts';

const KEPT: readonly DesiredChild[] = maps({ kept: '1' });

function withMetadata(metadata: object, resource: Resource = configMaps as Resource): DesiredChild {
  return { resource, object: { metadata } as never };
}

/** A parent with the child `kept`; from its second generation on it gets `answer`. */
async function answering(
  answer: (namespace: string) => Partial<SyncAnswer>,
  setup: Partial<EngineSetup> = {},
): Promise<EnginePlace> {
  let used = '';
  const at = await enginePlace({
    decide: ({ parent: { metadata } }) =>
      metadata.generation === 1 ? { children: KEPT } : answer(used),
    arrange: ({ createParent, namespace }) => {
      used = namespace;
      return createParent({});
    },
    ...setup,
  });
  await at.env.patch('fruit.example/v1', 'Orchard', at.namespace, 'north', { spec: { more: 1 } });
  await at.env.settled();
  return at;
}

async function failureOf(at: EnginePlace, name = 'north') {
  const parent = await at.parent(name);
  return parent?.status?.conditions?.find(({ type }) => type === 'Synced');
}

async function childNames({ env, namespace }: EnginePlace): Promise<readonly string[]> {
  const all = await env.list('v1', 'ConfigMap', namespace);
  return all.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
}

const UNUSABLE: readonly [string, (namespace: string) => readonly DesiredChild[], string][] = [
  [
    'of a kind that is not declared',
    () => [withMetadata({ name: 's' }, secrets as Resource)],
    'secrets',
  ],
  ['in another namespace', () => [withMetadata({ name: 'far', namespace: 'default' })], 'far'],
  [
    'that is cluster-scoped',
    () => [withMetadata({ name: 'wide' }, namespaces as Resource)],
    'namespaces',
  ],
  ['without a name', () => [withMetadata({})], 'child'],
  ['that is null', () => [null as never], 'child'],
  [
    'with another uid as controller-uid [contract 55]',
    () => [withMetadata({ name: 'odd', labels: { 'controller-uid': 'other' } })],
    'controller-uid',
  ],
  ['twice', () => [...KEPT, ...KEPT], 'twice'],
];

describe.each(
  UNUSABLE,
)('[metacontroller M16] an answer with a child %s', (_what, children, told) => {
  test('an answer with an invalid child is an error, and nothing is written or deleted', async () => {
    const at = await answering(
      (namespace) => ({
        children: [...maps({ fresh: '1' }), ...children(namespace)],
        status: { reached: true },
      }),
      {
        childResources: [
          [configMaps as Resource, 'apply'],
          [namespaces as Resource, 'apply'],
        ],
      },
    );

    expect(await childNames(at)).toEqual(['kept']);
    expect(await failureOf(at)).toMatchObject({ status: 'False', reason: 'InvalidAnswer' });
    const lines = at.operator.log.map(
      ({ fields }) =>
        String((fields.err as Error)?.message) +
        JSON.stringify((fields.err as { context?: object })?.context),
    );
    expect(lines.some((line) => line.includes(told))).toBe(true);
    expect((await at.parent())?.status).not.toHaveProperty('reached');
  });
});

test('[contract 63] [metacontroller 14] [metacontroller M4] a namespace in a cluster-scoped child is ignored', async () => {
  const { env, writes } = await enginePlace({
    parentResource: estates,
    childResources: [[namespaces as Resource, 'apply']],
    decide: () => ({
      children: [withMetadata({ name: 'wide', namespace: 'farm' }, namespaces as Resource)],
    }),
    arrange: ({ createParent }) => createParent({}),
  });

  expect(await env.get('v1', 'Namespace', undefined, 'wide')).toMatchObject({
    metadata: { name: 'wide' },
  });
  expect(writes().filter((write) => write.includes('namespaces'))).toEqual(['create namespaces']);
});

describe('[metacontroller 15] the rules for the selector of the parent', () => {
  const selecting = {
    generateSelector: false,
    selector: () => ({ matchLabels: { app: 'press' } }),
  };

  test("[contract 50] [contract 51] if a child's labels do not match the selector, nothing is written", async () => {
    const at = await enginePlace({
      ...selecting,
      decide: () => ({ children: maps({ a: '1' }), status: { reached: true } }),
      arrange: ({ createParent }) => createParent({}),
    });

    expect(await childNames(at)).toEqual([]);
    expect(await failureOf(at)).toMatchObject({ reason: 'InvalidAnswer' });
  });

  test('[contract 54] a matching orphan is adopted, and a child that no longer matches is orphaned', async () => {
    const wanted = withMetadata({ name: 'lost', labels: { app: 'press' } });
    const at = await enginePlace({
      ...selecting,
      decide: ({ children }) => ({
        children: (children.get('configmaps') ?? []).length > 0 ? [wanted] : [],
      }),
      arrange: async ({ createParent, env, namespace }) => {
        const metadata = { name: 'lost', namespace, labels: { app: 'press' } };
        await env.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata });
        await createParent({});
      },
    });
    const lost = () => at.env.get<ConfigMap>('v1', 'ConfigMap', at.namespace, 'lost');
    const owner = async () => controllerOf((await lost()) ?? expect.unreachable())?.name;
    expect(await owner()).toBe('north');

    await at.env.patch('v1', 'ConfigMap', at.namespace, 'lost', {
      metadata: { labels: { app: 'x' } },
    });
    await at.env.settled();

    expect(await owner()).toBeUndefined();
  });

  test('[contract 53] an empty selector is an error, because it would claim every object', async () => {
    const at = await enginePlace({
      ...selecting,
      selector: () => ({}),
      decide: () => ({ children: [] }),
      arrange: ({ createParent }) => createParent({}),
    });

    expect(at.calls).toEqual([]);
    expect(await failureOf(at)).toMatchObject({ status: 'False' });
  });
});

test("if another controller owns a child, the child is not changed, and the parent's status reports this", async () => {
  const at = await enginePlace({
    decide: ({ parent }) => ({ children: maps({ shared: String(parent.metadata.name) }) }),
    arrange: ({ createParent }) => createParent({}, 'first'),
  });
  await at.createParent({}, 'second');
  await at.env.settled();

  expect(await at.env.get('v1', 'ConfigMap', at.namespace, 'shared')).toMatchObject({
    data: { text: 'first' },
  });
  expect(await failureOf(at, 'second')).toMatchObject({ reason: 'AlreadyOwned' });
  expect(await failureOf(at, 'first')).toBeUndefined();
});

test("if a child's name is taken, the child is created as soon as the name is free", async () => {
  const at = await enginePlace({
    decide: () => ({ children: maps({ shared: 'ours' }) }),
    arrange: async ({ createParent, env, namespace }) => {
      await env.create(configMap('shared', { namespace, data: { text: 'theirs' } }));
      return createParent({});
    },
  });
  const shared = () => at.env.get<ConfigMap>('v1', 'ConfigMap', at.namespace, 'shared');
  const before = await shared();

  await at.env.delete('v1', 'ConfigMap', at.namespace, 'shared');
  await at.env.settled();

  expect([before?.data, (await shared())?.data]).toEqual([{ text: 'theirs' }, { text: 'ours' }]);
});

test.each([
  ['a cache of all objects', undefined],
  ['a cache of labelled objects', 'controller-uid'],
])("with %s, the owner reference is removed from a child that lost the parent's label", async (_cache, labelSelector) => {
  const rule = {
    resource: configMaps as Resource,
    source: { ...(labelSelector && { labelSelector }) },
  };
  const at = await enginePlace({
    children: childTypes([rule]),
    decide: () => ({ children: KEPT }),
    arrange: ({ createParent }) => createParent({}),
  });

  const labels = { 'controller-uid': null };
  await at.env.patch('v1', 'ConfigMap', at.namespace, 'kept', { metadata: { labels } });
  await at.env.settled();

  const kept = await at.env.get<ConfigMap>('v1', 'ConfigMap', at.namespace, 'kept');
  expect(kept).toMatchObject({ data: { text: '1' } });
  expect(controllerOf(kept ?? expect.unreachable())).toBeUndefined();
  expect(await failureOf(at)).toMatchObject({ reason: 'AlreadyOwned' });
});

test('[contract 60] if one child cannot be written, the other children are written, and no child is deleted', async () => {
  const at = await answering(() => ({
    children: [...maps({ a: '1' }), withMetadata({ name: 'Not A Name' }), ...maps({ z: '1' })],
    status: { seen: 2 },
  }));

  expect(await childNames(at)).toEqual(['a', 'kept', 'z']);
  expect(await at.parent()).toMatchObject({
    status: { seen: 2, observedGeneration: 2, conditions: [{ type: 'Synced', reason: 'Invalid' }] },
  });
});

test('[contract 30] [metacontroller M2] children are deleted only when the answer omits them', async () => {
  const at = await answering(() => ({ children: [] }));

  expect(await childNames(at)).toEqual([]);
});
