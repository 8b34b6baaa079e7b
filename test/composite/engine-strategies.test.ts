/** What happens to children that differ, for each strategy and each way of writing. */

import { describe, expect, test } from 'vitest';
import type { ChildUpdate } from '../../operator/composite/engine-options.ts';
import { applyWriter } from '../../operator/controller/children/apply-writer.ts';
import type { ChildWriter } from '../../operator/controller/children/child-writer.ts';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../packages/metacontroller/src/supervisor/child-writer-of.ts';
import { type EnginePlace, enginePlace, maps } from './engine-place.ts';

const WRITERS: readonly [string, () => ChildWriter][] = [
  ['dynamic apply', dynamicApplyWriter],
  ['server-side apply', () => serverSideApplyWriter('hooks')],
  ['applyOwned', () => applyWriter({ fieldManager: 'orchards' })],
];

/** One ConfigMap `plan` with the text of the parent's spec. */
function place(update: ChildUpdate, writer: () => ChildWriter): Promise<EnginePlace> {
  return enginePlace({
    writer: writer(),
    childResources: [[configMaps as Resource, update]],
    decide: ({ parent }) => {
      const { spec } = parent as { readonly spec?: { readonly data?: Record<string, string> } };
      const data = spec?.data ?? { text: '1' };
      return {
        children: maps({ plan: '' }).map((child) => ({
          ...child,
          object: { ...child.object, data } as never,
        })),
      };
    },
    arrange: ({ createParent }) => createParent({}),
  });
}

async function planIn({ env, namespace }: EnginePlace): Promise<ConfigMap | undefined> {
  return env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'plan');
}

async function edit({ env, namespace }: EnginePlace, change: object): Promise<void> {
  await env.patch('v1', 'ConfigMap', namespace, 'plan', change);
  await env.settled();
}

async function want({ env, namespace }: EnginePlace, data: object): Promise<void> {
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { spec: { data } });
  await env.settled();
}

describe.each(WRITERS)('update strategies, with the writer %s', (_name, writer) => {
  test('[contract 66] [metacontroller 12] `apply` reverts an edited field of the answer, and no other fields', async () => {
    const at = await place('apply', writer);

    await edit(at, {
      data: { text: 'by hand', more: 'kept' },
      metadata: { labels: { foreign: 'x' } },
    });

    expect(await planIn(at)).toMatchObject({
      data: { text: '1', more: 'kept' },
      metadata: { labels: { foreign: 'x' } },
    });
  });

  test('[contract 64] [metacontroller 12] `keep` creates a missing child, and changes no existing one', async () => {
    const at = await place('keep', writer);

    await edit(at, { data: { text: 'by hand' } });
    await want(at, { text: '2' });
    expect(await planIn(at)).toMatchObject({ data: { text: 'by hand' } });

    await at.env.delete('v1', 'ConfigMap', at.namespace, 'plan');
    await at.env.settled();
    expect(await planIn(at)).toMatchObject({ data: { text: '2' } });
  });

  test('[contract 65] [metacontroller 12] `recreate` deletes a child that differs and creates it again, once', async () => {
    const at = await place('recreate', writer);
    const before = await planIn(at);

    await want(at, { text: '2' });

    const after = await planIn(at);
    expect(after).toMatchObject({ data: { text: '2' } });
    expect(after?.metadata.uid).not.toBe(before?.metadata.uid);
    const writes = at.writes().filter((write) => write.includes('configmaps'));
    expect(writes.filter((write) => write.startsWith('delete'))).toHaveLength(1);
  });

  test('a child field that is no longer returned is removed', async () => {
    const at = await place('apply', writer);
    await want(at, { text: '1', old: 'x' });
    expect(await planIn(at)).toMatchObject({ data: { old: 'x' } });

    await want(at, { old: null });

    expect((await planIn(at))?.data).toEqual({ text: '1' });
  });
});

test('[contract 76] [metacontroller M3] a child that the function returns exactly as it received it is written once', async () => {
  const at = await enginePlace({
    decide: ({ parent, children }) => {
      const { spec } = parent as { readonly spec?: { readonly echoes?: boolean } };
      const [observed] = children.get('configmaps') ?? [];
      const object = { metadata: { name: 'plan' }, data: { text: '1' } };
      const echoed = spec?.echoes === true ? observed : undefined;
      return {
        children: [{ resource: configMaps as Resource, object: (echoed ?? object) as never }],
      };
    },
    arrange: ({ createParent }) => createParent({ echoes: true }),
  });
  const before = (await planIn(at))?.metadata.ownerReferences;
  await at.env.patch('fruit.example/v1', 'Orchard', at.namespace, 'north', { spec: { note: 'a' } });
  await at.env.settled();
  expect((await planIn(at))?.metadata.annotations).toMatchObject({
    'metacontroller.k8s.io/last-applied-configuration': expect.stringContaining('ownerReferences'),
  });
  const written = () => at.writes().filter((write) => write === 'patch configmaps plan');
  expect(written()).toHaveLength(1);

  const spec = { echoes: false };
  await at.env.patch('fruit.example/v1', 'Orchard', at.namespace, 'north', { spec });
  await at.env.settled();

  expect((await planIn(at))?.metadata.ownerReferences).toEqual(before);
  expect(written()).toHaveLength(2);
});

test.each([
  ['exactly as it is observed', (observed: object) => observed],
  ['with fields that the server drops', (_: object, plan: object) => ({ ...plan, binaryData: {} })],
])('[contract 65] [metacontroller M3] with `recreate`, a child that is returned %s is not recreated', async (_what, again) => {
  const plan = { metadata: { name: 'plan' }, data: { text: '1' } };
  const at = await enginePlace({
    childResources: [[configMaps as Resource, 'recreate']],
    decide: ({ children }) => {
      const [observed] = children.get('configmaps') ?? [];
      const object = observed === undefined ? plan : again(observed, plan);
      return { children: [{ resource: configMaps as Resource, object: object as never }] };
    },
    arrange: ({ createParent }) => createParent({}),
  });
  await want(at, { more: '1' });

  expect(await planIn(at)).toMatchObject({ data: { text: '1' } });
  expect(at.writes().filter((write) => write.startsWith('delete'))).toEqual([]);
});

// applyOwned is left out: its first apply takes the fields over from the creation.
describe.each(
  WRITERS.filter(([name]) => name !== 'applyOwned'),
)('after a restart, with the writer %s', (_name, writer) => {
  test.each([
    'recreate',
    'apply',
  ] as const)('with %s, a restart changes no child', async (update) => {
    const at = await place(update, writer);
    const before = await planIn(at);

    await at.restart();

    expect((await planIn(at))?.metadata).toEqual(before?.metadata);
  });
});
