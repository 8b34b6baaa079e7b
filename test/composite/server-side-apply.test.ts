/** Children by server-side apply: after Metacontroller's updates, beside other writers, and with drift. */

import { describe, expect, test } from 'vitest';
import type { ConfigMap } from '../../operator/model/builtin.ts';
import { configMaps } from '../../operator/model/kubernetes/resources.ts';
import type { Resource } from '../../operator/model/resource.ts';
import { dynamicApplyWriter } from '../../packages/metacontroller/src/children/dynamic-apply-writer.ts';
import { serverSideApplyWriter } from '../../packages/metacontroller/src/supervisor/child-writer-of.ts';
import { type EnginePlace, type EngineSetup, enginePlace } from './engine-place.ts';
import { ANNOTATION, originalAnswer, originalCreation } from './original-writer.ts';

const applied = (force = true) => serverSideApplyWriter('hooks', force);

/** One ConfigMap with the data of the parent's spec. */
const deciding: EngineSetup['decide'] = ({ parent }) => {
  const { spec } = parent as { readonly spec?: { readonly data?: Record<string, string> } };
  const object = { metadata: { name: 'plan' }, data: spec?.data ?? {} };
  return { children: [{ resource: configMaps as Resource, object: object as never }] };
};

function place(setup: Partial<EngineSetup> = {}): Promise<EnginePlace> {
  return enginePlace({
    writer: applied(),
    decide: deciding,
    arrange: ({ createParent }) => createParent({ data: { a: '1', b: '1' } }),
    ...setup,
  });
}

async function want({ env, namespace }: EnginePlace, data: object): Promise<void> {
  await env.patch('fruit.example/v1', 'Orchard', namespace, 'north', { spec: { data } });
  await env.settled();
}

async function plan({ env, namespace }: EnginePlace): Promise<ConfigMap> {
  const found = await env.get<ConfigMap>('v1', 'ConfigMap', namespace, 'plan');
  return found ?? expect.unreachable('there is no plan');
}

async function edit({ env, namespace }: EnginePlace, change: object): Promise<void> {
  await env.patch('v1', 'ConfigMap', namespace, 'plan', change);
  await env.settled();
}

function planWrites({ writes }: EnginePlace): readonly string[] {
  return writes().filter((write) => write.endsWith('configmaps plan'));
}

test("[contract 80] [metacontroller 29] a field that is no longer returned is removed; other managers' fields stay", async () => {
  const at = await place();
  await edit(at, { data: { foreign: 'x' }, metadata: { labels: { team: 'y' } } });

  await want(at, { b: null });

  expect(await plan(at)).toMatchObject({ metadata: { labels: { team: 'y' } } });
  expect((await plan(at)).data).toEqual({ a: '1', foreign: 'x' });
});

test('[metacontroller M17] a manual edit of an object without a generation is reverted', async () => {
  const at = await place();

  await edit(at, { data: { a: 'by hand' } });

  expect((await plan(at)).data).toEqual({ a: '1', b: '1' });
  expect((await plan(at)).metadata.generation).toBeUndefined();
});

test("another client's change of a field that is not returned causes no write", async () => {
  const at = await place();
  const before = planWrites(at).length;

  await edit(at, { metadata: { labels: { team: 'y' } } });

  expect(planWrites(at)).toHaveLength(before);
});

describe('[metacontroller 29] [metacontroller M17] conflicts about a field that another manager applies', () => {
  async function contended(force: boolean): Promise<EnginePlace> {
    const at = await place({ writer: applied(force) });
    const { namespace } = at;
    const metadata = { name: 'plan', namespace };
    const theirs = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { c: 'theirs' } };
    await at.env.apply([theirs as never]);
    await want(at, { c: 'ours' });
    return at;
  }

  test('with `force`, a field that another manager applies is taken over', async () => {
    expect((await plan(await contended(true))).data).toMatchObject({ c: 'ours' });
  });

  test('[contract 80] without `force`, a field that another manager applies is reported as a conflict', async () => {
    const at = await contended(false);

    expect((await plan(at)).data).toMatchObject({ c: 'theirs' });
    expect((await at.parent())?.status?.conditions).toMatchObject([
      {
        type: 'Synced',
        status: 'False',
        reason: 'Conflict',
        message: expect.stringContaining('.data.c'),
      },
    ]);
  });
});

describe('taking over children that were written by dynamic apply', () => {
  test('the last-applied annotation of Metacontroller is removed, and so are fields that are no longer returned', async () => {
    const at = await place({
      arrange: async ({ createParent, env }) => {
        const { metadata } = await createParent({ data: { a: '1' } });
        const owner = { apiVersion: 'fruit.example/v1', kind: 'Orchard', metadata };
        const before = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'plan' } };
        const answer = originalAnswer({ ...before, data: { a: '1', old: 'x' } }, owner);
        // Created under the name of Metacontroller's updates.
        const { namespace } = metadata;
        const path = `/api/v1/namespaces/${namespace}/configmaps?fieldManager=metacontroller`;
        const response = await fetch(`${env.url}${path}`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify(originalCreation(answer, owner)),
        });
        expect(response.status).toBe(201);
      },
    });

    expect((await plan(at)).data).toEqual({ a: '1' });
    expect((await plan(at)).metadata.annotations?.[ANNOTATION]).toBeUndefined();
    const before = planWrites(at).length;
    await at.env.advance(60 * 60_000);
    expect(planWrites(at)).toHaveLength(before);
  });

  test('fields that chancery itself wrote by dynamic apply are also taken over', async () => {
    const first = await place({ writer: dynamicApplyWriter() });
    expect((await plan(first)).metadata.annotations?.[ANNOTATION]).toContain('"b":"1"');

    await first.restart({ writer: applied() });
    await want(first, { b: null });

    expect((await plan(first)).data).toEqual({ a: '1' });
    expect((await plan(first)).metadata.annotations?.[ANNOTATION]).toBeUndefined();
  });
});
